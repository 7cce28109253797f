import { type ScaleLinear, scaleLinear } from "d3-scale";
import type { Bounds } from "../session/modelInfo.ts";

/** Smallest and largest finite number of some arrays, or null where there is none. */
export function extent(...arrays: ArrayLike<number>[]): [number, number] | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const array of arrays)
    for (let i = 0; i < array.length; i++) {
      const value = array[i] as number;
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  return low <= high ? [low, high] : null;
}

/** Farthest end of an axis, and its least length; beyond them d3 makes ticks that are no numbers. */
const [FAR, LEAST] = [8e307, 1e-300];

/** A linear scale; what lies beyond the farthest end is drawn there. */
export function linear([low, high]: [number, number], range: [number, number]) {
  const inside = (end: number) => Math.min(FAR, Math.max(-FAR, end));
  const [from, to] = [inside(low), inside(high)];
  const least = Math.max(LEAST, 1e-12 * Math.abs(from));
  return scaleLinear([from, Math.max(to, from + least)], range).clamp(Math.max(-from, to) >= FAR);
}

/**
 * Domain of lines with room for their intervals: as much as the lines take, or `least`. So the lines keep a third of
 * the height unless most intervals are longer.
 */
export function roomFor(
  lines: [number, number] | null,
  { low, high }: { low: ArrayLike<number>; high: ArrayLike<number> },
  least = 0,
): [number, number] | null {
  const ends = extent(low, high);
  if (!lines || !ends) return lines;
  // If all lines are constant, the interval determines the domain.
  const room = Math.max(lines[1] - lines[0], least) || Number.POSITIVE_INFINITY;
  return [
    Math.min(lines[0], Math.max(ends[0], lines[0] - room)),
    Math.max(lines[1], Math.min(ends[1], lines[1] + room)),
  ];
}

/**
 * An axis domain that is stable under a moving slider: it grows when the data leave it and shrinks only when they
 * fill less than about half of it. Another `key` (measure, feature) resets it. Intervals are clipped at `bounds`,
 * the range of possible values.
 */
export class SteadyScale {
  #key: string | null = null;
  #domain: [number, number] = [0, 1];

  fit(
    key: string,
    shown: [number, number] | null,
    range: [number, number],
    bounds: Bounds = [null, null],
  ): ScaleLinear<number, number> {
    const least = bounds[0] ?? Number.NEGATIVE_INFINITY;
    const most = bounds[1] ?? Number.POSITIVE_INFINITY;
    const inside = (value: number) => Math.min(most, Math.max(least, value));
    if (shown) {
      const [low, high] = [inside(shown[0]), inside(shown[1])];
      const [start, end] = this.#domain;
      const fits =
        key === this.#key && low >= start && high <= end && high - low >= 0.55 * (end - start);
      if (!fits) {
        // A constant value is drawn in the middle of the axis, and zero at its bottom.
        const room = high > low ? 0 : Math.abs(low) * 0.05;
        const top = high > low || low !== 0 ? high + room : 1;
        const nice = linear([low - room, top], range)
          .nice(6)
          .domain();
        this.#domain = nice.map(inside) as [number, number];
        this.#key = key;
      }
    }
    return linear(this.#domain, range);
  }
}
