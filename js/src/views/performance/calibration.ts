import { scaleLinear } from "d3-scale";
import "../../charts/points.css";
import type { Tick } from "../../charts/axis.ts";
import { crosshair, type Readable } from "../../charts/crosshair.ts";
import { diagonal } from "../../charts/diagonal.ts";
import { errorBars } from "../../charts/errorbars.ts";
import { figure } from "../../charts/figure.ts";
import { h, pool, set, setText, svg } from "../../widget/dom.ts";
import { counted, interval, isolated, number, percent } from "../../widget/format.ts";
import type { Calibration, Performance } from "./reader.ts";

/** Ticks of an axis of log-odds, and the probability that it ends near at most. */
const ODDS = [1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999];
const LEAST = 1e-4;

const logOdds = (p: number): number => Math.log(p / (1 - p));

/** The end of an axis of log-odds that holds all points, which begins as far on the other side of 0.5. */
function endOf({ predicted, low }: Calibration): number {
  const inside = [...predicted, ...low].filter((p) => p > 0 && p < 1);
  const least = Math.min(0.05, ...inside.map((p) => Math.min(p, 1 - p)));
  return 0.3 - logOdds(Math.max(LEAST, least));
}

const oddsTicks = (scale: (value: number) => number, end: number): Tick[] =>
  ODDS.filter((p) => Math.abs(logOdds(p)) <= end).map((p) => ({
    at: scale(logOdds(p)),
    label: String(p),
  }));

/** Observed shares over predicted probabilities; points that miss have a ring and their name. */
export function calibrationFigure(signal: AbortSignal, redraw: () => void) {
  const fig = figure(signal, redraw, "Calibration");
  const bars = errorBars("uq-points", 4);
  const missed = svg("g", { class: "uq-missed" });
  const misses = pool(missed, () => {
    const [ring, name] = [svg("circle", { r: 7 }), svg("text", { dy: "0.32em" })];
    return { element: svg("g", {}, ring, name), ring, name };
  });
  const chart = diagonal(bars.element, missed);
  const read = crosshair(signal);
  set(read.element, { "aria-label": "Read the calibration" });
  const verdict = h("p", { class: "uq-calibration-verdict" });
  const caption = h("p", { class: "uq-caption" });
  fig.content.append(h("div", { class: "uq-layers" }, chart.element, read.element, read.card));
  fig.element.prepend(h("h4", {}, "Calibration"), verdict, caption);

  return {
    element: fig.element,
    update({ calibration: data, level }: Performance, logit: boolean): void {
      fig.element.hidden = data === null;
      if (!data) return;
      const event = isolated(data.event);
      const points = data.predicted.length;
      const end = endOf(data);
      const place = (p: number) =>
        logit ? Math.max(-end, Math.min(end, logOdds(Math.max(0, Math.min(1, p))))) : p;
      const { x, y, top } = chart.update(
        (range) => scaleLinear(logit ? [-end, end] : [0, 1], range),
        ["predicted probability", "observed share"],
        fig.width,
        logit ? (scale) => oddsTicks(scale, end) : undefined,
      );
      const at = (values: Float64Array) => Array.from(values, (value) => y(place(value)));
      const xs = Array.from(data.predicted, (value) => x(place(value)));
      const ys = at(data.observed);
      bars.update(xs, ys, at(data.low), at(data.high));
      const outside = [...xs.keys()].filter((i) => data.outside[i]);
      misses(outside.length).forEach(({ element, name }, k) => {
        const i = outside[k] as number;
        // The name stands on the side that is away from the diagonal.
        const isBelow = (data.observed[i] ?? 0) < (data.predicted[i] ?? 0);
        set(element, { transform: `translate(${xs[i]?.toFixed(1)},${ys[i]?.toFixed(1)})` });
        const side = isBelow ? 1 : -1;
        set(name, { x: 6 * side, y: 13 * side, "text-anchor": isBelow ? "start" : "end" });
        setText(name, number(Number(data.predicted[i]?.toPrecision(2))));
      });
      setText(verdict, data.verdict);
      setText(
        caption,
        `Probability that ${event}. ${data.misses}${outside.length ? " Each has a ring." : ""}`,
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
            ...(data.outside[i] ? [["its interval", "misses"] as [string, string]] : []),
          ],
        }),
      };
      read.update(readable);
      fig.describe(
        `Calibration: observed share against predicted probability that ${event}`,
        `${data.verdict} ${counted(points, "point")}; ${data.misses}`,
        () => ({
          columns: ["predicted", "observed", "low", "high", "misses"],
          rows: Array.from(data.predicted, (p, i) => [
            ...[p, data.observed[i], data.low[i], data.high[i]].map((value) => number(value)),
            data.outside[i] ? "yes" : "no",
          ]),
        }),
      );
    },
  };
}
