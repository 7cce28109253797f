import type { PointPlot } from "../view.ts";
import { brush } from "./brush.ts";
import { overlay } from "./overlay.ts";

/** Pixels from a point within which it is hit. */
const NEAR = 8;
const RADIUS = 4.5;

/** Selection among the points of single rows, such as predictions against true values. */
export function pointSelection(
  select: (rows: number[], adds?: boolean) => void,
  nameOf: (row: number) => string,
  signal: AbortSignal,
) {
  const layer = overlay();
  const marked = layer.path("uq-selected-points");
  let plot: PointPlot | null = null;
  let attached: HTMLElement | null = null;

  const ring = (i: number) => {
    const [x, y] = [plot?.x[i] ?? 0, plot?.y[i] ?? 0];
    return `M${(x - RADIUS).toFixed(1)},${y.toFixed(1)}a${RADIUS},${RADIUS} 0 1,0 ${2 * RADIUS},0a${RADIUS},${RADIUS} 0 1,0 ${-2 * RADIUS},0`;
  };
  const marks = () => {
    if (!plot?.x.length) return null;
    const { x: xs, y: ys } = plot;
    const all = xs.map((_, i) => i);
    return {
      area: {
        left: Math.min(...xs) - NEAR,
        right: Math.max(...xs) + NEAR,
        top: Math.min(...ys) - NEAR,
        bottom: Math.max(...ys) + NEAR,
      },
      nearest(x: number, y: number) {
        let best: number | null = null;
        let distance = NEAR;
        for (const i of all) {
          const away = Math.hypot((xs[i] ?? 0) - x, (ys[i] ?? 0) - y);
          if (away < distance) [best, distance] = [i, away];
        }
        return best;
      },
      within: (box: { left: number; right: number; top: number; bottom: number }) =>
        all.filter((i) => {
          const [x, y] = [xs[i] ?? 0, ys[i] ?? 0];
          return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
        }),
    };
  };
  const attach = (element: HTMLElement) => {
    if (element === attached) return;
    attached = element;
    element.classList.add("uq-selectable");
    layer.attach(element);
    brush(
      element,
      layer.element,
      marks,
      (i, x, y) => layer.say(i === null ? "" : nameOf(plot?.rows[i] ?? -1), x, y),
      (picked, adds) => {
        const rows = picked.map((i) => plot?.rows[i] ?? -1).filter((row) => row >= 0);
        if (rows.length) select(rows, adds);
      },
      signal,
    );
  };
  return {
    update(next: PointPlot | null, rows: number[]): void {
      plot = next;
      if (!next) return;
      attach(next.element);
      const isSelected = new Set(rows);
      const places = Array.from(next.rows, (row, i) => (isSelected.has(row) ? ring(i) : ""));
      marked.update(places.join(""));
    },
  };
}
