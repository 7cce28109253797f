import { scaleLinear } from "d3-scale";
import { axes, setFitted } from "../charts/axis.ts";
import { placeLevel } from "../charts/marks.ts";
import { areaPath, linePath } from "../charts/paths.ts";
import { pool, set, svg } from "../widget/dom.ts";

type Values = ArrayLike<number>;

export interface Line {
  look: string;
  y: Values;
}

export interface LineOptions {
  x: Values;
  lines: Line[];
  band?: { low: Values; high: Values } | null;
  dots?: { look: string; x: number; y: number }[];
  /** A level that is drawn across the chart. */
  level?: number | null;
  range: readonly [number, number];
  width: number;
  height: number;
  titles: { x: string; y: string };
}

const TOP = 20;

/** Lines over one axis, with a band behind them, a level across them and dots on them. */
export function lineChart() {
  const { left, bottom, update: drawAxes } = axes();
  const area = svg("path", { class: "uq-lesson-band" });
  const across = svg("line", { class: "uq-lesson-level" });
  const marks = svg("g");
  const paths = pool(marks, () => svg("path"));
  const spots = svg("g");
  const circles = pool(spots, () => svg("circle"));
  const yTitle = svg("text", { class: "uq-title", y: 11 });
  const xTitle = svg("text", { class: "uq-title", "text-anchor": "middle" });
  const element = svg(
    "svg",
    { "aria-hidden": "true" },
    left,
    area,
    across,
    marks,
    spots,
    bottom,
    yTitle,
    xTitle,
  );
  return {
    element,
    update(options: LineOptions): void {
      const { x, lines, band = null, dots = [], level = null, width, height } = options;
      const floor = height - (options.titles.x ? 40 : 22);
      const [least, most] = options.range;
      const y = scaleLinear([least, most > least ? most : least + 1], [floor, TOP]).nice(5);
      const place = { top: TOP, height: floor - TOP, width };
      const along = (range: [number, number]) =>
        scaleLinear([x[0] ?? 0, x[x.length - 1] ?? 1], range);
      const { x: xScale, margin, inner } = drawAxes(y, place, along, undefined, 34);
      set(element, { width, height });
      const xs = Array.from(x, (value) => xScale(value));
      const ys = (values: Values) => Array.from(values, (value) => y(value));
      set(area, { d: band && areaPath(xs, ys(band.low), ys(band.high)) });
      placeLevel(across, level === null ? null : y(level), margin, margin + inner);
      paths(lines.length).forEach((path, i) => {
        const line = lines[i] as Line;
        set(path, { class: `uq-lesson-line uq-look-${line.look}`, d: linePath(xs, ys(line.y)) });
      });
      circles(dots.length).forEach((circle, i) => {
        const { look, ...at } = dots[i] as (typeof dots)[number];
        set(circle, {
          class: `uq-lesson-dot uq-look-${look}`,
          r: look === "now" ? 5 : 3.5,
          cx: xScale(at.x).toFixed(1),
          cy: y(at.y).toFixed(1),
        });
      });
      setFitted(yTitle, options.titles.y, width);
      set(xTitle, { x: margin + inner / 2, y: height - 6 });
      setFitted(xTitle, options.titles.x, inner);
    },
  };
}
