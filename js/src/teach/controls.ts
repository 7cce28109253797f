import type { Fields } from "../session/wire.ts";
import { h, setOptions } from "../widget/dom.ts";

export interface Choice {
  value: string;
  label: string;
  disabled?: boolean;
  title?: string;
}

/** Features to pick from; a page without a kernel has no answers for some of them. */
export function featureChoices(fields: Fields): Choice[] {
  const unavailable = new Set(fields.optional("unavailable", (f) => f.texts("unavailable")));
  return fields.texts("features").map((value) => {
    const disabled = unavailable.has(value);
    return { value, label: value, disabled, title: disabled ? "This needs the notebook." : "" };
  });
}

/** One of a few answers, as radio buttons below a question. */
export function choices(
  id: string,
  question: string,
  options: Choice[],
  onChoice: (value: string) => void,
  signal: AbortSignal,
) {
  // Widgets of one page must not share a group of radio buttons.
  const name = `${id}-${Math.random().toString(36).slice(2)}`;
  const inputs = options.map(({ value }) => {
    const input = h("input", { type: "radio", name, value, "data-testid": `${id}-${value}` });
    input.addEventListener("change", () => input.checked && onChoice(value), { signal });
    return input;
  });
  const element = h(
    "fieldset",
    { class: "uq-choices" },
    h("legend", { class: "uq-sr" }, question),
    ...options.map(({ label }, i) => h("label", {}, inputs[i] as Node, ` ${label}`)),
  );
  return {
    element,
    update(value: unknown): void {
      for (const input of inputs) input.checked = input.value === value;
    },
  };
}

/** A list to pick from, with its label before it. */
export function pick(
  id: string,
  label: string,
  options: Choice[],
  onChange: (value: string) => void,
  signal: AbortSignal,
) {
  const select = h("select", { "data-testid": id, "aria-label": label });
  setOptions(select, options);
  select.addEventListener("change", () => onChange(select.value), { signal });
  return {
    element: h("label", { class: "uq-field" }, `${label} `, select),
    update(value: unknown): void {
      if (typeof value === "string" && select.value !== value) select.value = value;
    },
  };
}
