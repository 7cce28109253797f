import { axes, clipped, ticksOf } from "../../charts/axis.ts";
import { extent, linear, SteadyScale } from "../../charts/domain.ts";
import { errorBars } from "../../charts/errorbars.ts";
import { figure } from "../../charts/figure.ts";
import { placeLevel, placeUpright } from "../../charts/marks.ts";
import { areaPath, linePath } from "../../charts/paths.ts";
import { h, set, setText, svg } from "../../widget/dom.ts";
import { interval, isolated, number, percent, withUnit } from "../../widget/format.ts";
import { clarity } from "./clarity.ts";
import type { Line } from "./reader.ts";

const TOP = 8;
const PLOT = 130;
const HEIGHT = TOP + PLOT + 24;

/** A difference along an axis with its band around zero; dots with whiskers for categories. */
export function lineFigure(signal: AbortSignal, redraw: () => void, title: string) {
  const fig = figure(signal, redraw, title);
  const { left, bottom, update: drawAxes } = axes();
  const zero = svg("line", { class: "uq-zero" });
  const band = svg("path", { class: "uq-difference-band" });
  const line = svg("path", { class: "uq-difference-line" });
  const dots = errorBars("uq-difference-dots", 3.5);
  const rule = svg("line", { class: "uq-rule", y1: TOP, y2: TOP + PLOT });
  const element = svg(
    "svg",
    { height: HEIGHT, "aria-hidden": "true" },
    ...[left, bottom, zero, band, line, dots.element, rule],
  );
  const caption = h("p", { class: "uq-caption" });
  const steady = new SteadyScale();
  fig.content.append(element, caption);

  return {
    element: fig.element,
    /** Draws a difference; `now` is the τ that is marked, where the line is one over τ. */
    update(data: Line, sides: string, level: number, now: number | null): void {
      const { labels } = data;
      const shown = extent(data.value, data.low, data.high, [0]);
      const y = steady.fit(`${data.feature} ${data.label}`, shown, [TOP + PLOT, TOP]);
      const ends = labels ? [-0.5, labels.length - 0.5] : (extent(data.grid) ?? [0, 1]);
      const [from = 0, to = 1] = ends;
      const { x, margin, inner } = drawAxes(
        y,
        { top: TOP, height: PLOT, width: fig.width },
        (range) => linear(from < to ? [from, to] : [from - 1, to + 1], range),
        (x, inner) => {
          if (!labels) return ticksOf(x, inner, 64);
          const each = inner / labels.length;
          const name = (text: string) => (each < 24 ? "" : clipped(text, each - 6));
          return labels.map((text, i) => ({ at: x(i), label: name(text) }));
        },
      );
      const xs = Array.from(data.grid, (value, i) => x(labels ? i : value));
      const at = (values: Float64Array) => Array.from(values, (value) => y(value));
      const [value, low, high] = [at(data.value), at(data.low), at(data.high)];
      set(element, { width: fig.width });
      placeUpright(rule, now === null ? null : x(now));
      placeLevel(zero, y(0), margin, margin + inner);
      set(band, { d: labels ? null : areaPath(xs, low, high) });
      set(line, { d: labels ? null : linePath(xs, value) });
      dots.update(labels ? xs : [], value, low, high);
      const name = withUnit(data.label, data.unit);
      const clear = clarity(data.low, data.high, "point");
      setText(caption, clear);
      fig.describe(`${name} along ${isolated(data.feature)}: ${sides}`, clear, () => ({
        columns: [data.feature, sides, `${percent(level)} interval`],
        rows: Array.from(data.value, (difference, i) => [
          labels?.[i] ?? number(data.grid[i]),
          number(difference),
          interval(data.low[i], data.high[i]),
        ]),
      }));
    },
  };
}
