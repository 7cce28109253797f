import { h, set } from "../dom.ts";

/** A button with a name for tests and, where its text is not enough, one for screen readers. */
export function button(
  id: string,
  text: string,
  onClick: () => void,
  signal: AbortSignal,
  label?: string,
): HTMLButtonElement {
  const element = h(
    "button",
    { type: "button", class: "uq-button", "data-testid": id, "aria-label": label },
    text,
  );
  element.addEventListener(
    "click",
    () => element.getAttribute("aria-disabled") !== "true" && onClick(),
    { signal },
  );
  return element;
}

/** Disables a button without taking the focus from it. */
export const enable = (element: HTMLButtonElement, enabled: boolean): void =>
  set(element, { "aria-disabled": enabled ? null : "true" });
