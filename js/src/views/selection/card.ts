import { button } from "../../controls/button.ts";
import "./card.css";
import type { Change } from "../../session/condition.ts";
import type { Frame } from "../../session/frame.ts";
import type { ModelInfo } from "../../session/modelInfo.ts";
import { h, set, setText } from "../../widget/dom.ts";
import { isolated, number, percent, withUnit } from "../../widget/format.ts";
import { millisecondsOf, momentOf } from "./moments.ts";
import { nameOf } from "./names.ts";
import { predictionPicture } from "./prediction.ts";
import type { Answer, CardMeasure, Selection } from "./reader.ts";
import { type Value, valueTable, valueText } from "./values.ts";

/** Measures of which a larger one means that the model knows less. */
const UNCERTAIN = ["entropy", "std", "aleatoric", "epistemic"];

const rankText = ({ name, isPrediction }: CardMeasure, rank: number): string => {
  const than = UNCERTAIN.includes(name)
    ? "more uncertain than"
    : isPrediction
      ? "above"
      : "larger than in";
  return Number.isFinite(rank) ? `${than} ${percent(rank)}` : "";
};

/** The values of a row by feature. */
function valuesOf(data: Selection, card: number, { features }: ModelInfo): Map<string, Value> {
  const numeric = features.filter(({ kind }) => kind === "numeric").length;
  const numbers = data.numbers.subarray(card * numeric, (card + 1) * numeric);
  const texts = data.texts[card] ?? [];
  let [i, k] = [0, 0];
  return new Map(
    features.map(({ name, kind }): [string, Value] => {
      if (kind !== "numeric") return [name, texts[k++] ?? null];
      const value = numbers[i++] ?? Number.NaN;
      return [name, Number.isFinite(value) ? value : null];
    }),
  );
}

/** The value of a row's line at a value of its feature, where the curve was evaluated there. */
export function alongLine(frame: Frame, row: number, { feature, value }: Change): number | null {
  const { dependence: lines } = frame;
  if (!lines || lines.feature !== feature || lines.center || lines.derivative) return null;
  const line = lines.iceRow.indexOf(row);
  const at =
    typeof value === "string"
      ? lines.time
        ? lines.grid.indexOf(millisecondsOf(value))
        : (lines.labels?.indexOf(value) ?? -1)
      : value === null
        ? -1
        : lines.grid.indexOf(value);
  if (line < 0 || at < 0) return null;
  return lines.ice[line * lines.grid.length + at] ?? null;
}

/** The prediction, the truth and the weight of a row. */
function factsOf(
  data: Selection,
  frame: Frame,
  row: number,
  answer: Answer | null,
  isStill: boolean,
): string {
  const i = data.listed.indexOf(row);
  const word = (value: number): string =>
    data.classes ? isolated(data.classes[value] ?? "not available") : number(value);
  const truth = data.truth[i] ?? Number.NaN;
  // In a page without a kernel, the lines hold the weights at every τ.
  const line = frame.dependence?.iceRow.indexOf(row) ?? -1;
  const weight = isStill && line >= 0 ? frame.dependence?.iceWeight[line] : data.weight[i];
  const isStressed = frame.inputs.tau !== 0 && frame.inputs.stress_feature !== "";
  const weighted = isStressed ? `counts as ${number(weight)} rows at this τ` : "";
  const changed = answer ? `, changed ${word(answer.predicted)}` : "";
  const facts = [
    `predicted ${word(data.predicted[i] ?? Number.NaN)}${changed}`,
    Number.isFinite(truth) ? `truly ${word(truth)}` : "",
    weight === 0 ? "not among the rows shown" : weighted,
  ];
  return facts.filter(Boolean).join("; ");
}

/** The grid of the lines that are drawn, none while they are out of date. */
function gridOf({ dependence: lines }: Frame) {
  if (!lines || lines.stale) return [];
  if (lines.time) return Array.from(lines.grid, momentOf);
  return lines.labels ?? Array.from(lines.grid);
}

/** What was changed, and whether its result is known. */
function changesText(
  changes: Change[],
  own: Map<string, Value>,
  isKnown: boolean,
  isStill: boolean,
): string {
  if (!changes.length) return "";
  const sentences = changes.map(
    ({ feature, value }) =>
      `${isolated(feature)} ${valueText(value)} in place of ${valueText(own.get(feature) ?? null)}`,
  );
  const waiting = isStill
    ? ": the page holds this only along the line that is drawn"
    : ": asking the model…";
  return sentences.join(", ") + (isKnown ? "" : waiting);
}

