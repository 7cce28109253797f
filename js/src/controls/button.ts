import { type Attributes, h, set } from "../widget/dom.ts";

/** A button with a name for tests and lines of help; while it is marked as unavailable, a click does nothing. */
export function button(
  id: string,
  text: string,
  onClick?: (own: HTMLButtonElement) => void,
  signal?: AbortSignal,
  { class: more = "", ...attributes }: Attributes = {},
): HTMLButtonElement {
  const named = { type: "button", class: `uq-button ${more}`.trim(), "data-testid": id };
  const own = h("button", { ...named, ...attributes }, text);
  const click = () => own.getAttribute("aria-disabled") !== "true" && onClick?.(own);
  own.addEventListener("click", click, { signal });
  return own;
}

/** Marks a button as unavailable; a disabled button would lose the focus, and the notebook would get the next key. */
export const enable = (element: Element, can: boolean): void =>
  set(element, { "aria-disabled": can ? null : "true" });
