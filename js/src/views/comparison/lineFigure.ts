import { axis, clipped, labelWidth, ticksOf } from "../../charts/axis.ts";
import { extent, linear, SteadyScale } from "../../charts/domain.ts";
import { figure } from "../../charts/figure.ts";
import { h, pool, set, setText, svg } from "../../widget/dom.ts";
import { interval, isolated, number, percent, withUnit } from "../../widget/format.ts";
import { clarity } from "./clarity.ts";
import type { Line } from "./reader.ts";

const TOP = 8;
const PLOT = 130;
const HEIGHT = TOP + PLOT + 24;

/** Runs of points with an interval, as one path each. */
function bandOf(xs: number[], low: number[], high: number[]): string {
  const runs: number[][] = [[]];
  xs.forEach((_, i) => {
    if (Number.isFinite(low[i]) && Number.isFinite(high[i])) runs.at(-1)?.push(i);
    else if (runs.at(-1)?.length) runs.push([]);
  });
  const point = (i: number, ends: number[]) => `${xs[i]?.toFixed(1)} ${ends[i]?.toFixed(1)}`;
  return runs
    .filter((run) => run.length > 0)
    .map((run) => {
      const back = [...run].reverse();
      return `M${run.map((i) => point(i, high)).join("L")}L${back.map((i) => point(i, low)).join("L")}Z`;
    })
    .join("");
}

function lineOf(xs: number[], ys: number[]): string {
  let drawn = "";
  let pen = "M";
  xs.forEach((x, i) => {
    const y = ys[i] ?? Number.NaN;
    if (!Number.isFinite(y)) pen = "M";
    else {
      drawn += `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
      pen = "L";
    }
  });
  return drawn;
}

/** A difference along an axis with its band around zero; dots with whiskers for categories. */
export function lineFigure(signal: AbortSignal, redraw: () => void, title: string) {
  const fig = figure(signal, redraw, title);
  const [left, bottom] = [axis("left"), axis("bottom")];
  const zero = svg("line", { class: "uq-zero" });
  const band = svg("path", { class: "uq-difference-band" });
  const line = svg("path", { class: "uq-difference-line" });
  const marks = svg("g", { class: "uq-difference-dots" });
  const dots = pool(marks, () => {
    const [whisker, dot] = [svg("line"), svg("circle", { r: 3.5 })];
    return { element: svg("g", {}, whisker, dot), whisker, dot };
  });
  const rule = svg("line", { class: "uq-rule", y1: TOP, y2: TOP + PLOT });
  const element = svg(
    "svg",
    { height: HEIGHT, "aria-hidden": "true" },
    left.element,
    bottom.element,
    ...[zero, band, line, marks, rule],
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
      const yTicks = ticksOf(y, PLOT, 40);
      const margin = labelWidth(yTicks.map((tick) => tick.label)) + 14;
      const inner = Math.max(40, fig.width - margin - 12);
      const ends = labels ? [-0.5, labels.length - 0.5] : (extent(data.grid) ?? [0, 1]);
      const [from = 0, to = 1] = ends;
      const x = linear(from < to ? [from, to] : [from - 1, to + 1], [margin, margin + inner]);
      const each = labels ? inner / labels.length : 0;
      const xTicks = labels
        ? labels.map((text, i) => ({ at: x(i), label: each < 24 ? "" : clipped(text, each - 6) }))
        : ticksOf(x, inner, 64);
      const xs = Array.from(data.grid, (value, i) => x(labels ? i : value));
      const at = (values: Float64Array) => Array.from(values, (value) => y(value));
      const [value, low, high] = [at(data.value), at(data.low), at(data.high)];
      set(element, { width: fig.width });
      set(left.element, { transform: `translate(${margin},0)` });
      left.update(yTicks, inner);
      set(bottom.element, { transform: `translate(0,${TOP + PLOT})` });
      bottom.update(xTicks, 4);
      set(rule, { visibility: now === null ? "hidden" : null });
      if (now !== null) set(rule, { x1: x(now), x2: x(now) });
      set(zero, { x1: margin, x2: margin + inner, y1: y(0), y2: y(0) });
      set(band, { d: labels ? null : bandOf(xs, low, high) });
      set(line, { d: labels ? null : lineOf(xs, value) });
      dots(labels ? xs.length : 0).forEach(({ element, whisker, dot }, i) => {
        set(element, { transform: `translate(${xs[i]?.toFixed(1)},0)` });
        const isKnown = Number.isFinite(value[i]);
        const hasEnds = Number.isFinite(low[i]) && Number.isFinite(high[i]);
        set(dot, { cy: isKnown ? value[i] : 0, visibility: isKnown ? null : "hidden" });
        set(whisker, { y1: hasEnds ? low[i] : 0, y2: hasEnds ? high[i] : 0 });
      });
      const name = withUnit(data.label, data.unit);
      const clear = clarity(data.low, data.high, "point");
      setText(caption, clear);
      fig.describe(`${name} along ${isolated(data.feature)}: ${sides}`, clear, () => ({
        columns: [data.feature, sides, `${percent(level)} interval`],
        rows: Array.from(data.value, (difference, i) => [
          labels?.[i] ?? number(data.grid[i]),
          number(difference),
          interval(data.low[i] ?? Number.NaN, data.high[i] ?? Number.NaN),
        ]),
      }));
    },
  };
}
