import { h } from "../widget/dom.ts";
import { tauRange } from "./slider.ts";

/** The slider of τ a second time, beside a chart that stands far below the first one. */
export function tauBeside(onChange: (tau: number) => void, signal: AbortSignal) {
  const { element: range, show } = tauRange(onChange, { "data-testid": "uq-tau-beside" }, signal);
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
      if (!range.matches(":active")) show(tau);
    },
  };
}
