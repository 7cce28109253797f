import { bars, ROW_HEIGHT } from "../../charts/bars.ts";
import { figure } from "../../charts/figure.ts";
import { button } from "../../controls/button.ts";
import { picker } from "../../controls/picker.ts";
import type { Inputs } from "../../session/inputs.ts";
import { h, pool, set, setText } from "../../widget/dom.ts";
import { counted, interval, isolated, number, percent, withUnit } from "../../widget/format.ts";
import { type Context, type Panel, section } from "../view.ts";
import type { Slices } from "./reader.ts";

/** Share of the width that the names of slices have, and the width of the buttons in pixels. */
const [NAMES, BUTTONS] = [0.4, 132];

type Slice = Slices["slices"][number];

const isShown = ({ conditions }: Slice, { ice_filter, complement }: Inputs) =>
  !complement && JSON.stringify(ice_filter) === JSON.stringify(conditions);

/** The slices in which a measure is clearly higher than elsewhere; a click on one filters all panels. */
export function slicesPanel({ session, signal, redraw }: Context): Panel {
  const measure = picker(
    "measure",
    { "data-testid": "uq-slices-measure" },
    (slices_of) => session.request({ slices_of }),
    signal,
  );
  const fig = figure(signal, redraw, "Where is it worst?");
  const chart = bars();
  const names = h("div", { class: "uq-slices-names" });
  const actions = h("div", { class: "uq-slices-actions" });
  const drawing = h("div", { class: "uq-slices-bars" }, chart.header, chart.element);
  const empty = h("p", { class: "uq-empty" });
  const caption = h("p", { class: "uq-caption" });
  fig.content.append(h("div", { class: "uq-slices-rows" }, names, drawing, actions));
  const panel = section(
    "Where is it worst?",
    "uq-slices",
    [measure.element],
    empty,
    fig.element,
    caption,
  );
  let drawn: Slices | null = null;

  const filtered = (slice: Slice) => ({ ice_filter: slice.conditions, complement: false });
  const toggle = (slice: Slice) => {
    const { inputs } = session;
    if (!isShown(slice, inputs)) return session.request(filtered(slice));
    // Without a filter there are no other rows to compare with.
    const compare_with = inputs.compare_with === "rest" ? "" : inputs.compare_with;
    session.request({ ice_filter: [], compare_with });
  };
  const keep = (slice: Slice) => {
    const { cohorts } = session.inputs;
    const others = cohorts.filter(({ name }) => name !== slice.text);
    const cohort = { name: slice.text.slice(0, 200), ...filtered(slice) };
    session.request({ cohorts: [...others, cohort] });
  };
  const compare = (slice: Slice) => session.request({ ...filtered(slice), compare_with: "rest" });
  /** Runs on the slice of a line, whose buttons stay while the slices change. */
  const withSlice = (at: number, run: (slice: Slice) => void) => () => {
    const slice = drawn?.slices[at];
    if (slice) run(slice);
  };
  let made = 0;
  const nameRows = pool(names, () => {
    const at = made++;
    return button("uq-slices-filter", "", withSlice(at, toggle), signal);
  });
  let acting = 0;
  const actionRows = pool(actions, () => {
    const at = acting++;
    const cohort = button("uq-slices-cohort", "keep", withSlice(at, keep), signal);
    const rest = button("uq-slices-compare", "compare", withSlice(at, compare), signal);
    return { element: h("div", {}, cohort, rest), cohort, rest };
  });

  const draw = (data: Slices, inputs: Inputs) => {
    const title = withUnit(`${data.label}, minus elsewhere`, data.unit);
    const { slices } = data;
    const of = (values: Float64Array) => Array.from(values);
    const [value, low, high] = [of(data.difference), of(data.low), of(data.high)];
    nameRows(slices.length).forEach((row, i) => {
      const slice = slices[i] as Slice;
      setText(row, `${isolated(slice.text)} · ${counted(slice.rows, "row")}`);
      const same = slice.same ? ` Nearly the same rows: ${slice.same}.` : "";
      set(row, {
        "aria-pressed": isShown(slice, inputs) ? "true" : "false",
        title: `${slice.text}: ${counted(slice.rows, "row")}.${same} Click to show these rows alone.`,
      });
    });
    actionRows(slices.length).forEach(({ cohort, rest }, i) => {
      const text = slices[i]?.text ?? "";
      set(cohort, { "aria-label": `keep ${isolated(text)} as a cohort` });
      set(rest, { "aria-label": `compare ${isolated(text)} with the other rows` });
    });
    // Through the style object: a strict Content-Security-Policy refuses style attributes.
    const named = Math.round(fig.width * NAMES);
    names.style.width = `${named}px`;
    chart.update(
      {
        measure: title,
        ...{ value, low, high, base: value, ghost: null, learner: null },
        ...{ height: ROW_HEIGHT, stressed: false, origin: 0 },
        picked: slices.findIndex((slice) => isShown(slice, inputs)),
        range: [value, low, high],
        sight: [0, slices.length],
      },
      Math.max(80, fig.width - named - BUTTONS - 16),
    );
    chart.element.querySelectorAll(".uq-bar").forEach((row, i) => {
      row.classList.toggle("uq-unclear", !((low[i] ?? 0) > 0));
    });
    fig.describe(
      `Where is it worst? ${title}`,
      slices.map(({ text }, i) => `${text}: ${number(value[i])}`).join("; "),
      () => ({
        columns: [
          ...["slice", "rows", data.label, "elsewhere", "difference"],
          ...[`${percent(data.level)} interval`, "p, all at once", "nearly the same rows"],
        ],
        rows: slices.map(({ text, rows, same }, i) => [
          ...[text, String(rows), number(data.value[i]), number(data.elsewhere[i])],
          ...[number(value[i]), interval(low[i], high[i]), number(data.p[i]), same],
        ]),
      }),
    );
  };

  return {
    element: panel.element,
    update({ frame, inputs }) {
      const data = frame?.slices ?? null;
      drawn = data;
      set(panel.element, { "data-stale": data?.stale ? "true" : null });
      const isEmpty = !data?.slices.length;
      fig.element.hidden = isEmpty;
      empty.hidden = !isEmpty;
      if (!data) {
        setText(empty, frame?.final ? "No slices are known." : "Slices are looked for …");
        setText(panel.note, "");
        setText(caption, "");
        return;
      }
      const choices = data.choices.map(({ name, label }) => ({ value: name, label }));
      measure.update(choices, data.measure);
      setText(empty, `In no slice is the ${data.label} clearly higher than elsewhere.`);
      const isPart = frame !== null && inputs.ice_filter.length > 0;
      setText(panel.note, isPart ? `of all ${counted(data.nRows, "row")}` : "");
      setText(
        caption,
        `Dots: ${withUnit(data.label, data.unit)} in the slice minus elsewhere. ${data.tested}.`,
      );
      if (!isEmpty) draw(data, inputs);
    },
  };
}
