import { BELOW, bars, ROW_HEIGHT } from "../../charts/bars.ts";
import { figure } from "../../charts/figure.ts";
import { featureList } from "../../controls/listbox.ts";
import { picker, wholeNumber } from "../../controls/picker.ts";
import { h, set, setText, svg } from "../../dom.ts";
import { counted, interval, isolated, number, percent, soFar, withUnit } from "../../format.ts";
import type { Averages } from "../../frame.ts";
import {
  isStressed,
  key,
  LEARNER_COLUMNS,
  learnerKey,
  ofLearner,
  pinKey,
  swatch,
} from "../legend.ts";
import { type Context, type Panel, type Shown, section } from "../view.ts";
import type { Importance } from "./reader.ts";

/** The sources of variation that each kind of interval accounts for. */
const INTERVALS: Readonly<Record<string, string>> = {
  "u-statistic": "new rows (default)",
  model: "new rows, same donors",
  "fixed-data": "new shuffles only",
  "random-variable": "rows times shuffles",
  quantile: "spread of shuffles",
};

/** Measures of confidence; the others are losses. */
const OF_CONFIDENCE = ["entropy", "std", "aleatoric", "epistemic"];

/** One measure: its title and axis in the fixed header, its bars in the scrolling part. */
function measureColumn() {
  const chart = bars();
  const label = h("strong");
  const words = h("span", { class: "uq-muted" });
  const unit = h("span", { class: "uq-muted" });
  return {
    chart,
    label,
    words,
    unit,
    title: h("div", { class: "uq-column-title" }, label, words, unit, chart.header),
    body: h("div", { class: "uq-importance-column" }, chart.element),
  };
}

