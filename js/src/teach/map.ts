import { scaleLinear } from "d3-scale";
import { axis, labelWidth, setFitted, ticksOf } from "../charts/axis.ts";
import { extent } from "../charts/domain.ts";
import { pool, set, svg } from "../widget/dom.ts";

type Values = Float64Array;
type Place = readonly [number, number];

export interface MapOptions {
  grids: readonly [Values, Values];
  rows: readonly [Values, Values];
  place: Place;
  /** Numbers of all places, the second feature within the first; null for an empty map. */
  values: Values | null;
  titles: readonly [string, string];
  /** The place in words. */
  spoken: string;
  width: number;
}

const TOP = 20;
const BOTTOM = 36;

const nearest = (grid: Values, value: number): number =>
  grid.reduce(
    (best, at, i) => (Math.abs(at - value) < Math.abs((grid[best] as number) - value) ? i : best),
    0,
  );

/** A map of two features with its rows, and a point that the mouse or the arrow keys move. */
export function placeMap(move: (place: Place) => void, signal: AbortSignal) {
  const [left, bottom] = [axis("left"), axis("bottom")];
  const cells = svg("g", { "aria-hidden": "true", "shape-rendering": "crispEdges" });
  const rects = pool(cells, () => svg("rect", { class: "uq-cell" }));
  const dots = svg("g", { "aria-hidden": "true" });
  const rows = pool(dots, () => svg("circle", { class: "uq-row", r: 1.8 }));
  const point = svg("circle", {
    class: "uq-point",
    r: 8,
    tabindex: 0,
    role: "slider",
    "data-testid": "uq-place",
    "aria-label": "Place on the map",
  });
  const yTitle = svg("text", { class: "uq-title", y: 11, "aria-hidden": "true" });
  const xTitle = svg("text", { class: "uq-title", "text-anchor": "middle", "aria-hidden": "true" });
  const plot = svg("rect", { class: "uq-plot" });
  for (const one of [left, bottom]) set(one.element, { "aria-hidden": "true" });
  const element = svg(
    "svg",
    { class: "uq-map" },
    plot,
    cells,
    left.element,
    bottom.element,
    dots,
    point,
    yTitle,
    xTitle,
  );
  let shown: MapOptions | null = null;
  let scales: {
    x: ReturnType<typeof scaleLinear<number, number>>;
    y: ReturnType<typeof scaleLinear<number, number>>;
  } | null = null;
  const moveTo = (i: number, j: number) => {
    if (!shown) return;
    const { grids } = shown;
    const at = (k: 0 | 1, n: number) =>
      grids[k][Math.max(0, Math.min(grids[k].length - 1, n))] as number;
    move([at(0, i), at(1, j)]);
  };
  const follow = ({ clientX, clientY }: PointerEvent) => {
    if (!shown || !scales) return;
    const box = element.getBoundingClientRect();
    const [x, y] = [scales.x.invert(clientX - box.left), scales.y.invert(clientY - box.top)];
    moveTo(nearest(shown.grids[0], x), nearest(shown.grids[1], y));
  };
  element.addEventListener(
    "pointerdown",
    (event) => {
      event.preventDefault();
      element.setPointerCapture(event.pointerId);
      point.focus();
      follow(event);
    },
    { signal },
  );
  element.addEventListener(
    "pointermove",
    (event) => element.hasPointerCapture(event.pointerId) && follow(event),
    { signal },
  );
  point.addEventListener(
    "keydown",
    (event) => {
      const steps: Record<string, [number, number]> = {
        ArrowLeft: [-1, 0],
        ArrowRight: [1, 0],
        ArrowUp: [0, 1],
        ArrowDown: [0, -1],
      };
      const step = steps[event.key];
      if (!step || !shown) return;
      event.preventDefault();
      const { grids, place } = shown;
      const by = event.shiftKey ? 4 : 1;
      moveTo(
        nearest(grids[0], place[0]) + by * step[0],
        nearest(grids[1], place[1]) + by * step[1],
      );
    },
    { signal },
  );
  return {
    element,
    update(options: MapOptions): void {
      shown = options;
      const { grids, place, values, titles, width } = options;
      const [first, second] = grids;
      const ends = (grid: Values) => [grid[0] ?? 0, grid[grid.length - 1] ?? 1];
      const margin = labelWidth(ends(second).map((value) => value.toFixed(1))) + 16;
      const size = Math.max(120, Math.min(width, 400) - margin - 12);
      const floor = TOP + size;
      const x = scaleLinear(ends(first), [margin, margin + size]);
      const y = scaleLinear(ends(second), [floor, TOP]);
      scales = { x, y };
      set(element, { width: margin + size + 12, height: floor + BOTTOM });
      set(plot, { x: margin, y: TOP, width: size, height: size });
      set(left.element, { transform: `translate(${margin},0)` });
      left.update(ticksOf(y, size, 50), 0);
      set(bottom.element, { transform: `translate(0,${floor.toFixed(1)})` });
      bottom.update(ticksOf(x, size, 60), 4);
      const [low, high] = (values && extent(values)) ?? [0, 1];
      const [wide, tall] = [
        size / Math.max(1, first.length - 1),
        size / Math.max(1, second.length - 1),
      ];
      rects(values ? values.length : 0).forEach((rect, n) => {
        const [i, j] = [Math.floor(n / second.length), n % second.length];
        const [cx, cy] = [x(first[i] as number), y(second[j] as number)];
        const share = (((values as Values)[n] as number) - low) / (high - low || 1);
        const edge = (value: number, from: number, to: number) =>
          Math.max(from, Math.min(to, value));
        const [x1, x2] = [
          edge(cx - wide / 2, margin, margin + size),
          edge(cx + wide / 2, margin, margin + size),
        ];
        const [y1, y2] = [edge(cy - tall / 2, TOP, floor), edge(cy + tall / 2, TOP, floor)];
        set(rect, {
          x: x1.toFixed(1),
          y: y1.toFixed(1),
          width: (x2 - x1).toFixed(1),
          height: (y2 - y1).toFixed(1),
          "fill-opacity": Number.isFinite(share) ? (0.9 * share).toFixed(3) : 0,
        });
      });
      const [xs, ys] = options.rows;
      rows(xs.length).forEach((dot, i) => {
        set(dot, { cx: x(xs[i] as number).toFixed(1), cy: y(ys[i] as number).toFixed(1) });
      });
      set(point, {
        cx: x(place[0]).toFixed(1),
        cy: y(place[1]).toFixed(1),
        "aria-valuemin": first[0],
        "aria-valuemax": first[first.length - 1],
        "aria-valuenow": place[0],
        "aria-valuetext": options.spoken,
      });
      setFitted(yTitle, titles[1], width);
      set(xTitle, { x: (margin + size / 2).toFixed(1), y: floor + 32 });
      setFitted(xTitle, titles[0], size);
    },
  };
}
