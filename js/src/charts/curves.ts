import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import { clipBox, pool, set, svg } from "../dom.ts";
import { interval, isolated, isolatedIn, number, withUnit } from "../format.ts";
import type { Averages } from "../frame.ts";
import type { Bounds } from "../modelInfo.ts";
import type { Dependence } from "../views/dependence/reader.ts";
import { axis, clipped, labelWidth, setFitted, type Tick, ticksOf } from "./axis.ts";
import type { Readable } from "./crosshair.ts";
import { distribution } from "./distribution.ts";
import { extent, SteadyScale } from "./domain.ts";
import { errorBars } from "./errorbars.ts";
import { iceLines, type LineSpace } from "./lines.ts";
import { DIAMOND } from "./marks.ts";

const TOP = 22;
const PLOT = 190;
const GAP = 8;
const SHARES = 40;
const RIGHT = 12;
/** Horizontal offset of the model's and the learner's points from the middle of a category. */
const APART = 7;
/** Pixels below which a category's own slot is too narrow for its name; and those that a name takes at most then. */
const NARROW = 30;
const LONGEST = 96;
export const CURVES_HEIGHT = TOP + PLOT + GAP + SHARES + 36;

/** The ghost: the curve of a pin. */
export interface Ghostly {
  grid: Float64Array;
  value: Float64Array;
  /** Value of the ghost at a point of the current grid, NaN where it has none. */
  at(i: number): number;
}

const list = (values: ArrayLike<number>, scale: (value: number) => number) =>
  Array.from(values, (value) => (Number.isFinite(value) ? scale(value) : Number.NaN));

/** The name of a grid point: its category, or its value. */
export const gridLabel = (data: Dependence, i: number): string =>
  data.labels?.[i] ?? number(data.grid[i]);

const rangeAt = ({ low, high }: { low: Float64Array; high: Float64Array }, i: number): string =>
  interval(low[i] ?? Number.NaN, high[i] ?? Number.NaN);

