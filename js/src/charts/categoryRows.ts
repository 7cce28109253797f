import "./points.css";
import type { Dependence } from "../views/dependence/reader.ts";
import { pool, set, setText, svg } from "../widget/dom.ts";
import { isolatedIn, percent, withUnit } from "../widget/format.ts";
import { axis, clipped, labelWidth, setFitted, ticksOf } from "./axis.ts";
import type { Readable } from "./crosshair.ts";
import {
  boundsOf,
  type CurveOptions,
  gridLabel,
  isCompared,
  list,
  rangeOf,
  readingOf,
} from "./curves.ts";
import { SteadyScale } from "./domain.ts";
import { lineCanvas, lookAt } from "./lines.ts";
import { DIAMOND, place, placeUpright } from "./marks.ts";

const TOP = 24;
const ROW = 28;
/** Vertical distance in pixels from the model's mark to the learner's. */
const BELOW = 8;
const BOTTOM = 36;
/** Share of a row's height that the ticks of its rows of data take. */
const FILLED = 0.75;
/** Pixels of the bars of shares, and of the gap before them. */
const SHARES = 64;
const GAP = 12;
const NAMES = 0.36;

/** Share of the rows at one point of the grid, in all classes. */
export function shareAt(data: Dependence, counts: Float64Array, i: number): number {
  let share = 0;
  for (let k = 0; k < counts.length; k++)
    // A single value of a number has the bins of all rows.
    if (data.edges || k % data.bins === i) share += counts[k] || 0;
  return share;
}

/** Height of the middle of a row. */
const middle = (k: number) => TOP + (k + 0.5) * ROW;

/** A row of the chart. */
function rowMarks() {
  const line = svg("line", { class: "uq-row-line" });
  const name = svg("text", { class: "uq-row-name", dy: "0.32em", "text-anchor": "end" });
  const title = svg("title");
  const ghost = svg("line", { class: "uq-ghost", y1: -9, y2: 9 });
  const bar = svg("line");
  const dot = svg("circle", { r: 4.5 });
  const marks = svg("g", { class: "uq-points" }, ghost, bar, dot);
  const pin = svg("circle", { class: "uq-pin-line", r: 6.5 });
  const range = svg("line");
  const diamond = svg("path", { d: DIAMOND });
  const learner = svg("g", { class: "uq-points uq-learner" }, range, diamond);
  const stack = svg("g");
  const rects = pool(stack, () => svg("rect", { height: 10, y: -5 }));
  const before = svg("line", { class: "uq-ghost", y1: -8, y2: 8 });
  const share = svg("text", { class: "uq-row-share", dy: "0.32em", "text-anchor": "end" });
  const bars = svg("g", { class: "uq-distribution" }, stack, before);
  const element = svg("g", {}, line, name, title, marks, pin, learner, bars, share);
  const learned = { element: learner, range, mark: diamond };
  return { element, line, name, title, ghost, bar, dot, pin, learned, rects, before, share };
}

type Row = ReturnType<typeof rowMarks>;
type Scale = (value: number) => number;

/** The values that all rows show, in pixels, by their points of the grid. */
function estimatesOf(data: Dependence, options: CurveOptions, x: Scale) {
  const { stressed = false, learner = null, ghost = null } = options;
  const pixels = (values: ArrayLike<number>) => list(values, x);
  return {
    average: pixels(data.average),
    low: pixels(data.low),
    high: pixels(data.high),
    base: pixels(stressed ? data.base : []),
    learner: learner && [learner.value, learner.low, learner.high].map(pixels),
    pinned: (i: number) => (ghost ? x(ghost.at(i)) : Number.NaN),
  };
}

