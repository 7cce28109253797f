import type { ScaleLinear } from "d3-scale";
import { clipBox, set, svg } from "../widget/dom.ts";
import { axes, setFitted, type Tick } from "./axis.ts";

const TOP = 20;
const PLOT = 190;
export const DIAGONAL_HEIGHT = TOP + PLOT + 38;

export interface Square {
  x: ScaleLinear<number, number>;
  y: ScaleLinear<number, number>;
  top: number;
  left: number;
  width: number;
}

/** A chart of predicted against observed values with the line on which both agree. */
export function diagonal(...marks: Element[]) {
  const { left, bottom, update: drawAxes } = axes();
  const equal = svg("line", { class: "uq-diagonal" });
  const clip = clipBox(equal, ...marks);
  const yTitle = svg("text", { class: "uq-title", y: 11 });
  const xTitle = svg("text", {
    class: "uq-title",
    "text-anchor": "middle",
    y: DIAGONAL_HEIGHT - 4,
  });
  const element = svg(
    "svg",
    { height: DIAGONAL_HEIGHT, "aria-hidden": "true" },
    left,
    bottom,
    clip.element,
    yTitle,
    xTitle,
  );
  return {
    element,
    /** Lays out both axes from `low` to `high` and returns the area of the marks. */
    update(
      scale: (range: [number, number]) => ScaleLinear<number, number>,
      titles: [string, string],
      width: number,
      ticks?: (scale: ScaleLinear<number, number>) => Tick[],
    ): Square {
      const y = scale([TOP + PLOT, TOP]);
      const box = { top: TOP, height: PLOT, width };
      const { x, margin, inner } = drawAxes(y, box, scale, ticks, undefined, ticks?.(y));
      set(element, { width });
      clip.update(margin - 6, TOP - 6, inner + 12, PLOT + 12);
      const [low = 0, high = 1] = x.domain();
      set(equal, { x1: x(low), y1: y(low), x2: x(high), y2: y(high) });
      setFitted(xTitle, titles[0], inner);
      setFitted(yTitle, titles[1], width);
      set(xTitle, { x: margin + inner / 2 });
      return { x, y, top: TOP, left: margin, width: inner };
    },
  };
}
