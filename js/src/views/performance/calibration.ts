import { scaleLinear } from "d3-scale";
import "../../charts/points.css";
import { crosshair, type Readable } from "../../charts/crosshair.ts";
import { diagonal } from "../../charts/diagonal.ts";
import { errorBars } from "../../charts/errorbars.ts";
import { figure } from "../../charts/figure.ts";
import { h, set, setText } from "../../widget/dom.ts";
import { counted, interval, isolated, number, percent } from "../../widget/format.ts";
import type { Calibration, Performance } from "./reader.ts";

const unit = (range: [number, number]) => scaleLinear([0, 1], range);

/** Points whose interval does not contain the predicted probability. */
const outside = ({ predicted, low, high }: Calibration): number =>
  predicted.reduce(
    (count, p, i) => count + Number(p < (low[i] ?? Number.NaN) || p > (high[i] ?? Number.NaN)),
    0,
  );

/** Observed shares over predicted probabilities. */
export function calibrationFigure(signal: AbortSignal, redraw: () => void) {
  const fig = figure(signal, redraw, "Calibration");
  const bars = errorBars("uq-points", 4);
  const chart = diagonal(bars.element);
  const read = crosshair(signal);
  set(read.element, { "aria-label": "Read the calibration" });
  const caption = h("p", { class: "uq-caption" });
  fig.content.append(h("div", { class: "uq-layers" }, chart.element, read.element, read.card));
  fig.element.prepend(h("h4", {}, "Calibration"), caption);

  return {
    element: fig.element,
    update({ calibration: data, level }: Performance): void {
      fig.element.hidden = data === null;
      if (!data) return;
      const event = isolated(data.event);
      const points = data.predicted.length;
      const missed = outside(data);
      const { x, y, top } = chart.update(
        unit,
        ["predicted probability", "observed share"],
        fig.width,
      );
      const at = (values: Float64Array) => Array.from(values, (value) => y(value));
      const xs = Array.from(data.predicted, (value) => x(value));
      bars.update(xs, at(data.observed), at(data.low), at(data.high));
      setText(
        caption,
        `Probability that ${event}. ${missed === 0 ? "All intervals hold" : `${missed} of ${counted(points, "interval")} ${missed === 1 ? "does" : "do"} not hold`} the predicted probability.`,
      );
      const range = (i: number) => interval(data.low[i], data.high[i]);
      const readable: Readable = {
        name: `Read the calibration: probability that ${event}`,
        positions: xs,
        width: fig.width,
        top,
        mark: () => undefined,
        reading: (i) => ({
          title: `predicted ${number(data.predicted[i])}`,
          rows: [
            ["observed", number(data.observed[i])],
            [`${percent(level)} interval`, range(i)],
          ],
        }),
      };
      read.update(readable);
      fig.describe(
        `Calibration: observed share against predicted probability that ${event}`,
        `${counted(points, "point")}; ${missed} with an interval that does not hold the predicted probability.`,
        () => ({
          columns: ["predicted", "observed", "low", "high"],
          rows: Array.from(data.predicted, (p, i) =>
            [p, data.observed[i], data.low[i], data.high[i]].map((value) => number(value)),
          ),
        }),
      );
    },
  };
}
