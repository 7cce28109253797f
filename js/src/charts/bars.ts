import type { ScaleLinear } from "d3-scale";
import { pool, set, setText, svg } from "../widget/dom.ts";
import { decimals } from "../widget/format.ts";
import { axis, labelWidth, type Tick, ticksOf } from "./axis.ts";
import { extent, linear, SteadyScale } from "./domain.ts";
import { DIAMOND, place } from "./marks.ts";

export const ROW_HEIGHT = 22;
/** Vertical distance in pixels from the model's marks to the learner's. */
export const BELOW = 15;
/** Smallest width in pixels of a number, that of three digits. */
const VALUE_WIDTH = 50;
const EDGE = 13;
/** Width in pixels below which a column has no numbers. */
const NARROW = 104;

/** One measure of importance, a row per feature, from the most important down. */
export interface BarColumn {
  measure: string;
  value: number[];
  low: number[];
  high: number[];
  base: number[];
  /** Values of the pin under the view. */
  ghost: number[] | null;
  /** The learner's marks are drawn below the model's if `height` leaves room. */
  learner: { value: number[]; low: number[]; high: number[] } | null;
  /** Height of a row in pixels. */
  height: number;
  /** Whether to mark the values without stress. */
  stressed: boolean;
  /** The selected row. */
  picked: number;
  /** Where bars start: zero, or one for a ratio. */
  origin: number;
  /** Numbers that the axis has to include, also of rows that are not listed. */
  range: ArrayLike<number>[];
  /** The rows in sight, the last one excluded; others are not drawn. */
  sight: readonly [number, number];
}

type Scale = ScaleLinear<number, number>;

/** Reads the number of a row, NaN where there is none. */
const ofRow = (i: number) => (values: number[]) => values[i] ?? Number.NaN;

const at = (scale: Scale, value: number) => scale(value).toFixed(1);

/** The marks of a row. */
function barMarks() {
  const rect = svg("rect", { height: 10, y: -5 });
  const outline = svg("rect", { class: "uq-pin-outline", height: 14, y: -7 });
  const ghost = svg("line", { class: "uq-ghost", y1: -7, y2: 7 });
  const whisker = svg("line", { class: "uq-whisker" });
  const dot = svg("circle", { r: 3.2 });
  const text = svg("text", { dy: "0.33em", "text-anchor": "end" });
  const element = svg("g", { class: "uq-bar" }, rect, outline, ghost, whisker, dot, text);
  return { element, rect, outline, ghost, whisker, dot, text };
}

/** The learner's marks of a row. */
function learnerMarks() {
  const whisker = svg("line");
  const diamond = svg("path", { d: DIAMOND });
  const text = svg("text", { dy: "0.33em", "text-anchor": "end" });
  return {
    element: svg("g", { class: "uq-learner" }, whisker, diamond, text),
    whisker,
    diamond,
    text,
  };
}

/** Two ticks that stand closer than their labels are wide: "0.000" is written "0". */
function withShortZero(marks: Tick[]): Tick[] {
  const [first, second, third] = marks;
  if (!first || !second || third) return marks;
  if (second.at - first.at > labelWidth([first.label, second.label]) + 4) return marks;
  return marks.map(({ at, label }) => ({ at, label: Number(label) === 0 ? "0" : label }));
}

/**
 * Dots with whiskers on light bars that start at zero, or at one for a ratio; a dashed tick marks the value without stress, and below stand
 * the learner's diamonds.
 */
