import { picker, wholeNumber } from "../../controls/picker.ts";
import { h } from "../../dom.ts";
import type { Inputs } from "../../inputs.ts";
import type { Session } from "../../session.ts";

/** What the ends of the slider stand for: quantiles or means of the tails, and how large the tails are. */
export function anchorControls(session: Session, signal: AbortSignal) {
  const anchor = picker(
    "the ends are",
    { "data-testid": "uq-anchor" },
    (value) => session.request({ anchor: value }),
    signal,
  );
  const tail = wholeNumber(
    "% of rows in a tail",
    {
      min: 1,
      max: 49,
      "data-testid": "uq-tail",
    },
    (value) => session.request({ tail: value / 100 }),
    signal,
  );
  return {
    element: h("div", { class: "uq-controls" }, anchor.element, tail.element),
    update(inputs: Inputs): void {
      anchor.update(
        [
          { value: "quantile", label: "quantiles" },
          { value: "tail-mean", label: "means of the tails" },
        ],
        inputs.anchor,
      );
      tail.update(Math.round(inputs.tail * 1000) / 10);
    },
  };
}