/** PD with its band, and the learner's with its own, over the ICE lines; below the distribution of the feature on the same axis. */
export function curves() {
  const ice = iceLines();
  const left = axis("left");
  const bottom = axis("bottom");
  const shares = distribution();
  const band = svg("path", { class: "uq-band" });
  const halo = svg("path", { class: "uq-halo" });
  const ghost = svg("path", { class: "uq-ghost" });
  const pinned = svg("path", { class: "uq-pin-line" });
  const pinnedPoints = errorBars("uq-points uq-pin-points");
  const far = svg("path", { class: "uq-far" });
  const average = svg("path", { class: "uq-average" });
  const zero = svg("line", { class: "uq-zero" });
  const points = errorBars();
  const learnerBand = svg("path", { class: "uq-learner-band" });
  const learnerHalo = svg("path", { class: "uq-halo" });
  const learnerLine = svg("path", { class: "uq-learner-line" });
  const learnerPoints = errorBars("uq-points uq-learner", () => svg("path", { d: DIAMOND }));
  const box = clipBox(
    zero,
    learnerBand,
    band,
    learnerHalo,
    halo,
    ghost,
    pinned,
    learnerLine,
    far,
    average,
    pinnedPoints.element,
    points.element,
    learnerPoints.element,
  );
  const rule = svg("line", { class: "uq-crosshair", visibility: "hidden" });
  const dots = svg("g", { class: "uq-crosshair" });
  const dot = pool(dots, () => svg("circle", { r: 4 }));
  const yTitle = svg("text", { class: "uq-title", y: 11 });
  const xTitle = svg("text", { class: "uq-title", "text-anchor": "middle", y: CURVES_HEIGHT - 4 });
  const element = svg(
    "svg",
    { class: "uq-curves", height: CURVES_HEIGHT, "aria-hidden": "true" },
    left.element,
    box.element,
    shares.element,
    bottom.element,
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
      stressed: boolean,
      learner: Averages | null = null,
      bounds: Bounds = [null, null],
      ghostly: Ghostly | null = null,
      clips = false,
    ): Readable {
      const compared = data.center || data.derivative;
      // A constant feature has one grid point, which is drawn as a point without line.
      const single = !data.categorical && data.grid.length === 1;
      const lined = !data.categorical && !single;
      const ground = compared ? [0] : [];
      const beside = learner ? [learner.value, learner.low, learner.high] : [];
      const own = [clips ? [] : data.ice, data.low, data.high, data.average, data.base];
      const shown = extent(...own, ...beside, ground, ghostly?.value ?? []);
      const range: [number, number] = [TOP + PLOT, TOP];
      // Centred curves and slopes do not have the bounds of the measure.
      const ends: Bounds = compared ? [null, null] : bounds;
      const y = steady.fit(`${data.label} ${data.feature} ${clips}`, shown, range, ends);
      const yTicks = ticksOf(y, PLOT, 40);
      const margin = labelWidth(yTicks.map(({ label }) => label)) + 14;
      const inner = Math.max(40, width - margin - RIGHT);
      const count = data.grid.length;
      const slot = data.categorical ? inner / Math.max(1, count) : null;
      const [low, high] = extent(data.grid, data.edges ?? []) ?? [0, 1];
      const xScale = scaleLinear([low, high === low ? low + 1 : high], [margin, margin + inner]);
      const place = (value: number, i: number) =>
        slot === null ? xScale(value) : margin + (i + 0.5) * slot;
      const x = Array.from(data.grid, place);
      // Of many categories or dates, only as many are labelled as there is room for.
      const names = slot === null ? [] : x.map((_, i) => gridLabel(data, i));
      const step =
        slot === null || slot >= NARROW
          ? 1
          : Math.ceil((Math.min(LONGEST, labelWidth(names)) + 12) / slot);
      const xTicks: Tick[] =
        slot === null
          ? ticksOf(xScale, inner, 64)
          : x.flatMap((at, i) => {
              const label = clipped(names[i] ?? "", step * slot - 6);
              // The last label may be closer to the edge than its width.
              const fits = step === 1 || at + labelWidth([label]) / 2 <= width;
              return i % step === 0 && fits ? [{ at, label }] : [];
            });

      set(element, { width });
      set(left.element, { transform: `translate(${margin.toFixed(1)},0)` });
      left.update(yTicks, inner);
      const floor = TOP + PLOT + GAP + SHARES;
      set(bottom.element, { transform: `translate(0,${floor})` });
      bottom.update(xTicks, 4);
      box.update(margin - 6, TOP - 4, inner + 12, PLOT + 8);
      const title = isolatedIn(withUnit(data.label, data.unit), data.feature);
      setFitted(yTitle, title, width);
      setFitted(xTitle, data.feature, inner);
      set(xTitle, { x: (margin + inner / 2).toFixed(1) });

      const space: LineSpace = {
        x,
        y,
        width: inner,
        height: PLOT,
        left: margin,
        top: TOP,
        band: single ? inner / 4 : slot,
      };
      ice.update(data, space, width, CURVES_HEIGHT);

      const ys = list(data.average, y);
      const lows = list(data.low, y);
      const highs = list(data.high, y);
      const bases = list(data.base, y);
      const at = (values: number[], places = x) =>
        line<number>()
          .defined((_, i) => Number.isFinite(values[i]))
          .x((_, i) => places[i] ?? 0)
          .y((_, i) => values[i] ?? 0)(values);
      const between = (from: number[], to: number[]) =>
        area<number>()
          .defined((_, i) => Number.isFinite(from[i]) && Number.isFinite(to[i]))
          .x((_, i) => x[i] ?? 0)
          .y0((_, i) => from[i] ?? 0)
          .y1((_, i) => to[i] ?? 0)(from);
      set(band, { d: lined ? between(lows, highs) : null });
      set(halo, { d: lined ? at(ys) : null });
      // The solid line covers the dotted one except where few rows are near.
      const solid = ys.map((value, i) => (data.near[i] ? value : Number.NaN));
      set(average, { d: lined ? at(solid) : null });
      set(far, { d: lined && !data.near.every(Boolean) ? at(ys) : null });
      set(zero, {
        x1: margin,
        x2: margin + inner,
        y1: y(0).toFixed(1),
        y2: y(0).toFixed(1),
        visibility: compared ? null : "hidden",
      });
      set(ghost, { d: lined && stressed ? at(bases) : null });
      const pinnedX = Array.from(ghostly?.grid ?? [], place);
      const pinnedY = list(ghostly?.value ?? [], y);
      set(pinned, { d: lined ? at(pinnedY, pinnedX) : null });
      pinnedPoints.update(lined ? [] : pinnedX, pinnedY, [], [], null, []);
      const [means = [], froms = [], tos = []] = beside.map((values) => list(values, y));
      const drawn = lined && learner !== null;
      set(learnerBand, { d: drawn ? between(froms, tos) : null });
      set(learnerHalo, { d: drawn ? at(means) : null });
      set(learnerLine, { d: drawn ? at(means) : null });
      if (lined) points.update([], [], [], [], null, []);
      else {
        const shifted = x.map((middle) => middle - (learner ? APART : 0));
        points.update(shifted, ys, lows, highs, stressed ? bases : null, data.near);
      }
      const places = lined || !learner ? [] : x.map((middle) => middle + APART);
      learnerPoints.update(places, means, froms, tos, null, data.near);

      const { edges } = data;
      const spans = Array.from({ length: data.bins }, (_, i): [number, number] =>
        edges
          ? [xScale(edges[i] ?? 0), xScale(edges[i + 1] ?? 0)]
          : [(x[i] ?? 0) - (slot ?? 0) * 0.35, (x[i] ?? 0) + (slot ?? 0) * 0.35],
      );
      shares.update(
        {
          counts: data.counts,
          countsBase: data.countsBase,
          bins: data.bins,
          spans,
          ghost: stressed,
        },
        TOP + PLOT + GAP,
        SHARES,
      );

      return {
        name: `Read ${isolatedIn(data.label, data.feature)} along ${isolated(data.feature)}`,
        positions: x,
        width,
        top: TOP,
        mark(i) {
          const here = i === null ? undefined : x[i];
          set(rule, { visibility: here === undefined ? "hidden" : null });
          if (here !== undefined) set(rule, { x1: here, x2: here, y1: TOP, y2: floor });
          const heights = i === null || !lined ? [] : [ys[i], means[i]].filter(Number.isFinite);
          dot(heights.length).forEach((circle, k) => {
            set(circle, { cx: here, cy: heights[k] });
          });
        },
        reading: (i) => ({
          title: `${isolated(data.feature)} = ${isolated(gridLabel(data, i))}`,
          rows: [
            [isolatedIn(data.label, data.feature), number(data.average[i])],
            ["interval", rangeAt(data, i)],
            ...(learner
              ? ([
                  ["learner", number(learner.value[i])],
                  ["its interval", rangeAt(learner, i)],
                ] as [string, string][])
              : []),
            ...(stressed ? [["at τ = 0", number(data.base[i])] as [string, string]] : []),
            ...(ghostly ? [["pin", number(ghostly.at(i))] as [string, string]] : []),
            ...(data.near[i] ? [] : [["rows around it", "few"] as [string, string]]),
          ],
        }),
      };
    },
  };
}
