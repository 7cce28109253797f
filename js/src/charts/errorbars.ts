import "./points.css";
import { pool, set, svg } from "../widget/dom.ts";

const circle = () => svg("circle", { r: 4 });

/** Points with error bars for categories, which have no order for a line. */
export function errorBars(className = "uq-points", mark: () => Element = circle) {
  const element = svg("g", { class: className });
  const points = pool(element, () => {
    const ghost = svg("line", { class: "uq-ghost", x1: -9, x2: 9 });
    const [bar, dot] = [svg("line"), mark()];
    return { element: svg("g", {}, ghost, bar, dot), ghost, bar, dot };
  });
  return {
    element,
    update(
      x: number[],
      y: number[],
      low: number[],
      high: number[],
      base: number[] | null,
      near: ArrayLike<number>,
    ): void {
      points(x.length).forEach(({ element, ghost, bar, dot }, i) => {
        const shown = Number.isFinite(y[i]);
        set(element, { transform: `translate(${x[i]?.toFixed(1)},0)` });
        set(dot, {
          transform: shown ? `translate(0,${y[i]?.toFixed(1)})` : null,
          visibility: shown ? null : "hidden",
          class: near[i] ? null : "uq-hollow",
        });
        const ranged = shown && Number.isFinite(low[i]) && Number.isFinite(high[i]);
        set(bar, { visibility: ranged ? null : "hidden" });
        if (ranged) set(bar, { y1: low[i]?.toFixed(1), y2: high[i]?.toFixed(1) });
        const at = base?.[i];
        const ghostly = at !== undefined && Number.isFinite(at);
        set(ghost, { visibility: ghostly ? null : "hidden" });
        if (ghostly) set(ghost, { y1: at.toFixed(1), y2: at.toFixed(1) });
      });
    },
  };
}