/** Draws the average with its interval, and beside it that of the data as they are, of the pin and of the learner. */
function drawEstimates(
  row: Row,
  estimates: ReturnType<typeof estimatesOf>,
  i: number,
  isNear: boolean,
): void {
  const ends = (from: number | undefined, to: number | undefined) => () => ({
    x1: from?.toFixed(1),
    x2: to?.toFixed(1),
  });
  const [average, low, high, base] = [
    estimates.average[i],
    estimates.low[i],
    estimates.high[i],
    estimates.base[i],
  ];
  place(row.dot, [average], () => ({
    cx: average?.toFixed(1),
    class: isNear ? null : "uq-hollow",
  }));
  place(row.bar, [average, low, high], ends(low, high));
  place(row.ghost, [base], ends(base, base));
  const pinned = estimates.pinned(i);
  place(row.pin, [pinned], () => ({ cx: pinned.toFixed(1) }));
  const [mean, from, to] = estimates.learner?.map((values) => values[i]) ?? [];
  set(row.learned.element, { transform: `translate(0,${BELOW})` });
  place(row.learned.mark, [mean], () => ({ transform: `translate(${mean?.toFixed(1)},0)` }));
  place(row.learned.range, [mean, from, to], ends(from, to));
}

/** Draws the share of the rows as a bar, in pieces by their colour, and a mark at the share without stress. */
function drawShares(
  row: Row,
  data: Dependence,
  i: number,
  bars: { from: number; long: (share: number) => number },
  stressed: boolean,
): void {
  const classes = data.counts.length / data.bins;
  let end = bars.from;
  row.rects(Math.min(classes, data.looks.length)).forEach((rect, c) => {
    let share = 0;
    const last = c === data.looks.length - 1 ? classes : c + 1;
    for (let one = c; one < last; one++)
      share += shareAt(data, data.counts.subarray(one * data.bins, (one + 1) * data.bins), i);
    const size = bars.long(share);
    set(rect, { class: data.looks[c]?.className, x: end.toFixed(1), width: size.toFixed(1) });
    end += size;
  });
  const start = bars.from + bars.long(shareAt(data, data.countsBase, i));
  placeUpright(row.before, stressed ? start : null);
}

/** What the canvas shows: a tick for the value of each row of data, its own value as a dot, and the averages of groups. */
function ticksOfRows(data: Dependence, shown: readonly number[], x: Scale) {
  const placeOf = new Map(shown.map((i, k) => [i, k]));
  const looks = data.lineLooks.length;
  const slot = (ROW * FILLED) / looks;
  /** Upper end of the part of a row that the lines of a colour take. */
  const upper = (k: number, look: number) => middle(k) - (ROW * FILLED) / 2 + slot * look;
  return {
    trace(context: CanvasRenderingContext2D, line: number, look: number): void {
      for (const [i, k] of placeOf) {
        const value = data.ice[line * data.grid.length + i] as number;
        if (!Number.isFinite(value)) continue;
        context.moveTo(x(value), upper(k, look) + slot * 0.1);
        context.lineTo(x(value), upper(k, look) + slot * 0.9);
      }
    },
    overlay(context: CanvasRenderingContext2D, colours: readonly string[]): void {
      const dot = (value: number, k: number, look: number, radius: number) => {
        if (!Number.isFinite(value)) return;
        context.fillStyle = colours[look] || "gray";
        context.beginPath();
        context.arc(x(value), upper(k, look + 0.5), radius, 0, 2 * Math.PI);
        context.fill();
      };
      context.globalAlpha = 0.8;
      data.ownValue?.forEach((value, line) => {
        const k = placeOf.get(data.own?.[line] ?? Number.NaN);
        if (k !== undefined) dot(value, k, lookAt(data, line), 1.8);
      });
      context.globalAlpha = 1;
      data.groupAverage?.forEach((value, at) => {
        const k = placeOf.get(at % data.grid.length);
        const group = data.looks[Math.floor(at / data.grid.length)] ?? data.looks.at(-1);
        if (k !== undefined && group) dot(value, k, data.lineLooks.indexOf(group), 4);
      });
    },
  };
}

