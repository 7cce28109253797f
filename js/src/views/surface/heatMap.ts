import { axis, clipped, labelWidth, setFitted, type Tick, ticksOf } from "../../charts/axis.ts";
import { extent, linear } from "../../charts/domain.ts";
import { h, pool, set, setText, svg } from "../../widget/dom.ts";
import { number } from "../../widget/format.ts";
import type { Axis } from "./reader.ts";

const TOP = 6;
const PLOT = 230;
const RIGHT = 12;
const BOTTOM = 36;
const STEPS = 24;

const namesOf = ({ grid, labels }: Axis) => labels ?? Array.from(grid, (value) => number(value));

/** The edges of the cells between the values of an axis, and its ticks, in pixels; a label takes so much `room`. */
function cells(axis: Axis, from: number, to: number, room: number) {
  const { grid, labels } = axis;
  if (labels || grid.length < 2) {
    const each = (to - from) / Math.max(1, grid.length);
    const edges = Array.from({ length: grid.length + 1 }, (_, i) => from + i * each);
    const step = Math.ceil(room / Math.abs(each));
    const ticks = namesOf(axis).flatMap((label, i) =>
      i % step ? [] : [{ at: from + (i + 0.5) * each, label }],
    );
    return { edges, ticks };
  }
  const [low, high] = [grid[0] as number, grid[grid.length - 1] as number];
  const scale = linear([low, high], [from, to]);
  const edges = [
    from,
    ...Array.from(grid.subarray(1), (value, i) => scale((value + (grid[i] as number)) / 2)),
    to,
  ];
  return { edges, ticks: ticksOf(scale, Math.abs(to - from), 60) };
}

/** A heat map of numbers over two features, whose crossed cells are far from the data. */
export function heatMap(diverging: boolean) {
  const left = axis("left");
  const bottom = axis("bottom");
  const marks = svg("g");
  const rects = pool(marks, () => {
    const title = svg("title");
    const rect = svg("rect", {}, title);
    const cross = svg("path", { class: "uq-far-cell" });
    return { element: svg("g", {}, rect, cross), rect, title, cross };
  });
  const xTitle = svg("text", { class: "uq-title", "text-anchor": "middle" });
  const yTitle = svg("text", { class: "uq-title" });
  const element = svg(
    "svg",
    { class: "uq-heat", height: TOP + PLOT + BOTTOM + 14, "aria-hidden": "true" },
    marks,
    left.element,
    bottom.element,
    xTitle,
    yTitle,
  );
  const [least, most] = [h("span"), h("span")];
  const bar = h("span", { class: "uq-ramp" });
  const swatches = pool(bar, () => h("span"));
  const legend = h("div", { class: "uq-legend" }, least, bar, most);

  return {
    element,
    legend,
    update(
      [first, second]: [Axis, Axis],
      values: Float64Array,
      near: Uint8Array,
      titleOf: (i: number, j: number) => string,
      width: number,
    ): void {
      const [low = 0, high = 0] = extent(values) ?? [];
      const largest = Math.max(Math.abs(low), Math.abs(high)) || 1;
      const ends: [number, number] = diverging ? [-largest, largest] : [low, high];
      const [from, to] = ends;
      const colour = (value: number) => {
        if (!Number.isFinite(value)) return { class: "uq-nothing", "fill-opacity": 1 };
        const share = diverging
          ? Math.abs(value) / largest
          : to > from
            ? 0.08 + (0.92 * (value - from)) / (to - from)
            : 0.5;
        const side = diverging && value < 0 ? "uq-below" : "uq-above";
        return { class: side, "fill-opacity": share.toFixed(3) };
      };
      const vertical = cells(second, TOP + 14 + PLOT, TOP + 14, 16);
      const names = vertical.ticks.map(({ label }) => label);
      const start = Math.min(120, 14 + labelWidth(names));
      const ofLabel = Math.min(64, labelWidth(namesOf(first)) + 6);
      const across = cells(first, start, width - RIGHT, ofLabel);
      set(element, { width });
      const shown = rects(values.length);
      const columns = second.grid.length;
      shown.forEach(({ rect, title, cross }, k) => {
        const [i, j] = [Math.floor(k / columns), k % columns];
        const [x, right] = [across.edges[i] as number, across.edges[i + 1] as number];
        const [base, y] = [vertical.edges[j] as number, vertical.edges[j + 1] as number];
        set(rect, {
          ...{ x: x.toFixed(1), y: y.toFixed(1) },
          ...{ width: (right - x).toFixed(1), height: (base - y).toFixed(1) },
          ...colour(values[k] ?? Number.NaN),
        });
        setText(title, titleOf(i, j));
        const far = !near[k];
        set(cross, {
          visibility: far ? null : "hidden",
          d: far ? `M${x},${base}L${right},${y}` : null,
        });
      });
      const fitted = (ticks: Tick[], room: number) =>
        ticks.map(({ at, label }) => ({ at, label: clipped(label, room) }));
      set(left.element, { transform: `translate(${start},0)` });
      left.update(fitted(vertical.ticks, start - 12), 0);
      set(bottom.element, { transform: `translate(0,${TOP + 14 + PLOT})` });
      const room = (width - RIGHT - start) / Math.max(1, across.ticks.length);
      bottom.update(fitted(across.ticks, Math.max(20, room - 4)), 4);
      set(xTitle, { x: (start + width - RIGHT) / 2, y: TOP + PLOT + BOTTOM + 10 });
      setFitted(xTitle, first.feature, width - start);
      set(yTitle, { x: 0, y: 11 });
      setFitted(yTitle, second.feature, width);
      setText(least, number(from));
      setText(most, number(to));
      swatches(STEPS).forEach((swatch, k) => {
        const look = colour(from + ((to - from) * k) / (STEPS - 1));
        set(swatch, { class: look.class });
        swatch.style.opacity = String(look["fill-opacity"]);
      });
    },
  };
}
