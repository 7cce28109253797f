import { button } from "../../controls/button.ts";
import type { Condition } from "../../session/condition.ts";
import type { Column } from "../../session/modelInfo.ts";
import { h, set, setText, svg } from "../../widget/dom.ts";
import { isolated, number } from "../../widget/format.ts";
import type { LinePlot } from "../view.ts";
import { momentOf } from "./moments.ts";

/** A range of bars: from the first to the last one, or between two pixels of a drag. */
interface Range {
  first: number;
  last: number;
  /** The condition that the rows of these bars meet. */
  condition: Condition;
  text: string;
}

export interface RangeActions {
  select(condition: Condition): void;
  keep(condition: Condition): void;
}

const short = (value: number) => Number(value.toPrecision(4));
/** A moment as ISO 8601 to the second, on the clock of its column. */
const moment = (value: number) => momentOf(value).slice(0, 19);
/** An edge of bars in words: a number, or a day. */
const edgeText = (value: number | undefined, isTime: boolean) =>
  isTime && value !== undefined ? moment(value).slice(0, 10) : number(value);

/** The range of the bars from `first` to `last`; `ends` are exact values where they were drawn. */
export function rangeOf(
  { data, spans }: LinePlot,
  column: Column,
  first: number,
  last: number,
  ends?: [number, number],
): Range | null {
  if (!spans.length) return null;
  const { name, missing } = column;
  const feature = name;
  if (data.edges) {
    const [a, b] = ends ?? [data.edges[first] as number, data.edges[last + 1] as number];
    const end = data.time ? moment : short;
    const low = first === 0 && !ends ? null : end(a);
    const high = last === data.bins - 1 && !ends ? null : end(b);
    const range = { feature, low, high, ...(missing ? { missing: false } : {}) };
    return {
      first,
      last,
      condition: range,
      text: `${isolated(name)} from ${edgeText(a, data.time)} to ${edgeText(b, data.time)}`,
    };
  }
  const labels = (data.labels ?? []).slice(first, last + 1);
  const [from = "", to = ""] = [labels[0], labels.at(-1)];
  const text = `${isolated(name)} ${labels.length > 1 ? `from ${isolated(from)} to ${isolated(to)}` : isolated(from)}`;
  const isKnown = labels.every((label) => column.values?.includes(label));
  return isKnown && labels.length
    ? { first, last, condition: { feature, values: labels }, text }
    : null;
}

/**
 * A range on the bars below the curves: by a drag, or by two handles that have the keyboard. It selects its rows, and
 * one click makes it a filter.
 */
