import type { Averages } from "../session/frame.ts";
import type { Bounds } from "../session/modelInfo.ts";
import type { Dependence } from "../views/dependence/reader.ts";
import type { LineSpots } from "../views/view.ts";
import { clipBox, pool, set, svg } from "../widget/dom.ts";
import { interval, isolated, isolatedIn, number, withUnit } from "../widget/format.ts";
import { axes, setFitted, ticksOf } from "./axis.ts";
import type { Readable } from "./crosshair.ts";
import { distribution } from "./distribution.ts";
import { extent, linear, SteadyScale } from "./domain.ts";
import { type LineSpace, lineCanvas, type Overlay, type Painter, trace } from "./lines.ts";
import { placeLevel, placeUpright } from "./marks.ts";
import { areaPath, linePath } from "./paths.ts";
import type { Reading } from "./tooltip.ts";

const TOP = 22;
const PLOT = 190;
const GAP = 8;
const SHARES = 40;
export const CURVES_HEIGHT = TOP + PLOT + GAP + SHARES + 36;

/** The ghost: the curve of a pin. */
export interface Ghostly {
  grid: Float64Array;
  value: Float64Array;
  /** Value of the ghost at a point of the current grid, NaN where it has none. */
  at(i: number): number;
}

/** What lies over a curve or beside it, and is drawn by a part of the front end. */
export interface Additions {
  /** Drawn in the place of single strokes. */
  lines?: Overlay | null;
  /** Drawn over the lines. */
  overlay?: Overlay;
  /** Ticks along the feature, if not those of numbers. */
  ticks?: typeof ticksOf;
  /** The order of categories. */
  order?: string;
  /** The average of each group at a grid point, if groups are averaged. */
  groupsAt?(data: Dependence, i: number): [name: string, value: string][];
}

/** How a curve is drawn, besides its data. */
export interface CurveOptions extends Additions {
  stressed?: boolean;
  learner?: Averages | null;
  /** Lower and upper bound of the measure. */
  bounds?: Bounds | undefined;
  ghost?: Ghostly | null;
  /** Whether the axis follows the average, and cuts single lines. */
  clips?: boolean;
}

/** Values as pixels, NaN where they are missing. */
export const list = (values: ArrayLike<number>, scale: (value: number) => number) =>
  Array.from(values, (value) => (Number.isFinite(value) ? scale(value) : Number.NaN));

/** The name of a grid point: its category, or its value. */
export const gridLabel = (data: Dependence, i: number): string =>
  data.labels?.[i] ?? number(data.grid[i]);

/** Whether curves are differences, which start at zero and do not have the bounds of the measure. */
export const isCompared = ({ center, derivative, relative }: Dependence): boolean =>
  center || derivative || relative;

export const boundsOf = (data: Dependence, { bounds }: CurveOptions): Bounds =>
  isCompared(data) || !bounds ? [null, null] : bounds;

/** Smallest and largest value that the axis of the measure holds. */
export function rangeOf(data: Dependence, { learner, ghost, clips }: CurveOptions) {
  const beside = learner ? [learner.value, learner.low, learner.high] : [];
  const own = [clips ? [] : data.ice, data.low, data.high, data.average, data.base];
  own.push(data.groupAverage ?? []);
  return extent(...own, ...beside, isCompared(data) ? [0] : [], ghost?.value ?? []);
}

/** The values at a grid point. */
export function readingOf(data: Dependence, i: number, options: CurveOptions): Reading {
  const { stressed, learner, ghost } = options;
  return {
    title: `${isolated(data.feature)} = ${isolated(gridLabel(data, i))}`,
    rows: [
      [isolatedIn(data.label, data.feature), number(data.average[i])],
      ["interval", interval(data.low[i], data.high[i])],
      ...(learner
        ? ([
            ["learner", number(learner.value[i])],
            ["its interval", interval(learner.low[i], learner.high[i])],
          ] as [string, string][])
        : []),
      ...(stressed ? [["at τ = 0", number(data.base[i])] as [string, string]] : []),
      ...(options.groupsAt?.(data, i) ?? []),
      ...(ghost ? [["pin", number(ghost.at(i))] as [string, string]] : []),
      ...(data.near[i] ? [] : [["rows around it", "few"] as [string, string]]),
    ],
  };
}

