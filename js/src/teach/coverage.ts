import { tableTwin } from "../charts/table.ts";
import { button, enable } from "../controls/button.ts";
import { h, onCommit, set } from "../widget/dom.ts";
import { interval, isolated, number } from "../widget/format.ts";
import { pick } from "./controls.ts";
import { intervalChart } from "./intervals.ts";
import type { Lesson } from "./lesson.ts";

/** Intervals of sample after sample, and those that miss the importance in the population in red. */
export const coverage: Lesson = ({ session, signal, predict, act, picture }) => {
  const { fields } = session.about as NonNullable<typeof session.about>;
  const most = fields.number("most");
  const samples = () => Number(session.input("samples"));

  const guess = h("input", {
    type: "number",
    min: 0,
    max: most,
    step: 1,
    "data-testid": "uq-guess",
    "aria-label": `How many of ${most}?`,
  });
  const commit = () => {
    const value = guess.valueAsNumber;
    if (Number.isInteger(value) && value >= 0 && value <= most) session.set({ guess: value });
  };
  onCommit(guess, commit, signal);
  predict.append(h("label", { class: "uq-field" }, `My guess, of ${most}: `, guess));

  const kind = pick(
    "uq-interval",
    "Interval",
    fields.records("kinds").map((one) => ({ value: one.text("value"), label: one.text("label") })),
    (value) => session.set({ interval: value }),
    signal,
  );
  const tables = fields.optional("tables", (f) => f.records("tables")) ?? [];
  const table = pick(
    "uq-table-of-rows",
    "Each sample",
    tables.map((one) => ({ value: one.text("value"), label: one.text("label") })),
    (value) => session.set({ table: value }),
    signal,
  );
  table.element.hidden = tables.length < 2;
  const draw = (id: string, text: string, count: number) =>
    button(id, text, () => session.set({ samples: Math.min(most, samples() + count) }), signal);
  const one = draw("uq-sample", "New sample", 1);
  const ten = draw("uq-ten", "Ten new samples", 10);
  const all = draw("uq-all", `All ${most}`, most);
  const restart = button("uq-restart", "Start again", () => session.set({ samples: 0 }), signal);
  act.append(
    h("div", { class: "uq-actions" }, one, ten, all, restart),
    h("div", { class: "uq-actions uq-kinds" }, table.element),
    h("div", { class: "uq-actions uq-kinds" }, kind.element),
  );

  const chart = intervalChart();
  const twin = tableTwin("Table: the intervals of all samples", signal);
  const figure = h("figure", { class: "uq-figure", role: "group" }, chart.element, twin.element);
  picture.append(figure);

  return ({ meta, columns, inputs }, width) => {
    kind.update(session.input("interval"));
    table.update(session.input("table"));
    const expected = Number(session.input("guess"));
    if (document.activeElement !== guess) guess.value = expected < 0 ? "" : String(expected);
    for (const element of [one, ten, all]) enable(element, samples() < most);
    enable(restart, samples() > 0);
    const count = inputs.number("samples");
    const column = (name: string) => columns.get<Float64Array>(name, [count]);
    const [value, low, high] = [column("value"), column("low"), column("high")];
    const hit = columns.get<Uint8Array>("hit", [count]);
    figure.hidden = count === 0;
    if (count === 0) return;
    const rows = Array.from(value, (at, i) => ({
      label: hit[i] ? "" : "✗",
      value: at,
      low: low[i] as number,
      high: high[i] as number,
      look: hit[i] ? "plain" : "wrong",
    }));
    const truth = meta.number("population");
    const feature = isolated(fields.text("feature"));
    const unit = fields.text("unit");
    const title = `importance of ${feature} for ${fields.text("label")}${unit && `, in ${unit}`}`;
    const reference = { at: truth, label: "in the population" };
    chart.update(rows, { width, line: 8, title, bars: false, reference });
    const hits = hit.reduce((sum, each) => sum + each, 0);
    set(figure, {
      "aria-label": `Intervals of ${count} samples, of which ${hits} hold the importance in the population, ${number(truth)}`,
    });
    twin.update(() => ({
      columns: ["sample", "importance", "95 % interval", "holds the truth"],
      rows: rows.map((row, i) => [
        String(i + 1),
        number(row.value),
        interval(row.low, row.high),
        hit[i] ? "yes" : "no",
      ]),
    }));
  };
};
