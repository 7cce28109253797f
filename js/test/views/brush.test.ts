import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Box, brush, type Marks } from "../../src/views/selection/brush.ts";
import { svg } from "../../src/widget/dom.ts";

/** Marks at 10, 20 ... 90 on a diagonal. */
const PLACES = Array.from({ length: 9 }, (_, i) => 10 * (i + 1));
const MARKS: Marks = {
  area: { left: 0, right: 100, top: 0, bottom: 100 },
  nearest: (x, y) => {
    const at = PLACES.findIndex((place) => Math.hypot(place - x, place - y) < 5);
    return at < 0 ? null : at;
  },
  within: ({ left, right, top, bottom }: Box) =>
    [...PLACES.keys()].filter((i) => {
      const place = PLACES[i] as number;
      return place >= left && place <= right && place >= top && place <= bottom;
    }),
};

describe("a brush", () => {
  const hover = vi.fn();
  const pick = vi.fn();
  let marks: Marks | null;
  let element: HTMLElement;
  let overlay: SVGSVGElement;
  let abort: AbortController;

  beforeEach(() => {
    hover.mockClear();
    pick.mockClear();
    marks = MARKS;
    element = document.createElement("div");
    overlay = svg("svg");
    abort = new AbortController();
    brush(element, overlay, () => marks, hover, pick, abort.signal);
  });

  const point = (type: string, x: number, y: number, more: MouseEventInit = {}) =>
    element.dispatchEvent(
      new MouseEvent(`pointer${type}`, { clientX: x, clientY: y, button: 0, ...more }),
    );
  const drag = (from: [number, number], to: [number, number], more: MouseEventInit = {}) => {
    point("down", ...from, more);
    point("move", ...to, more);
    point("up", ...to, more);
  };
  const box = () => overlay.querySelector(".uq-brush") as SVGElement;

  it("hovers the nearest mark, or none", () => {
    point("move", 21, 19);
    point("move", 25, 5);
    point("leave", 0, 0);
    expect(hover.mock.calls.map(([mark]) => mark)).toEqual([1, null, null]);
  });

  it("picks the mark under a click, also where the hand trembles", () => {
    drag([30, 30], [32, 31]);
    expect(pick.mock.calls).toEqual([[[2], false, false]]);
    drag([25, 5], [25, 5]);
    expect(pick).toHaveBeenCalledTimes(1);
  });

  it.each(["shiftKey", "ctrlKey", "metaKey"])("adds with %s", (key) => {
    drag([30, 30], [30, 30], { [key]: true });
    expect(pick).toHaveBeenLastCalledWith([2], true, false);
  });

  it("picks what lies in a box that is drawn in any direction", () => {
    drag([55, 45], [15, 95]);
    expect(pick).toHaveBeenLastCalledWith([4], false, true);
    drag([5, 5], [45, 45]);
    expect(pick).toHaveBeenLastCalledWith([0, 1, 2, 3], false, true);
    drag([2, 2], [8, 8]);
    expect(pick).toHaveBeenLastCalledWith([], false, true);
  });

  it("shows its box, which ends at the edge of the chart", () => {
    point("down", 60, 60);
    point("move", 400, -30);
    const size = ["x", "y", "width", "height"].map((name) => box().getAttribute(name));
    expect(size).toEqual(["60", "0", "40", "60"]);
    expect(box().hasAttribute("visibility")).toBe(false);
    point("up", 400, -30);
    expect(box().getAttribute("visibility")).toBe("hidden");
  });

  it("is given up where the pointer is lost, and by another button or outside of the chart", () => {
    point("down", 10, 10);
    point("move", 60, 60);
    point("cancel", 60, 60);
    point("up", 60, 60);
    drag([10, 10], [60, 60], { button: 2 });
    drag([150, 10], [60, 60]);
    expect(pick).not.toHaveBeenCalled();
    expect(box().getAttribute("visibility")).toBe("hidden");
  });

  it("does nothing without marks, and ends with its signal", () => {
    marks = null;
    drag([10, 10], [60, 60]);
    expect(pick).not.toHaveBeenCalled();
    marks = MARKS;
    abort.abort();
    drag([10, 10], [60, 60]);
    expect(pick).not.toHaveBeenCalled();
  });
});
