import { h, set } from "../widget/dom.ts";
import { type Reading, spoken, tooltip } from "./tooltip.ts";

/** The chart under a crosshair, in the chart's pixels. */
export interface Readable {
  name: string;
  /** Positions of the readable points, from left to right, or from top to bottom if `isVertical`. */
  positions: number[];
  isVertical?: boolean;
  reading(index: number): Reading;
  /** Draws the crosshair at a point, or removes it. */
  mark(index: number | null): void;
  width: number;
  top: number;
}

/**
 * Reads values of a chart by pointer and by keyboard. Its ARIA role is slider, because that is the only
 * role whose arrow keys every screen reader passes on and whose value text it speaks.
 */
export function crosshair(signal: AbortSignal) {
  const card = tooltip();
  const element = h("div", { class: "uq-reader", role: "slider", tabindex: 0, "aria-valuemin": 0 });
  let chart: Readable | null = null;
  let index: number | null = null;

  const show = (next: number | null) => {
    index = next;
    const x = next === null ? undefined : chart?.positions[next];
    if (!chart || next === null || x === undefined) {
      chart?.mark(null);
      card.hide();
      return;
    }
    const reading = chart.reading(next);
    set(element, { "aria-valuenow": next, "aria-valuetext": spoken(reading) });
    chart.mark(next);
    if (chart.isVertical) card.show(reading, 0.3 * chart.width, x + 14, chart.width);
    else card.show(reading, x, chart.top, chart.width);
  };

  const nearest = (x: number): number | null => {
    const positions = chart?.positions ?? [];
    let best: number | null = null;
    positions.forEach((position, i) => {
      if (best === null || Math.abs(position - x) < Math.abs((positions[best] as number) - x))
        best = i;
    });
    return best;
  };

  element.addEventListener(
    "keydown",
    (event) => {
      const last = (chart?.positions.length ?? 0) - 1;
      const steps: Record<string, number> = {
        ArrowRight: (index ?? -1) + 1,
        ArrowUp: chart?.isVertical ? (index ?? 1) - 1 : (index ?? -1) + 1,
        ArrowLeft: (index ?? last + 1) - 1,
        ArrowDown: chart?.isVertical ? (index ?? -1) + 1 : (index ?? last + 1) - 1,
        PageUp: (index ?? -1) + 5,
        PageDown: (index ?? last + 1) - 5,
        Home: 0,
        End: last,
      };
      const target = steps[event.key];
      if (event.key === "Escape") show(null);
      else if (target !== undefined && last >= 0) {
        event.preventDefault();
        show(Math.min(last, Math.max(0, target)));
      }
    },
    { signal },
  );
  element.addEventListener("blur", () => show(null), { signal });
  element.addEventListener(
    "pointermove",
    ({ clientX, clientY }) => {
      const { left, top } = element.getBoundingClientRect();
      show(nearest(chart?.isVertical ? clientY - top : clientX - left));
    },
    { signal },
  );
  element.addEventListener("pointerleave", () => show(null), { signal });

  return {
    element,
    card: card.element,
    /** Updates the chart under the crosshair, which keeps its position. */
    update(next: Readable): void {
      chart = next;
      const last = Math.max(0, next.positions.length - 1);
      set(element, { "aria-label": next.name, "aria-valuemax": last });
      if (index !== null) show(index > last ? null : index);
      else if (next.positions.length && !element.hasAttribute("aria-valuenow"))
        set(element, { "aria-valuenow": 0, "aria-valuetext": spoken(next.reading(0)) });
    },
  };
}