export function bars() {
  const grid = svg("g", { class: "uq-grid" });
  const gridLines = pool(grid, () => svg("line"));
  const zero = svg("line", { class: "uq-zero" });
  const marks = svg("g");
  const rows = pool(marks, barMarks);
  const beside = svg("g");
  const learnerRows = pool(beside, learnerMarks);
  const element = svg(
    "svg",
    { class: "uq-bars", "aria-hidden": "true" },
    grid,
    zero,
    marks,
    beside,
  );
  const ticks = axis("bottom");
  const header = svg(
    "svg",
    { class: "uq-bars-axis", height: 18, "aria-hidden": "true" },
    ticks.element,
  );
  const steady = new SteadyScale();

  const drawRow = (
    { element, rect, outline, ghost, whisker, dot, text }: ReturnType<typeof barMarks>,
    i: number,
    column: BarColumn,
    scale: Scale,
    width: number,
    print: (value: number) => string,
  ) => {
    const of = ofRow(i);
    const [value, low, high] = [of(column.value), of(column.low), of(column.high)];
    const base = column.stressed ? of(column.base) : Number.NaN;
    set(element, {
      transform: `translate(0,${i * column.height + ROW_HEIGHT / 2})`,
      class: `uq-bar${i === column.picked ? " uq-picked" : ""}`,
    });
    const pinned = of(column.ghost ?? []);
    const fromOrigin = (end: number) => ({
      x: at(scale, Math.min(column.origin, end)),
      width: Math.abs(scale(end) - scale(column.origin)).toFixed(1),
    });
    place(rect, [value], () => fromOrigin(value));
    place(outline, [pinned], () => fromOrigin(pinned));
    place(ghost, [base], () => ({ x1: at(scale, base), x2: at(scale, base) }));
    place(whisker, [value, low, high], () => ({ x1: at(scale, low), x2: at(scale, high) }));
    place(dot, [value], () => ({ cx: at(scale, value) }));
    set(text, { x: width - 6 });
    setText(text, print(value));
  };

  const drawLearner = (
    { element, whisker, diamond, text }: ReturnType<typeof learnerMarks>,
    i: number,
    height: number,
    { value, low, high }: NonNullable<BarColumn["learner"]>,
    scale: Scale,
    width: number,
    print: (value: number) => string,
  ) => {
    const of = ofRow(i);
    const [mean, from, to] = [of(value), of(low), of(high)];
    set(element, { transform: `translate(0,${i * height + ROW_HEIGHT / 2 + BELOW})` });
    place(whisker, [mean, from, to], () => ({ x1: at(scale, from), x2: at(scale, to) }));
    place(diamond, [mean], () => ({ transform: `translate(${at(scale, mean)},0)` }));
    set(text, { x: width - 6 });
    setText(text, print(mean));
  };

  return {
    element,
    header,
    update(column: BarColumn, width: number): void {
      const { learner } = column;
      const height = column.value.length * column.height;
      const domain = extent(...column.range, [column.origin]);
      const [from, to] = steady.fit(column.measure, domain, [0, 1]).domain() as [number, number];
      // In a narrow column the bars take the room of the numbers, which the title of a row and the table have.
      const narrow = width < NARROW;
      // One interval may be far longer than the bars.
      const [least, most] = extent(column.value, [column.origin]) as [number, number];
      const print = narrow ? () => "" : decimals(Math.min(to - from, 10 * (most - least) || 1));
      const printed = [...column.value, ...(learner?.value ?? [])].map(print);
      const room = narrow ? 0 : Math.max(VALUE_WIDTH, labelWidth(printed) + 14);
      const plot = Math.max(40, width - room);
      const between = (left: number) => linear([from, to], [left, plot - EDGE]);
      // The label of the first tick stays inside the column.
      const [{ at: start, label } = { at: EDGE, label: "" }] = ticksOf(between(EDGE), plot, 70);
      const scale = between(EDGE + Math.max(0, labelWidth([label]) / 2 - start));
      const marked = withShortZero(ticksOf(scale, plot, 70));
      set(element, { width, height });
      set(header, { width });
      ticks.update(marked, 0);
      gridLines(marked.length).forEach((line, i) => {
        const x = marked[i]?.at.toFixed(1);
        set(line, { x1: x, x2: x, y2: height });
      });
      set(zero, { x1: at(scale, column.origin), x2: at(scale, column.origin), y2: height });
      const [first, last] = column.sight;
      rows(last - first).forEach((group, i) => {
        drawRow(group, first + i, column, scale, width, print);
      });
      learnerRows(learner ? last - first : 0).forEach((group, i) => {
        if (learner) drawLearner(group, first + i, column.height, learner, scale, width, print);
      });
    },
  };
}
