import type { Attributes } from "../widget/dom.ts";
import { h, onCommit, set, setOptions } from "../widget/dom.ts";

export interface PickerChoice {
  value: string;
  label: string;
  disabled?: boolean;
  /** What the choice means. */
  title?: string | undefined;
  /** Choices of one group stand together under its name. */
  group?: string | undefined;
}

/** A labelled native select that shows the accepted input; `title` explains it in a line. */
export function picker(
  label: string,
  { title, ...attributes }: Attributes,
  onPick: (value: string) => void,
  signal: AbortSignal,
) {
  const select = h("select", attributes);
  select.addEventListener("change", () => onPick(select.value), { signal });
  return {
    element: h("label", { class: "uq-field", title }, h("span", {}, label), select),
    update(choices: PickerChoice[], value: string): void {
      setOptions(select, choices);
      // Where every choice is disabled, the value is "" without any choice being shown.
      if (select.value !== value || select.selectedIndex < 0) select.value = value;
      const { title, label = "" } = choices.find((choice) => choice.value === value) ?? {};
      // The closed list cuts a long name.
      if (title || label.length > 18) set(select, { title: title || label });
    },
  };
}

/** A labelled checkbox; it is disabled with a reason where it has no effect. */
export function checkBox(
  label: string,
  { title, ...attributes }: Attributes,
  onPick: (value: boolean) => void,
  signal: AbortSignal,
) {
  const input = h("input", { type: "checkbox", ...attributes });
  input.addEventListener("change", () => onPick(input.checked), { signal });
  const element = h("label", { class: "uq-field" }, input, label);
  return {
    element,
    update(value: boolean, why: string | null): void {
      input.checked = value;
      set(input, { disabled: why !== null });
      set(element, { title: why ?? title });
    },
  };
}

/** A labelled integer field; it sends a request on commit, and is not rewritten while it has the focus. */
export function wholeNumber(
  label: string,
  { min, max, title, ...attributes }: Attributes & { min: number; max: number },
  onPick: (value: number) => void,
  signal: AbortSignal,
) {
  const input = h("input", { type: "number", step: 1, min, max, ...attributes });
  let accepted = min;
  const commit = () => {
    const value = Math.round(input.valueAsNumber);
    if (Number.isFinite(value)) onPick(Math.min(max, Math.max(min, value)));
    else input.value = String(accepted);
  };
  onCommit(input, commit, signal);
  return {
    element: h("label", { class: "uq-field", title }, h("span", {}, label), input),
    update(value: number): void {
      accepted = value;
      const root = input.getRootNode() as Document | ShadowRoot;
      if (root.activeElement !== input && input.value !== String(value))
        input.value = String(value);
    },
  };
}
