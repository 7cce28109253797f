import { axes, setFitted, ticksOf } from "../../charts/axis.ts";
import type { Readable } from "../../charts/crosshair.ts";
import { extent, linear, roomFor, SteadyScale } from "../../charts/domain.ts";
import { errorBars } from "../../charts/errorbars.ts";
import { placeLevel, placeUpright } from "../../charts/marks.ts";
import { areaPath, linePath } from "../../charts/paths.ts";
import { timeTicks } from "../../charts/timeTicks.ts";
import { clipBox, set, svg } from "../../widget/dom.ts";
import { interval, number, whole } from "../../widget/format.ts";
import type { Marks } from "../selection/brush.ts";
import type { Line, OverTime } from "./reader.ts";

const TOP = 22;
const PLOT = 130;

/** A time along the axis in words; dates as days. */
export const moment = (at: number, dates: boolean): string =>
  dates && Number.isFinite(at) ? new Date(at).toISOString().slice(0, 10) : number(at);

/** The first and the last time of a period. */
export function periodOf({ start, end, dates }: OverTime, i: number): string {
  const [from, to] = [start, end].map((all) => moment(all[i] ?? Number.NaN, dates));
  return from === to ? `${from}` : `${from} to ${to}`;
}

/** One quantity along time: a band, a line, and the value that all rows have. */
export function timeChart() {
  const { left, bottom, update: drawAxes } = axes();
  const band = svg("path", { class: "uq-band" });
  const line = svg("path", { class: "uq-average" });
  const reference = svg("line", { class: "uq-ghost" });
  const points = errorBars("uq-periods", 3);
  const box = clipBox(band, reference, line);
  const cross = svg("line", {
    class: "uq-crosshair",
    y1: TOP,
    y2: TOP + PLOT,
    visibility: "hidden",
  });
  const title = svg("text", { class: "uq-title", y: 11 });
  const element = svg(
    "svg",
    { height: TOP + PLOT + 26, "aria-hidden": "true" },
    left,
    bottom,
    box.element,
    points.element,
    cross,
    title,
  );
  const steady = new SteadyScale();
  return {
    element,
    update(data: OverTime, shown: Line, width: number): Readable & Marks {
      const { value, low, high } = shown;
      const known = shown.reference === null ? [] : [shown.reference];
      const range = roomFor(extent(value, known), { low, high });
      const y = steady.fit(`${shown.label} ${data.axis}`, range, [TOP + PLOT, TOP]);
      const ends = extent(data.start, data.end) ?? [0, 1];
      const { x, margin, inner } = drawAxes(
        y,
        { top: TOP, height: PLOT, width },
        (pixels) => linear(ends, pixels),
        data.dates
          ? (scale, room) => timeTicks(scale, room, 64)
          : (s, room) => ticksOf(s, room, 64),
        36,
      );
      const at = Array.from(data.middle, (place) => x(place));
      const heights = (values: Float64Array) =>
        Array.from(values, (one) => (Number.isFinite(one) ? y(one) : Number.NaN));
      set(element, { width });
      setFitted(title, shown.label, width);
      box.update(margin - 2, TOP - 2, inner + 4, PLOT + 4);
      set(band, { d: areaPath(at, heights(low), heights(high)) });
      set(line, { d: linePath(at, heights(value)) });
      const level = shown.reference === null ? null : y(shown.reference);
      placeLevel(reference, level, margin, margin + inner);
      const inside = (pixel: number) => Math.min(TOP + PLOT, Math.max(TOP, pixel));
      const ends_ = [low, high].map((all) => heights(all).map(inside)) as [number[], number[]];
      points.update(at, heights(value), ...ends_);
      const nearest = (px: number) => {
        const away = at.map((one) => Math.abs(one - px));
        const best = away.indexOf(Math.min(...away));
        return best < 0 ? null : best;
      };
      return {
        name: `Read ${shown.label} along ${data.axis}`,
        positions: at,
        width,
        top: TOP,
        mark: (i) => placeUpright(cross, i === null ? null : at[i]),
        reading: (i) => ({
          title: periodOf(data, i),
          rows: [
            [shown.label, number(value[i])],
            ["interval", interval(low[i], high[i])],
            ["rows", whole(data.count[i] ?? 0)],
          ],
        }),
        area: { left: margin, right: margin + inner, top: TOP, bottom: TOP + PLOT },
        nearest,
        within: ({ left, right }) =>
          at.flatMap((one, i) => (one >= left && one <= right ? [i] : [])),
      };
    },
  };
}
