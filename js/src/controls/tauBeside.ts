import { h } from "../widget/dom.ts";

/** The slider of τ a second time, beside a chart that stands far below the first one. */
export function tauBeside(onChange: (tau: number) => void, signal: AbortSignal) {
  const range = h("input", {
    ...{ type: "range", min: -1, max: 1, step: 0.01, value: 0 },
    "data-testid": "uq-tau-beside",
  });
  range.addEventListener("input", () => onChange(range.valueAsNumber), { signal });
  const element = h("label", { class: "uq-field uq-tau-beside" }, "τ", range);
  return {
    element,
    /** Puts the thumb at τ = -1 and τ = 1 above these places of the chart. */
    span(from: number, to: number): void {
      element.style.setProperty("--uq-from", `${from}px`);
      element.style.setProperty("--uq-to", `${to}px`);
    },
    update(tau: number, disabled: boolean): void {
      range.disabled = disabled;
      // Under the hand, an older answer must not move it.
      if (!range.matches(":active")) range.value = String(tau);
    },
  };
}
