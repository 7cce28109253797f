import { pool, set, svg } from "../widget/dom.ts";
import { place } from "./marks.ts";

/** Points with error bars, which no line joins. */
export function errorBars(className: string, r: number) {
  const element = svg("g", { class: className });
  const points = pool(element, () => {
    const [bar, dot] = [svg("line"), svg("circle", { r })];
    return { element: svg("g", {}, bar, dot), bar, dot };
  });
  return {
    element,
    update(x: number[], y: number[], low: number[], high: number[]): void {
      points(x.length).forEach(({ element, bar, dot }, i) => {
        set(element, { transform: `translate(${x[i]?.toFixed(1)},0)` });
        place(dot, [y[i]], () => ({ cy: y[i]?.toFixed(1) }));
        place(bar, [y[i], low[i], high[i]], () => ({
          y1: low[i]?.toFixed(1),
          y2: high[i]?.toFixed(1),
        }));
      });
    },
  };
}
