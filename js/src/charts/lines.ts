import type { Dependence } from "../views/dependence/reader.ts";
import type { Look } from "./classes.ts";

/** Its ends are whole pixels, because browsers draw far slower within a part of a pixel. */
export interface LineSpace {
  /** Pixels of each grid point. */
  x: number[];
  y(value: number): number;
  width: number;
  height: number;
  left: number;
  top: number;
  /** Pixel of any value along the axis. */
  place(value: number): number;
}

/** Pixels by which a line may miss the point before the next one that is drawn, and others by less than twice as many. */
const UNSEEN = 0.25;

/** Draws with the colours of the lines' styles. */
export type Painter = (context: CanvasRenderingContext2D, colours: string[]) => void;

/** Draws all lines, or over them. */
export type Overlay = (
  context: CanvasRenderingContext2D,
  colours: string[],
  data: Dependence,
  space: LineSpace,
) => void;

/** More lines than this are slow to stroke, so a part draws them. */
export const MANY = 500;

/** Opacity of a line: it decreases with the number of lines and increases with the row's stress weight. */
export const opacity = (weight: number, lines: number): number =>
  Math.min(0.9, Math.min(0.5, 2.6 / Math.sqrt(Math.max(1, lines))) * weight);

/** Pixels along its dashes at which a line begins; each begins elsewhere, for dashes above each other look like stripes. */
export const dashOffset = (line: number): number => line * Math.SQRT2;

/** The style of a line; classes without their own style share the last one. */
export const lookAt = ({ iceClass, lineLooks }: Dependence, line: number): number =>
  Math.min(lineLooks.length - 1, iceClass[line] ?? 0);

/** A canvas for a mark of every row; it redraws a thousand of them in a few milliseconds, faster than SVG elements. */
export function lineCanvas() {
  const element = document.createElement("canvas");
  element.className = "uq-ice";
  element.setAttribute("aria-hidden", "true");
  // Reading them in every frame would compute the page's styles in each.
  let colours: string[] = [];
  let shown: string | null = null;

  const coloursOf = (looks: readonly Look[]): string[] => {
    const theme = element.closest<HTMLElement>("[data-theme]")?.dataset.theme;
    const key = theme ? `${theme} ${looks.map(({ colour }) => colour)}` : null;
    if (key === null || key !== shown) {
      shown = key;
      const style = getComputedStyle(element);
      colours = looks.map(({ colour }) => style.getPropertyValue(colour).trim());
    }
    return colours;
  };

  return {
    element,
    /** Clears the canvas, clips it to the space, and calls `draw` for every row with its stroke set. */
    update(
      data: Dependence,
      space: Pick<LineSpace, "width" | "height" | "left" | "top">,
      fullWidth: number,
      fullHeight: number,
      draw: (context: CanvasRenderingContext2D, line: number, look: number) => void,
      { dashed = true, all = null as Painter | null, overlay = null as Painter | null } = {},
    ): void {
      const ratio = globalThis.devicePixelRatio || 1;
      const [w, hgt] = [Math.round(fullWidth * ratio), Math.round(fullHeight * ratio)];
      if (element.width !== w || element.height !== hgt) {
        element.width = w;
        element.height = hgt;
        element.style.width = `${fullWidth}px`;
        element.style.height = `${fullHeight}px`;
      }
      const context = element.getContext?.("2d");
      if (!context) return;
      const { lineLooks: looks } = data;
      const strokes = coloursOf(looks);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, fullWidth, fullHeight);
      context.save();
      context.beginPath();
      context.rect(space.left - 1, space.top - 1, space.width + 2, space.height + 2);
      context.clip();
      context.lineJoin = "round";
      const lines = data.iceWeight.length;
      context.lineWidth = dashed ? 1 : 1.5;
      all?.(context, strokes);
      let styled = -1;
      for (let line = 0; line < (all ? 0 : lines); line++) {
        const look = lookAt(data, line);
        context.globalAlpha = opacity(data.iceWeight[line] ?? 1, lines);
        if (context.globalAlpha < 0.004) continue;
        if (look !== styled) {
          styled = look;
          context.strokeStyle = strokes[look] || "gray";
          context.setLineDash(dashed ? [...(looks[look]?.dash ?? [])] : []);
        }
        context.lineDashOffset = dashOffset(line);
        context.beginPath();
        draw(context, line, look);
        context.stroke();
      }
      overlay?.(context, strokes);
      context.restore();
    },
  };
}

/** Draws one ICE line on a canvas, with gaps where its values are missing; without points that lie on the way to the next. */
export function trace(
  context: CanvasRenderingContext2D,
  ice: Float32Array,
  line: number,
  { x, y }: LineSpace,
): void {
  const height = (i: number) => (i < x.length ? y(ice[line * x.length + i] as number) : Number.NaN);
  /** The last point that is drawn, and its height, which is NaN in a gap. */
  let last = 0;
  let from = Number.NaN;
  let now = height(0);
  for (let i = 0; i < x.length; i++) {
    const [here, next] = [x[i] as number, height(i + 1)];
    const start = x[last] as number;
    const passed = from + ((here - start) / ((x[i + 1] as number) - start)) * (next - from);
    // NaN, and so false, beside a gap and at the ends. Several points in a row could be off by more.
    const isOnTheWay = Math.abs(passed - now) < UNSEEN && i - last < 4;
    if (!isOnTheWay) {
      if (Number.isFinite(now)) context[Number.isFinite(from) ? "lineTo" : "moveTo"](here, now);
      [last, from] = [i, now];
    }
    now = next;
  }
}
