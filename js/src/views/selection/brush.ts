import { set, svg } from "../../widget/dom.ts";

/** A box in the pixels of a chart. */
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** What lies in a chart: its marks by number. */
export interface Marks {
  /** The area in which a box can be drawn. */
  area: Box;
  nearest(x: number, y: number): number | null;
  within(box: Box): number[];
}

/** Pixels that a pointer moves before a click becomes a box. */
const CLICK = 4;

/**
 * Hover, click and box over the marks of a chart. `marks` returns them as they are drawn now; `adds` says whether Shift
 * or Ctrl was held, which adds to what is selected.
 */
export function brush(
  element: HTMLElement,
  overlay: SVGSVGElement,
  marks: () => Marks | null,
  onHover: (mark: number | null, x: number, y: number) => void,
  onPick: (picked: number[], adds: boolean, isBox: boolean) => void,
  signal: AbortSignal,
): void {
  const box = svg("rect", { class: "uq-brush", visibility: "hidden" });
  overlay.append(box);
  let start: { x: number; y: number } | null = null;
  let drawn: Box | null = null;
  const place = (event: PointerEvent) => {
    const { left, top } = element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const show = (next: Box | null) => {
    drawn = next;
    set(box, { visibility: next ? null : "hidden" });
    if (!next) return;
    const { left, right, top, bottom } = next;
    set(box, { x: left, y: top, width: right - left, height: bottom - top });
  };
  const on = (
    type: "pointerdown" | "pointermove" | "pointerup" | "pointerleave" | "pointercancel",
    run: (event: PointerEvent) => void,
  ) => element.addEventListener(type, run, { signal });

  on("pointerdown", (event) => {
    const { area } = marks() ?? {};
    const { x, y } = place(event);
    const isInside = area && x >= area.left && x <= area.right && y >= area.top && y <= area.bottom;
    if (event.button === 0 && isInside) start = { x, y };
  });
  on("pointermove", (event) => {
    const now = marks();
    const { x, y } = place(event);
    if (!start || !now) {
      onHover(now?.nearest(x, y) ?? null, x, y);
      return;
    }
    if (!drawn && Math.hypot(x - start.x, y - start.y) < CLICK) return;
    if (!drawn) {
      onHover(null, x, y);
      // A box that is drawn beyond the chart ends there.
      element.setPointerCapture?.(event.pointerId);
    }
    const { area } = now;
    const inside = (value: number, low: number, high: number) =>
      Math.min(high, Math.max(low, value));
    const [x1, y1] = [inside(x, area.left, area.right), inside(y, area.top, area.bottom)];
    show({
      left: Math.min(start.x, x1),
      right: Math.max(start.x, x1),
      top: Math.min(start.y, y1),
      bottom: Math.max(start.y, y1),
    });
  });
  on("pointerup", (event) => {
    const now = marks();
    const adds = event.shiftKey || event.ctrlKey || event.metaKey;
    if (start && now) {
      const { x, y } = place(event);
      const mark = now.nearest(x, y);
      if (drawn) onPick(now.within(drawn), adds, true);
      else if (mark !== null) onPick([mark], adds, false);
    }
    start = null;
    show(null);
  });
  on("pointercancel", () => {
    start = null;
    show(null);
  });
  on("pointerleave", () => onHover(null, 0, 0));
}