export function importancePanel({ session, about, signal, redraw }: Context): Panel {
  const names = about.features.map(({ name }) => name);
  const list = featureList(names, (feature) => session.request({ feature }), signal);
  const head = h("div", { class: "uq-importance-head" });
  const plots = h("div", { class: "uq-importance-plots" });
  const body = h("div", { class: "uq-importance-body" }, plots, list.element);
  const scroller = h("div", { class: "uq-importance-scroll" }, head, body);
  const fig = figure(signal, redraw, "Importance", scroller);
  const tick = svg("line", { x1: 2, x2: 2, y1: 0, y2: 12 });
  const ghostKey = h(
    "span",
    { class: "uq-muted uq-key-tick" },
    svg("svg", { width: 4, height: 12, "aria-hidden": "true" }, tick),
    " at τ = 0",
  );
  const empty = h("p", { class: "uq-empty" }, "no importance yet");
  const modelKey = swatch("uq-key-model", [], svg("circle", { cx: 12, cy: 5, r: 3.2 }));
  const besideKey = learnerKey(true);
  const box = svg("rect", { x: 1, y: 1, width: 22, height: 8 });
  const outline = { class: "uq-swatch uq-key-pin", width: 24, height: 10, "aria-hidden": "true" };
  const pinnedKey = pinKey(svg("svg", outline, box));
  const ownKey = key("model", modelKey);
  const legend = h("div", { class: "uq-legend" }, ownKey, besideKey.element, pinnedKey.element);
  fig.plot.append(empty);
  let columns: ReturnType<typeof measureColumn>[] = [];

  const kind = picker(
    "uncertainty from",
    { "data-testid": "uq-interval" },
    (value) => session.request({ interval: value }),
    signal,
  );
  const repeats = wholeNumber(
    "shuffles per feature",
    { min: 2, max: 1000, "data-testid": "uq-repeats" },
    (value) => session.request({ n_repeats: value }),
    signal,
  );
  const panel = section(
    "Importance",
    "uq-importance",
    [kind.element, repeats.element],
    fig.element,
  );

  const of = (values: Float64Array, measure: number, feature: number) =>
    values[measure * names.length + feature] ?? Number.NaN;

  const inWords = (data: Importance, learner: Averages | null, feature: number): string => {
    const described = ({ value, low, high }: Averages, unit: string, m: number) =>
      `${number(of(value, m, feature))}${unit && ` ${unit}`} ` +
      `(${interval(of(low, m, feature), of(high, m, feature))})`;
    return data.measures
      .map(
        ({ label, unit }, m) =>
          `${label} ${described(data, unit, m)}${learner ? `, learner ${described(learner, unit, m)}` : ""}`,
      )
      .join("; ");
  };

  const groupOf = (feature: number): string => {
    const group = about.features[feature]?.group;
    return group ? `in group ${isolated(group)}; ` : "";
  };

  const draw = (data: Importance, learner: Averages | null, { frame, inputs }: Shown) => {
    const { order, measures } = data;
    // The room of the learner's marks is reserved before they arrive, so that the layout is stable.
    const awaited = frame?.learner && frame.learner.state !== "failed";
    const height = ROW_HEIGHT + (learner || awaited ? BELOW : 0);
    const nameWidth = Math.round(Math.min(200, Math.max(92, fig.width * 0.32)));
    const each = Math.floor((fig.width - nameWidth) / Math.max(1, measures.length));
    scroller.style.setProperty("--uq-row", `${height}px`);
    scroller.style.setProperty("--uq-name", `${nameWidth}px`);
    scroller.style.setProperty("--uq-column", `${each}px`);
    body.style.height = `${order.length * height}px`;
    if (columns.length !== measures.length) {
      columns = measures.map(measureColumn);
      head.replaceChildren(
        h("div", { class: "uq-column-title uq-column-name" }, h("strong", {}, "Feature"), ghostKey),
        ...columns.map(({ title }) => title),
      );
      plots.replaceChildren(...columns.map((column) => column.body));
    }
    const stressed = frame !== null && isStressed(frame);
    ghostKey.hidden = !stressed;
    measures.forEach((measure, m) => {
      const { chart, label, words, unit, title } = columns[m] as ReturnType<typeof measureColumn>;
      const inOrder = (values: Float64Array) => order.map((feature) => of(values, m, feature));
      chart.update(
        {
          measure: measure.name,
          value: inOrder(data.value),
          low: inOrder(data.low),
          high: inOrder(data.high),
          base: inOrder(data.base),
          ghost: data.ghost && inOrder(data.ghost),
          height,
          learner: learner && {
            value: inOrder(learner.value),
            low: inOrder(learner.low),
            high: inOrder(learner.high),
          },
          stressed,
          picked: order.findIndex((feature) => names[feature] === inputs.feature),
        },
        each,
      );
      setText(label, measure.label);
      const sure = OF_CONFIDENCE.includes(measure.name);
      setText(words, sure ? "how much less sure" : "how much worse");
      setText(unit, [measure.unit, `${percent(data.level)} interval`].filter(Boolean).join(" · "));
      const loss = withUnit(measure.label, measure.unit);
      set(title, { title: `${loss}; of the data as they are: ${number(measure.baseline)}` });
    });
    list.update(
      order.map((feature) => ({
        feature,
        text: groupOf(feature) + inWords(data, learner, feature),
      })),
      inputs.feature,
      stressed ? inputs.stress_feature : null,
    );
  };

  const describe = (data: Importance, learner: Averages | null) => {
    const best = data.order
      .slice(0, 3)
      .map((i) => `${isolated(names[i] ?? "")}: ${inWords(data, learner, i)}`);
    fig.describe(
      `Importance of ${counted(data.order.length, "feature")} with ${percent(data.level)} intervals (${data.interval})`,
      `Most important first. ${best.join(". ")}.`,
      () => ({
        columns: [
          "feature",
          ...data.measures.flatMap(({ label, unit }) => [
            withUnit(label, unit),
            "low",
            "high",
            "at τ = 0",
            ...(data.ghost ? ["pin"] : []),
            ...(learner ? LEARNER_COLUMNS : []),
          ]),
        ],
        rows: data.order.map((i) => [
          names[i] ?? "",
          ...data.measures.flatMap((_, m) =>
            [
              ...[data.value, data.low, data.high, data.base],
              ...(data.ghost ? [data.ghost] : []),
              ...ofLearner(learner),
            ].map((values) => number(of(values, m, i))),
          ),
        ]),
      }),
    );
  };

  return {
    element: panel.element,
    update(shown) {
      const data = shown.frame?.importance ?? null;
      kind.update(
        about.intervals.map((value) => ({ value, label: INTERVALS[value] ?? value })),
        shown.inputs.interval,
      );
      repeats.update(shown.inputs.n_repeats);
      set(panel.element, { "data-stale": data?.stale ? "true" : null });
      scroller.hidden = !data;
      empty.hidden = data !== null;
      setText(empty, shown.frame?.final ? "no importance" : "no importance yet");
      const learner = shown.frame?.learner?.averages.importance ?? null;
      if (!data || !shown.frame) return;
      const { ghost, learner: beside } = shown.frame;
      if (!beside && !ghost) legend.remove();
      else if (!legend.isConnected) fig.plot.prepend(legend);
      ownKey.hidden = !beside;
      besideKey.update(shown.frame, "importance");
      pinnedKey.update(ghost, data.ghost ? null : "importance");
      draw(data, learner, shown);
      describe(data, learner);
      const { n_repeats, n_repeats_wanted } = data;
      const done =
        n_repeats < n_repeats_wanted ? `${n_repeats} of ${n_repeats_wanted}` : `${n_repeats}`;
      const alone = about.features.some(({ group }) => group) ? ", groups one by one" : "";
      setText(
        panel.note,
        `values shuffled ${done} times over ${soFar(data.n_rows, data.n_rows_least, data.n_rows_most)}${alone}`,
      );
    },
  };
}
