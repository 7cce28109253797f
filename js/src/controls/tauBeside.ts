import { h } from "../dom.ts";

/** The slider of τ a second time, beside a chart that stands far below the first one. */
export function tauBeside(onChange: (tau: number) => void, signal: AbortSignal) {
  const range = h("input", {
    ...{ type: "range", min: -1, max: 1, step: 0.01, value: 0 },
    "data-testid": "uq-tau-beside",
  });
  range.addEventListener("input", () => onChange(range.valueAsNumber), { signal });
  return {
    element: h("label", { class: "uq-field uq-tau-beside" }, "τ", range),
    update(tau: number, disabled: boolean): void {
      range.disabled = disabled;
      // Under the hand, an older answer must not move it.
      if (!range.matches(":active")) range.value = String(tau);
    },
  };
}
