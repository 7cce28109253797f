import { tableTwin } from "../charts/table.ts";
import { button, enable } from "../controls/button.ts";
import { h, set } from "../widget/dom.ts";
import { interval, isolated, number } from "../widget/format.ts";
import { choices, featureChoices, pick } from "./controls.ts";
import { intervalChart } from "./intervals.ts";
import { jumpChart } from "./jumps.ts";
import type { Lesson } from "./lesson.ts";

const NAMES = { nll: "likelihood loss (nll)", entropy: "entropy" } as const;
const MEASURES = ["nll", "entropy"] as const;

/** Rows get another row's value one by one, then all of them again and again. */
export const shuffle: Lesson = ({ session, signal, predict, act, picture, say }) => {
  const { fields } = session.about as NonNullable<typeof session.about>;
  const shown = fields.number("n_shown");
  const [most, repeatsOnly] = [fields.number("most_repeats"), fields.number("n_repeats")];
  const rows = () => Number(session.input("rows"));
  const repeats = () => Number(session.input("repeats"));

  const feature = pick(
    "uq-feature",
    "Shuffled feature",
    featureChoices(fields),
    (value) => session.set({ feature: value, guess: "", rows: 0, repeats: 1 }),
    signal,
  );
  const guess = choices(
    "uq-guess",
    "What will rise more?",
    fields
      .records("guesses")
      .map((one) => ({ value: one.text("value"), label: one.text("label") })),
    (value) => session.set({ guess: value }),
    signal,
  );
  predict.append(h("div", { class: "uq-actions" }, feature.element), guess.element);

  const make = (id: string, text: string, changes: () => object) =>
    button(id, text, () => session.set({ ...changes() }), signal);
  const one = make("uq-one-row", "Shuffle one row", () => ({ rows: rows() + 1 }));
  const all = make("uq-all-rows", "Shuffle all rows", () => ({ rows: shown }));
  const again = make("uq-again", "Shuffle again", () => ({ repeats: repeats() + 1 }));
  const every = make("uq-all-donors", "All donors", () => ({ repeats: most }));
  const restart = make("uq-restart", "Start again", () => ({ rows: 0, repeats: 1 }));
  act.append(h("div", { class: "uq-actions" }, one, all, again, every, restart));
  every.hidden = most === repeatsOnly;

  const charts = { nll: jumpChart(), entropy: jumpChart() };
  const bars = intervalChart();
  const twin = tableTwin("Table: rows, their values, and both bars", signal);
  const pair = h("div", { class: "uq-pair" }, charts.nll.element, charts.entropy.element);
  const figure = h(
    "figure",
    { class: "uq-figure", role: "group" },
    pair,
    bars.element,
    twin.element,
  );
  picture.append(figure);
  let spoken = "";

  return ({ meta, columns, inputs }, width) => {
    feature.update(session.input("feature"));
    guess.update(session.input("guess"));
    const complete = rows() === shown;
    enable(one, !complete);
    enable(all, !complete);
    enable(again, complete && repeats() < repeatsOnly);
    enable(every, complete && repeats() < most);
    enable(restart, rows() > 0);

    const lit = inputs.number("rows");
    const times = inputs.number("repeats");
    const [own, replaced, positions] = [meta.texts("own"), meta.texts("new"), meta.indices("rows")];
    const side = width >= 520 ? Math.floor((width - 16) / 2) : width;
    const values = Object.fromEntries(
      MEASURES.map((name) => [
        name,
        {
          before: columns.get<Float64Array>(`${name}.before`, [shown]),
          after: columns.get<Float64Array>(`${name}.after`, [lit]),
        },
      ]),
    ) as Record<(typeof MEASURES)[number], { before: Float64Array; after: Float64Array }>;
    for (const name of MEASURES) {
      const { before, after } = values[name];
      const last = lit < shown ? lit - 1 : -1;
      charts[name].update(`${NAMES[name]} of ${shown} rows, in nats`, side, before, after, last);
    }
    const drawn = columns.get<Float64Array>("bars", [2, 3]);
    const at = (i: number, k: number) => drawn[3 * i + k] as number;
    const lines = MEASURES.map((name, i) => ({
      label: NAMES[name],
      value: at(i, 0),
      low: at(i, 1),
      high: at(i, 2),
      look: "plain",
    }));
    const donors = times > repeatsOnly ? "all donors" : `${times} shuffle${times === 1 ? "" : "s"}`;
    const of = lit < shown ? `${lit} rows so far` : `all rows, ${donors}`;
    bars.update(lines, { width, line: 26, title: `mean rise in nats: ${of}`, bars: true });
    const name = isolated(inputs.text("feature"));
    set(figure, {
      "aria-label": `Rise when ${name} is shuffled, ${of}: ${lines
        .map(({ label, value }) => `${label} ${number(value)} nats`)
        .join(", ")}`,
    });
    twin.update(() => ({
      columns: ["row", "value", "new value", ...MEASURES.flatMap((m) => [m, `${m} after`])],
      rows: [
        ...positions.map((row, i) => [
          String(row),
          own[i] ?? "",
          replaced[i] ?? "",
          ...MEASURES.flatMap((m) => [
            number(values[m].before[i]),
            i < lit ? number(values[m].after[i]) : "",
          ]),
        ]),
        ...lines.map(({ label, value, low, high }) => [
          `mean rise, ${label}`,
          number(value),
          interval(low, high),
          "",
          "",
          "",
          "",
        ]),
      ],
    }));
    const i = lit - 1;
    const now =
      lit > 0 && lit < shown
        ? `Row ${positions[i]}: ${name} ${own[i]} became ${replaced[i]}; ${MEASURES.map(
            (m) => `${NAMES[m]} ${number(values[m].before[i])} to ${number(values[m].after[i])}`,
          ).join(", ")}.`
        : "";
    if (now !== spoken) {
      spoken = now;
      say(now);
    }
  };
};
