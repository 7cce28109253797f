import { setFitted } from "../../charts/axis.ts";
import { bars, ROW_HEIGHT } from "../../charts/bars.ts";
import type { Averages } from "../../session/frame.ts";
import { h, pool, set, setText, svg } from "../../widget/dom.ts";

/** The title of a column: a button that sorts the rows by it. */
export function sortTitle(onSort: () => void, signal: AbortSignal) {
  const element = h("button", { type: "button", class: "uq-sort" });
  element.addEventListener("click", onSort, { signal });
  return {
    element,
    update(label: string, sorts: boolean): void {
      setText(element, sorts ? `${label}\u00a0↓` : label);
      set(element, { "aria-pressed": sorts ? "true" : "false", title: `Sort by ${label}.` });
    },
  };
}

/** The rows that are listed, and how they are drawn. */
export interface Rows {
  order: number[];
  /** Number of all rows. */
  count: number;
  height: number;
  /** Width of a column. */
  width: number;
  /** The rows in sight, the last one excluded. */
  sight: readonly [number, number];
  picked: number;
}

/** What a column of bars shows; its numbers are row-major (columns, rows), of which it is one column. */
export interface Bars {
  at: number;
  name: string;
  label: string;
  words: string;
  unit: string;
  sorts: boolean;
  stressed: boolean;
  origin: number;
  value: Float64Array;
  low: Float64Array;
  high: Float64Array;
  base: Float64Array;
  ghost: Float64Array | null;
  learner: Averages | null;
}

/** A column of bars: its title and axis in the fixed header, its bars in the scrolling part. */
export function barColumn(onSort: () => void, signal: AbortSignal) {
  const chart = bars();
  const label = sortTitle(onSort, signal);
  const words = h("span", { class: "uq-muted" });
  const unit = h("span", { class: "uq-muted" });
  return {
    title: h("div", { class: "uq-column-title" }, label.element, words, unit, chart.header),
    body: h("div", { class: "uq-importance-column" }, chart.element),
    update(shown: Bars, { order, count, height, width, sight, picked }: Rows): void {
      const own = (all: Float64Array) => all.subarray(shown.at * count, (shown.at + 1) * count);
      const listed = (all: Float64Array) => order.map((row) => own(all)[row] ?? Number.NaN);
      const { value, low, high, base, ghost, learner, stressed, origin } = shown;
      const beside = learner ? [learner.value, learner.low, learner.high] : [];
      chart.update(
        {
          measure: `${shown.name} ${origin}`,
          value: listed(value),
          low: listed(low),
          high: listed(high),
          base: listed(base),
          ghost: ghost && listed(ghost),
          learner: learner && {
            value: listed(learner.value),
            low: listed(learner.low),
            high: listed(learner.high),
          },
          height,
          stressed,
          picked,
          origin,
          range: [value, low, high, base, ...(ghost ? [ghost] : []), ...beside].map(own),
          sight,
        },
        width,
      );
      label.update(shown.label, shown.sorts);
      setText(words, shown.words);
      setText(unit, shown.unit);
    },
  };
}

/** A column of words, each with its whole sentence in the title of the row. */
export function wordColumn(onSort: () => void, signal: AbortSignal) {
  const label = sortTitle(onSort, signal);
  const element = svg("svg", { class: "uq-words", "aria-hidden": "true" });
  const texts = pool(element, () => svg("text", { x: 7, dy: "0.33em" }));
  return {
    title: h("div", { class: "uq-column-title" }, label.element),
    body: h("div", { class: "uq-importance-column" }, element),
    update(words: string[], sorts: boolean, { order, height, width, sight }: Rows): void {
      const [first, last] = sight;
      label.update("verdict", sorts);
      set(element, { width, height: words.length * height });
      texts(last - first).forEach((text, i) => {
        set(text, { y: (first + i) * height + ROW_HEIGHT / 2 });
        setFitted(text, words[order[first + i] ?? -1] ?? "", width - 10);
      });
    },
  };
}