/** Categories as rows: the average with its interval over a tick for every row of data, and the share of the rows. */
export function categoryRows() {
  const ice = lineCanvas();
  const bottom = axis("bottom");
  const zero = svg("line", { class: "uq-zero" });
  const marks = svg("g");
  const rows = pool(marks, rowMarks);
  const rule = svg("rect", { class: "uq-row-mark", height: ROW, visibility: "hidden" });
  const featureTitle = svg("text", { class: "uq-title", y: 12 });
  const shareTitle = svg("text", { class: "uq-title", y: 12, "text-anchor": "end" });
  const xTitle = svg("text", { class: "uq-title", "text-anchor": "middle" });
  setText(shareTitle, "share of rows");
  const element = svg(
    "svg",
    { class: "uq-curves uq-category-rows", "aria-hidden": "true" },
    rule,
    bottom.element,
    zero,
    marks,
    featureTitle,
    shareTitle,
    xTitle,
  );
  const steady = new SteadyScale();

  return {
    canvas: ice.element,
    element,
    /** Draws the points of the grid that `shown` names, from top to bottom. */
    update(
      data: Dependence,
      width: number,
      options: CurveOptions,
      shown: readonly number[],
    ): Readable {
      const { stressed = false, clips = false } = options;
      const tall = shown.length * ROW;
      const [floor, height] = [TOP + tall, TOP + tall + BOTTOM];
      const names = shown.map((i) => gridLabel(data, i));
      const left = Math.ceil(Math.min(NAMES * width, labelWidth([...names, data.feature]) + 12));
      const texts = shown.map((i) => percent(shareAt(data, data.counts, i)));
      const shareWidth = SHARES + labelWidth([...texts, "100 %"]) + 6;
      const right = width - shareWidth - GAP;
      const inner = Math.max(40, right - left);
      const key = `${data.label} ${data.feature} ${clips}`;
      const range: [number, number] = [left + 6, left + inner - 6];
      const x = steady.fit(key, rangeOf(data, options), range, boundsOf(data, options));

      set(element, { width, height });
      set(bottom.element, { transform: `translate(0,${floor})` });
      bottom.update(ticksOf(x, inner, 64), 4);
      set(zero, { y1: TOP, y2: floor });
      placeUpright(zero, isCompared(data) ? x(0) : null);
      setFitted(featureTitle, data.feature, left + inner - 4);
      set(shareTitle, { x: width });
      set(xTitle, { x: left + inner / 2, y: height - 4 });
      setFitted(xTitle, isolatedIn(withUnit(data.label, data.unit), data.feature), width);

      const space = { left, top: TOP, width: inner, height: tall };
      const { trace, overlay } = ticksOfRows(data, shown, x);
      ice.update(data, space, width, height, trace, { dashed: false, overlay });

      const most = Math.max(...shown.map((i) => shareAt(data, data.counts, i)), 1e-9);
      const mostBase = Math.max(...shown.map((i) => shareAt(data, data.countsBase, i)));
      const estimates = estimatesOf(data, options, x);
      const bars = {
        from: right + GAP,
        long: (share: number) => (share / Math.max(most, stressed ? mostBase : 0)) * SHARES,
      };
      rows(shown.length).forEach((row, k) => {
        const i = shown[k] as number;
        set(row.element, { transform: `translate(0,${middle(k)})` });
        set(row.line, { x1: left, x2: left + inner });
        set(row.name, { x: left - 6 });
        setText(row.name, clipped(names[k] as string, left - 8));
        setText(row.title, names[k] as string);
        drawEstimates(row, estimates, i, Boolean(data.near[i]));
        drawShares(row, data, i, bars, stressed);
        set(row.share, { x: width });
        setText(row.share, texts[k] as string);
      });

      return {
        name: `Read ${isolatedIn(data.label, data.feature)} of each value`,
        positions: shown.map((_, k) => middle(k)),
        isVertical: true,
        width,
        top: TOP,
        mark: (k) => place(rule, [k], () => ({ y: TOP + (k as number) * ROW, width })),
        reading: (k) => {
          const reading = readingOf(data, shown[k] as number, options);
          return { ...reading, rows: [...reading.rows, ["share of rows", texts[k] as string]] };
        },
      };
    },
  };
}