/** The average with its band, that of the learner, the pin and the line at zero, cut at the edge of the plot. */
function averageLines() {
  const band = svg("path", { class: "uq-band" });
  const halo = svg("path", { class: "uq-halo" });
  const ghost = svg("path", { class: "uq-ghost" });
  const pinned = svg("path", { class: "uq-pin-line" });
  const far = svg("path", { class: "uq-far" });
  const average = svg("path", { class: "uq-average" });
  const zero = svg("line", { class: "uq-zero" });
  const learnerBand = svg("path", { class: "uq-learner-band" });
  const learnerHalo = svg("path", { class: "uq-halo" });
  const learnerLine = svg("path", { class: "uq-learner-line" });
  const behind = [zero, learnerBand, band, learnerHalo, halo, ghost, pinned, learnerLine];
  const box = clipBox(...behind, far, average);
  return {
    element: box.element,
    /** Draws all lines, and returns the heights of both averages. */
    update(data: Dependence, space: LineSpace, options: CurveOptions): [number[], number[]] {
      const { x, y, left, width, place } = space;
      const { stressed, learner, ghost: pin } = options;
      const ys = list(data.average, y);
      const at = (values: number[], places = x) => linePath(places, values);
      box.update(left - 6, TOP - 4, width + 12, PLOT + 8);
      set(band, { d: areaPath(x, list(data.low, y), list(data.high, y)) });
      set(halo, { d: at(ys) });
      // The solid line covers the dotted one except where few rows are near.
      const solid = ys.map((value, i) => (data.near[i] ? value : Number.NaN));
      set(average, { d: at(solid) });
      set(far, { d: data.near.every(Boolean) ? null : at(ys) });
      placeLevel(zero, isCompared(data) ? y(0) : null, left, left + width);
      set(ghost, { d: stressed ? at(list(data.base, y)) : null });
      const pinnedX = Array.from(pin?.grid ?? [], (value) => place(value));
      set(pinned, { d: at(list(pin?.value ?? [], y), pinnedX) });
      const means = list(learner?.value ?? [], y);
      const path = learner && at(means);
      set(learnerBand, { d: learner && areaPath(x, list(learner.low, y), list(learner.high, y)) });
      set(learnerHalo, { d: path });
      set(learnerLine, { d: path });
      return [ys, means];
    },
  };
}

/** PD with its band, and the learner's with its own, over the ICE lines; below the distribution of the feature on the same axis. */
export function curves() {
  const ice = lineCanvas();
  const { left, bottom, update: drawAxes } = axes();
  const shares = distribution();
  const lines = averageLines();
  const floor = TOP + PLOT + GAP + SHARES;
  const rule = svg("line", { class: "uq-crosshair", y1: TOP, y2: floor, visibility: "hidden" });
  const dots = svg("g", { class: "uq-crosshair" });
  const dot = pool(dots, () => svg("circle", { r: 4 }));
  const yTitle = svg("text", { class: "uq-title", y: 11 });
  const xTitle = svg("text", { class: "uq-title", "text-anchor": "middle", y: CURVES_HEIGHT - 4 });
  const element = svg(
    "svg",
    { class: "uq-curves", height: CURVES_HEIGHT, "aria-hidden": "true" },
    left,
    lines.element,
    shares.element,
    bottom,
    yTitle,
    xTitle,
    rule,
    dots,
  );
  const steady = new SteadyScale();

  return {
    canvas: ice.element,
    element,
    update(
      data: Dependence,
      width: number,
      options: CurveOptions = {},
    ): Readable & { plot: LineSpots } {
      const { stressed = false, clips = false, ticks = ticksOf } = options;
      const range: [number, number] = [TOP + PLOT, TOP];
      const name = `${data.label} ${data.feature} ${clips}`;
      const y = steady.fit(name, rangeOf(data, options), range, boundsOf(data, options));
      const [low, high] = extent(data.grid, data.edges ?? []) ?? [0, 1];
      const {
        x: xScale,
        margin,
        inner,
      } = drawAxes(
        y,
        { top: TOP, height: PLOT, floor, width },
        (range) => linear([low, high === low ? low + 1 : high], range),
        (x, inner) => ticks(x, inner, 64),
      );
      const x = Array.from(data.grid, (value) => xScale(value));

      set(element, { width });
      const title = isolatedIn(withUnit(data.label, data.unit), data.feature);
      setFitted(yTitle, title, width);
      setFitted(xTitle, data.feature, inner);
      set(xTitle, { x: margin + inner / 2 });

      const space: LineSpace = {
        x,
        y,
        width: inner,
        height: PLOT,
        left: margin,
        top: TOP,
        place: xScale,
      };
      const painter = (draw?: Overlay | null): Painter | null =>
        draw ? (context, colours) => draw(context, colours, data, space) : null;
      ice.update(
        data,
        space,
        width,
        CURVES_HEIGHT,
        (context, line) => trace(context, data.ice, line, space),
        { all: painter(options.lines), overlay: painter(options.overlay) },
      );

      const [ys, means] = lines.update(data, space, options);
      const edges = Array.from(data.edges ?? [], (edge) => xScale(edge));
      const spans = edges.slice(1).map((to, i): [number, number] => [edges[i] as number, to]);
      const { counts, countsBase, bins, looks } = data;
      const distributed = { counts, countsBase, bins, looks, spans, ghost: stressed };
      shares.update(distributed, TOP + PLOT + GAP, SHARES);

      return {
        plot: { space, spans, bars: [TOP + PLOT + GAP, floor] },
        name: `Read ${isolatedIn(data.label, data.feature)} along ${isolated(data.feature)}`,
        positions: x,
        width,
        top: TOP,
        mark(i) {
          const here = i === null ? null : x[i];
          placeUpright(rule, here);
          const heights = i === null ? [] : [ys[i], means[i]].filter(Number.isFinite);
          dot(heights.length).forEach((circle, k) => {
            set(circle, { cx: here, cy: heights[k] });
          });
        },
        reading: (i) => readingOf(data, i, options),
      };
    },
  };
}
