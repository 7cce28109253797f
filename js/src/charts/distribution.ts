import { pool, set, svg } from "../widget/dom.ts";
import type { Look } from "./classes.ts";
import { extent } from "./domain.ts";

export interface Bins {
  /** Row-major (classes, bins): the share of rows. */
  counts: Float64Array;
  countsBase: Float64Array;
  bins: number;
  /** The styles of the classes; all later classes share the last one. */
  looks: Look[];
  /** Left and right pixel of each bin. */
  spans: [number, number][];
  /** Whether the shares without stress differ and are worth an outline. */
  ghost: boolean;
}

/**
 * The feature's distribution as bars stacked by class, with the unstressed outline. The height of a bar is a density
 * (share by width), so that bins of unequal width do not mislead.
 */
export function distribution() {
  const bars = svg("g");
  const rects = pool(bars, () => svg("rect"));
  const outline = svg("path", { class: "uq-ghost" });
  const element = svg("g", { class: "uq-distribution" }, bars, outline);
  return {
    element,
    update(
      { counts, countsBase, bins, looks, spans, ghost }: Bins,
      top: number,
      height: number,
    ): void {
      const classes = bins ? counts.length / bins : 0;
      const density = (shares: Float64Array) =>
        spans.map(([left, right], bin) => {
          let sum = 0;
          for (let c = 0; c < classes; c++) sum += shares[c * bins + bin] || 0;
          return sum / Math.max(1e-9, right - left);
        });
      const now = density(counts);
      const base = density(countsBase);
      const peak = extent(now, base)?.[1] || 1;
      const styles = Math.min(classes, looks.length);
      const drawn = rects(bins * styles);
      for (let bin = 0; bin < bins; bin++) {
        const [left, right] = spans[bin] as [number, number];
        let y = top + height;
        for (let c = 0; c < styles; c++) {
          let share = 0;
          // All later classes share the last style.
          for (let k = c; k < (c === looks.length - 1 ? classes : c + 1); k++)
            share += counts[k * bins + bin] || 0;
          const tall = (share / Math.max(1e-9, right - left) / peak) * height;
          y -= tall;
          set(drawn[c * bins + bin] as Element, {
            class: looks[c]?.className,
            x: (left + 0.5).toFixed(1),
            width: Math.max(0.5, right - left - 1).toFixed(1),
            y: y.toFixed(1),
            height: tall.toFixed(1),
          });
        }
      }
      const steps = spans.map(([left, right], bin) => {
        const y = (top + height - ((base[bin] ?? 0) / peak) * height).toFixed(1);
        const joined = bin > 0 && Math.abs(left - (spans[bin - 1]?.[1] ?? left)) < 0.01;
        return `${joined ? "L" : "M"}${left.toFixed(1)},${y}H${right.toFixed(1)}`;
      });
      set(outline, { d: ghost && steps.length ? steps.join("") : null });
    },
  };
}
