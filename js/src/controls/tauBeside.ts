import { h, set } from "../dom.ts";
import { level } from "../format.ts";

/** The slider of τ a second time, beside a chart that stands far below the first one. */
export function tauBeside(onChange: (tau: number) => void, signal: AbortSignal) {
  const range = h("input", {
    ...{ type: "range", min: -1, max: 1, step: 0.01, value: 0, class: "uq-tau" },
    ...{ "aria-label": "τ, beside the chart", "data-testid": "uq-tau-beside" },
  });
  const show = () => {
    const at = (range.valueAsNumber + 1) * 50;
    range.style.setProperty("--uq-from", `${Math.min(50, at)}%`);
    range.style.setProperty("--uq-to", `${Math.max(50, at)}%`);
    set(range, { "aria-valuetext": `τ ${level(range.valueAsNumber)}` });
  };
  range.addEventListener(
    "input",
    () => {
      show();
      onChange(range.valueAsNumber);
    },
    { signal },
  );
  return {
    element: h("label", { class: "uq-field uq-tau-beside" }, h("span", {}, "τ"), range),
    update(tau: number, disabled: boolean): void {
      range.disabled = disabled;
      // Under the hand, an older answer must not move it.
      if (!range.matches(":active")) range.value = String(tau);
      show();
    },
  };
}
