import type { Controls } from "../../controls/onDemand.ts";
import { picker, wholeNumber } from "../../controls/picker.ts";
import type { ModelInfo } from "../../session/modelInfo.ts";
import type { Session } from "../../session/session.ts";
import { h } from "../../widget/dom.ts";
import { heldControls } from "./held.ts";

/** What the ends of the slider stand for, how large the tails are, and which means are held meanwhile. */
export function anchorControls(session: Session, about: ModelInfo, signal: AbortSignal): Controls {
  const held = heldControls(session, about, signal);
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
    element: h("div", { class: "uq-controls" }, anchor.element, tail.element, ...held.elements),
    update(inputs, frame): void {
      held.update(inputs, frame);
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