/** The table of the measures of a row, with those of the changed values. */
function measureTable() {
  const heading = (text: string) => h("th", { scope: "col" }, text);
  const changed = heading("changed");
  const headings = [heading("the model says"), heading("value")];
  const head = h("tr", {}, ...headings, changed, heading("compared with the rows"));
  const body = h("tbody");
  const attributes = { class: "uq-card-measures", "data-testid": "uq-card-measures" };
  return {
    element: h("table", attributes, h("thead", {}, head), body),
    /** Shows row `i` of the list; `offline` is the changed value of the measure `shown`. */
    update(
      data: Selection,
      i: number,
      answer: Answer | null,
      offline: number | null,
      shown: string | undefined,
    ): void {
      changed.hidden = !answer && offline === null;
      const rows = data.measures.flatMap((measure, k) => {
        const at = i * data.measures.length + k;
        const along = measure.name === shown && offline !== null ? number(offline) : "";
        // The bars above are the probabilities.
        if (measure.isPrediction && data.classes && !along) return [];
        const cells = [
          number(data.values[at]),
          ...(changed.hidden ? [] : [answer ? number(answer.measures[k]) : along]),
          rankText(measure, data.rank[at] ?? Number.NaN),
        ];
        const name = h("th", { scope: "row" }, withUnit(measure.label, measure.unit));
        return h("tr", {}, name, ...cells.map((text) => h("td", {}, text)));
      });
      body.replaceChildren(...rows);
    },
  };
}

/** What the card of a row is updated with. */
export interface CardState {
  frame: Frame;
  data: Selection;
  row: number;
  /** Position of the row among the selected ones, and their number. */
  at: number;
  count: number;
  changes: Change[];
  isStill: boolean;
}

/** One selected row: its values, what the model says of it, and what it would say of other values. */
export function rowCard(
  about: ModelInfo,
  actions: { step(by: number): void; change(changes: Change[]): void },
  signal: AbortSignal,
) {
  const labelled = (id: string, text: string, label: string, run: () => void) =>
    button(id, text, run, signal, { "aria-label": label });
  const title = h("h4");
  const place = h("span", { class: "uq-muted" });
  const previous = labelled("uq-card-previous", "‹", "previous selected row", () =>
    actions.step(-1),
  );
  const next = labelled("uq-card-next", "›", "next selected row", () => actions.step(1));
  const facts = h("p", { class: "uq-card-facts", "data-testid": "uq-card-facts" });
  const picture = predictionPicture();
  const measures = measureTable();
  const status = h("p", {
    class: "uq-card-status",
    role: "status",
    "data-testid": "uq-what-if-status",
  });
  const reset = labelled("uq-what-if-reset", "reset", "reset all values of this row", () =>
    actions.change([]),
  );
  const values = valueTable(about.features, (changes) => actions.change(changes), signal);
  const whatIf = h(
    "div",
    { class: "uq-what-if" },
    h(
      "div",
      { class: "uq-what-if-head" },
      h("h4", {}, "Values, and what if one were another"),
      reset,
    ),
    values.element,
    status,
  );
  const missing = h("p", { class: "uq-muted" });
  const content = h(
    "div",
    { class: "uq-card-content" },
    h("div", {}, facts, picture.element, measures.element),
    whatIf,
  );
  const element = h(
    "section",
    { class: "uq-card", "aria-label": "selected row", "data-testid": "uq-card" },
    h("div", { class: "uq-card-head" }, previous, title, next, place),
    missing,
    content,
  );
  element.addEventListener(
    "keydown",
    (event) => {
      // Arrow keys belong to the fields; with Alt they walk through the selected rows.
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by || !event.altKey) return;
      event.preventDefault();
      actions.step(by);
    },
    { signal },
  );

  return {
    element,
    update({ frame, data, row, at, count, changes, isStill }: CardState): void {
      setText(title, nameOf(frame, row));
      setText(place, count > 1 ? `${at + 1} of ${count} selected` : "");
      previous.disabled = next.disabled = count < 2;
      const i = data.listed.indexOf(row);
      const card = data.card.indexOf(row);
      content.hidden = card < 0;
      missing.hidden = card >= 0;
      setText(missing, isStill ? "This page does not hold the values of this row." : "…");
      if (card < 0 || i < 0) return;
      const width = data.card.length ? data.prediction.length / data.card.length : 0;
      const now = data.prediction.subarray(card * width, (card + 1) * width);
      const { whatIf: trial } = data;
      const isAnswered =
        trial?.row === row && JSON.stringify(trial.changes) === JSON.stringify(changes);
      const answer = changes.length && isAnswered ? trial.answer : null;
      setText(facts, factsOf(data, frame, row, answer, isStill));
      picture.update(data, now, data.truth[i] ?? Number.NaN, answer?.prediction ?? null);
      const change = changes.length === 1 && isStill ? changes[0] : undefined;
      const offline = change ? alongLine(frame, row, change) : null;
      measures.update(data, i, answer, offline, frame.dependence?.measure);
      const own = valuesOf(data, card, about);
      values.update(own, changes, frame.dependence?.feature ?? "", gridOf(frame) as number[]);
      // A disabled button would lose the focus.
      set(reset, { "aria-disabled": changes.length === 0 ? "true" : null });
      set(element, { "data-changed": changes.length ? "true" : null });
      const error = changes.length && isAnswered ? trial.error : null;
      set(status, { "data-error": error ? "true" : null });
      const isKnown = answer !== null || offline !== null || error !== null;
      setText(status, error ?? changesText(changes, own, isKnown, isStill));
    },
  };
}
