import type { Dependence } from "../views/dependence/reader.ts";
import { lookOf, OWN_LOOKS } from "./classes.ts";

export interface LineSpace {
  /** Pixels of each grid point. */
  x: number[];
  y(value: number): number;
  width: number;
  height: number;
  left: number;
  top: number;
  /** Width in pixels of one category, or null for a numeric feature. */
  band: number | null;
}

/** Opacity of a line: it decreases with the number of lines and increases with the row's stress weight. */
export const opacity = (weight: number, lines: number): number =>
  Math.min(0.9, Math.min(0.5, 2.6 / Math.sqrt(Math.max(1, lines))) * weight);

/** ICE lines on a canvas, which redraws a thousand lines in a few milliseconds, faster than SVG elements. */
export function iceLines() {
  const element = document.createElement("canvas");
  element.className = "uq-ice";
  element.setAttribute("aria-hidden", "true");
  // Reading them in every frame would compute the page's styles in each.
  let looks: { colour: string; dash: readonly number[] }[] = [];
  let theme: string | undefined;
  return {
    element,
    update(data: Dependence, space: LineSpace, fullWidth: number, fullHeight: number): void {
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
      const shown = element.closest<HTMLElement>("[data-theme]")?.dataset.theme;
      if (!shown || shown !== theme) {
        theme = shown;
        const style = getComputedStyle(element);
        // Classes without their own style share the last one.
        looks = Array.from({ length: OWN_LOOKS + 1 }, (_, i) => {
          const { colour, dash } = lookOf(i);
          return { colour: style.getPropertyValue(colour).trim() || "gray", dash };
        });
      }
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, fullWidth, fullHeight);
      context.save();
      context.beginPath();
      context.rect(space.left - 1, space.top - 1, space.width + 2, space.height + 2);
      context.clip();
      context.lineJoin = "round";
      const points = data.grid.length;
      const lines = data.iceWeight.length;
      const lookAt = (line: number) => Math.min(OWN_LOOKS, data.iceClass[line] ?? 0);
      const classes = Math.min(OWN_LOOKS, Math.max(0, ...data.iceClass)) + 1;
      for (let line = 0; line < lines; line++) {
        const group = lookAt(line);
        const { colour, dash } = looks[group] as (typeof looks)[number];
        context.globalAlpha = opacity(data.iceWeight[line] ?? 1, lines);
        if (context.globalAlpha < 0.004) continue;
        context.strokeStyle = colour;
        context.beginPath();
        if (space.band === null) {
          context.lineWidth = 1;
          context.setLineDash([...dash]);
          trace(context, data.ice, line * points, space);
        } else {
          context.lineWidth = 1.5;
          ticks(context, data.ice, line * points, space, space.band, group, classes);
        }
        context.stroke();
      }
      context.restore();
    },
  };
}

function trace(
  context: CanvasRenderingContext2D,
  ice: Float32Array,
  from: number,
  space: LineSpace,
) {
  let drawing = false;
  for (let i = 0; i < space.x.length; i++) {
    const value = ice[from + i] as number;
    if (!Number.isFinite(value)) {
      drawing = false;
      continue;
    }
    const [x, y] = [space.x[i] as number, space.y(value)];
    if (drawing) context.lineTo(x, y);
    else context.moveTo(x, y);
    drawing = true;
  }
}

/** Draws ICE values of categories as a short tick per row, the classes side by side. */
function ticks(
  context: CanvasRenderingContext2D,
  ice: Float32Array,
  from: number,
  space: LineSpace,
  band: number,
  group: number,
  classes: number,
) {
  const slot = (band * 0.7) / classes;
  for (let i = 0; i < space.x.length; i++) {
    const value = ice[from + i] as number;
    if (!Number.isFinite(value)) continue;
    const left = (space.x[i] as number) - band * 0.35 + slot * group;
    const y = space.y(value);
    context.moveTo(left + slot * 0.1, y);
    context.lineTo(left + slot * 0.9, y);
  }
}
