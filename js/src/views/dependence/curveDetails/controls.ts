import { checkBox, wholeNumber } from "../../../controls/picker.ts";
import { h } from "../../../dom.ts";
import type { Frame } from "../../../frame.ts";
import type { Inputs } from "../../../inputs.ts";
import type { Session } from "../../../session.ts";

/** The controls of the curves that are used rarely. */
export function curveControls(session: Session, signal: AbortSignal) {
  const to = (name: keyof Inputs) => (value: unknown) => session.request({ [name]: value });
  const check = (label: string, id: string, name: keyof Inputs, title?: string) =>
    checkBox(label, { "data-testid": `uq-${id}`, title }, to(name), signal);
  const lines = wholeNumber(
    "rows drawn",
    { min: 0, max: 1000, "data-testid": "uq-lines" },
    to("ice_lines"),
    signal,
  );
  const center = check("start all lines at 0", "center", "center");
  const derivative = check("show slope", "derivative", "derivative");
  const clip = check(
    "zoom to the average",
    "clip",
    "clip_lines",
    "The axis follows the average, and single lines are cut.",
  );
  return {
    element: h(
      "div",
      { class: "uq-curve-controls" },
      ...[lines, center, derivative, clip].map(({ element }) => element),
    ),
    update(inputs: Inputs, frame: Frame | null): void {
      const data = frame?.dependence;
      lines.update(inputs.ice_lines);
      center.update(
        inputs.center,
        data?.derivative ? "the slope is the same wherever lines start" : null,
      );
      derivative.update(
        inputs.derivative,
        data?.categorical ? `${data.feature} is categorical, so its curve has no slope` : null,
      );
      clip.update(inputs.clip_lines, null);
    },
  };
}