export function barRange(actions: RangeActions, signal: AbortSignal) {
  const band = svg("rect", { class: "uq-bar-range", visibility: "hidden" });
  const handle = (end: 0 | 1) =>
    h("div", {
      class: "uq-bar-handle",
      role: "slider",
      tabindex: 0,
      "aria-orientation": "horizontal",
      "data-testid": end ? "uq-range-high" : "uq-range-low",
      title: end
        ? "The end of a range of values; arrow keys move it"
        : "The start of a range of values; arrow keys move it",
    });
  const handles = [handle(0), handle(1)] as const;
  const words = h("span", { role: "status" });
  const forget = () => {
    range = null;
    draw();
    handles[0].focus();
  };
  const keepRows = () => {
    if (!range) return;
    const { condition } = range;
    forget();
    actions.keep(condition);
  };
  const keep = button("uq-range-keep", "keep only these rows", keepRows, signal);
  const clear = button("uq-range-clear", "no range", forget, signal);
  const bar = h("div", { class: "uq-range-bar", hidden: true }, words, keep, clear);
  let plot: LinePlot | null = null;
  let column: Column | null = null;
  let range: Range | null = null;
  let start: number | null = null;

  const draw = () => {
    bar.hidden = !range;
    set(band, { visibility: range ? null : "hidden" });
    if (!plot) return;
    const { spans, bars } = plot;
    const [first, last] = range ? [range.first, range.last] : [0, spans.length - 1];
    const [left, right] = [spans[first]?.[0] ?? 0, spans[last]?.[1] ?? 0];
    if (range) {
      set(band, {
        x: left,
        width: Math.max(1, right - left),
        y: bars[0],
        height: bars[1] - bars[0],
      });
      setText(words, range.text);
    }
    const name = plot.data.feature;
    handles.forEach((one, end) => {
      one.style.left = `${(end ? right : left).toFixed(1)}px`;
      one.style.top = `${bars[0]}px`;
      one.style.height = `${bars[1] - bars[0]}px`;
      const edges = plot?.data.edges;
      const at = end ? last : first;
      const value = edges
        ? edgeText(edges[end ? at + 1 : at], plot?.data.time === true)
        : (plot?.data.labels?.[at] ?? "");
      set(one, {
        "aria-label": `${end ? "highest" : "lowest"} ${name} of a range of rows`,
        "aria-valuemin": 0,
        "aria-valuemax": spans.length - 1,
        "aria-valuenow": at,
        "aria-valuetext": range ? value : `${value}, no range yet`,
      });
    });
  };
  const choose = (next: Range | null) => {
    range = next;
    draw();
    if (next) actions.select(next.condition);
  };
  const binAt = (x: number) => {
    const spans = plot?.spans ?? [];
    const i = spans.findIndex(([, right]) => x <= right);
    return i < 0 ? spans.length - 1 : i;
  };
  const valueAt = (x: number, bin: number): number => {
    const [left, right] = plot?.spans[bin] ?? [0, 1];
    const [a = 0, b = 0] = [plot?.data.edges?.[bin], plot?.data.edges?.[bin + 1]];
    return a + Math.min(1, Math.max(0, (x - left) / (right - left || 1))) * (b - a);
  };

  handles.forEach((one, end) => {
    one.addEventListener(
      "keydown",
      (event) => {
        const most = (plot?.spans.length ?? 0) - 1;
        const steps: Record<string, number> = {
          ArrowRight: 1,
          ArrowUp: 1,
          ArrowLeft: -1,
          ArrowDown: -1,
          PageUp: 5,
          PageDown: -5,
          Home: -most,
          End: most,
        };
        const step = steps[event.key];
        if (step === undefined || !plot || !column) return;
        event.preventDefault();
        const now: [number, number] = range ? [range.first, range.last] : [0, most];
        const [low, high] = end ? [now[0], most] : [0, now[1]];
        now[end] = Math.min(high, Math.max(low, (now[end] as number) + step));
        choose(rangeOf(plot, column, now[0], now[1]));
      },
      { signal },
    );
  });

  return {
    band,
    handles,
    bar,
    get isShown(): boolean {
      return range !== null;
    },
    /** Forgets the range, because the selection is another one now. */
    reset(): void {
      range = null;
      draw();
    },
    update(next: LinePlot, of: Column | null): void {
      if (plot?.data.feature !== next.data.feature || plot.spans.length !== next.spans.length)
        range = null;
      [plot, column] = [next, of];
      for (const one of handles) one.hidden = !of || !rangeOf(next, of, 0, 0);
      draw();
    },
    isInside: (x: number, y: number): boolean => {
      if (!plot || !column || !rangeOf(plot, column, 0, 0)) return false;
      const [top, bottom] = plot.bars;
      const [left, right] = [plot.spans[0]?.[0] ?? 0, plot.spans.at(-1)?.[1] ?? 0];
      return y >= top && y <= bottom && x >= left && x <= right;
    },
    begin(x: number): void {
      start = x;
    },
    /** Draws the range of a drag, and selects its rows at its end. */
    drag(x: number, isEnd: boolean): void {
      if (start === null || !plot || !column) return;
      const [from, to] = [Math.min(start, x), Math.max(start, x)];
      const [first, last] = [binAt(from), binAt(to)];
      const isClick = to - from < 4;
      const ends: [number, number] = [valueAt(from, first), valueAt(to, last)];
      const next = rangeOf(
        plot,
        column,
        first,
        last,
        isClick || !plot.data.edges ? undefined : ends,
      );
      range = next;
      draw();
      if (next && !isClick && plot.data.edges) set(band, { x: from, width: to - from });
      if (isEnd) start = null;
      if (isEnd && next) actions.select(next.condition);
    },
    get isDragging(): boolean {
      return start !== null;
    },
  };
}
