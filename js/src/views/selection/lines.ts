import type { LinePlot } from "../view.ts";
import type { Box, Marks } from "./brush.ts";
import { millisecondsOf } from "./moments.ts";

/** Pixels from a line within which it is hit. */
const NEAR = 7;

const valueAt = ({ data, space }: LinePlot, line: number, i: number): number =>
  space.y(data.ice[line * data.grid.length + i] ?? Number.NaN);

/** Height of a line at a place, NaN where it has none. */
function heightAt(plot: LinePlot, line: number, x: number): number {
  const { x: xs } = plot.space;
  const last = xs.length - 1;
  let i = xs.findIndex((place) => place >= x);
  if (i < 0) i = last;
  if (i === 0) return x < (xs[0] ?? 0) - NEAR ? Number.NaN : valueAt(plot, line, 0);
  const [from, to] = [xs[i - 1] as number, xs[i] as number];
  const share = to > from ? Math.min(1, (x - from) / (to - from)) : 1;
  return valueAt(plot, line, i - 1) * (1 - share) + valueAt(plot, line, i) * share;
}

/** Whether a line passes through a box. */
function passes(plot: LinePlot, line: number, box: Box): boolean {
  const { x: xs } = plot.space;
  const hits = (a: number, b: number) => Math.max(a, b) >= box.top && Math.min(a, b) <= box.bottom;
  // The heights at both ends of the box, and at the grid's points between them.
  const inside = xs.filter((x) => x > box.left && x < box.right);
  const places = [Math.max(box.left, xs[0] ?? 0), ...inside, Math.min(box.right, xs.at(-1) ?? 0)];
  const heights = places.map((x) => heightAt(plot, line, x));
  return heights.some((y, i) => hits(y, heights[i + 1] ?? y));
}

/** The lines of rows as marks. */
export function lineMarks(plot: LinePlot): Marks {
  const { data, space } = plot;
  const count = data.iceRow.length;
  const all = Array.from({ length: count }, (_, line) => line);
  const { left, top, width, height } = space;
  return {
    area: { left, right: left + width, top, bottom: top + height },
    nearest(x, y) {
      let best: number | null = null;
      let distance = NEAR;
      for (const line of all) {
        const away = Math.abs(heightAt(plot, line, x) - y);
        if (away < distance) [best, distance] = [line, away];
      }
      return best;
    },
    within: (box) => all.filter((line) => passes(plot, line, box)),
  };
}

/** The path of a line. */
export function pathOf(plot: LinePlot, line: number): string {
  const { x: xs } = plot.space;
  let isDrawing = false;
  return xs
    .map((x, i) => {
      const y = valueAt(plot, line, i);
      if (!Number.isFinite(y)) {
        isDrawing = false;
        return "";
      }
      const step = `${isDrawing ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`;
      isDrawing = true;
      return step;
    })
    .join("");
}

/** The outline of the selected rows' share of each bar. */
export function sharesPath({ data, spans, bars }: LinePlot): string {
  const { selected, counts, countsBase, bins } = data;
  if (!selected) return "";
  const widths = spans.map(([left, right]) => Math.max(1e-9, right - left));
  const density = (shares: Float64Array) =>
    widths.map((width, bin) => {
      let sum = 0;
      for (let i = bin; i < shares.length; i += bins) sum += shares[i] || 0;
      return sum / width;
    });
  const peak = Math.max(...density(counts), ...density(countsBase)) || 1;
  return density(selected)
    .map((tall, bin) => {
      const [left, right] = spans[bin] as [number, number];
      const height = (tall / peak) * (bars[1] - bars[0]);
      return height > 0 ? `M${left},${bars[1]}v${-height}H${right}v${height}z` : "";
    })
    .join("");
}

/** The place of a value of the feature on the axis of its curve; null where it has none. */
export function placeOf({ data, space }: LinePlot, value: number | string | null): number | null {
  const place = typeof value === "string" && data.time ? millisecondsOf(value) : value;
  if (place === null) return null;
  if (typeof place === "string") {
    const i = data.labels?.indexOf(place) ?? -1;
    return space.x[i] ?? null;
  }
  const [last, end] = [data.grid.length - 1, space.x.at(-1) ?? 0];
  const [low = 0, high = 0] = [data.grid[0], data.grid[last]];
  if (data.labels || high <= low) return null;
  const start = space.x[0] ?? 0;
  return start + ((place - low) / (high - low)) * (end - start);
}
