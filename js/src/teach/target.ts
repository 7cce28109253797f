import { scaleLinear } from "d3-scale";
import { axes, setFitted } from "../charts/axis.ts";
import { extent } from "../charts/domain.ts";
import { place, placeLevel } from "../charts/marks.ts";
import { linePath } from "../charts/paths.ts";
import { tableTwin } from "../charts/table.ts";
import { button, enable } from "../controls/button.ts";
import { h, set, setText, svg } from "../widget/dom.ts";
import { isolated, number, whole, worth } from "../widget/format.ts";
import { choices, featureChoices, pick } from "./controls.ts";
import { intervalChart } from "./intervals.ts";
import type { Lesson } from "./lesson.ts";

const HEIGHT = 190;
const TOP = 22;

/** An indicator over the mean of a feature, with the target as a line and the present level as a dot. */
function targetChart() {
  const { left, bottom, update: drawAxes } = axes();
  const goal = svg("line", { class: "uq-truth" });
  const named = svg("text", { class: "uq-title uq-truth-name", "text-anchor": "end" });
  const curve = svg("path", { class: "uq-target-curve" });
  const dot = svg("circle", { class: "uq-target-now", r: 5 });
  const yTitle = svg("text", { class: "uq-title", y: 11 });
  const xTitle = svg("text", { class: "uq-title", "text-anchor": "middle" });
  const element = svg(
    "svg",
    { height: HEIGHT + 40, "aria-hidden": "true" },
    left,
    goal,
    curve,
    dot,
    bottom,
    named,
    yTitle,
    xTitle,
  );
  return {
    element,
    update(
      mean: Float64Array,
      value: Float64Array,
      level: number,
      target: number,
      titles: { x: string; y: string },
      width: number,
    ): void {
      const [least, most] = extent(value, [target, 0]) ?? [0, 1];
      const y = scaleLinear([least, most > least ? most : least + 1], [HEIGHT, TOP]).nice(5);
      const size = { top: TOP, height: HEIGHT - TOP, width };
      const along = (range: [number, number]) => scaleLinear(extent(mean) ?? [0, 1], range);
      const { x, margin, inner } = drawAxes(y, size, along);
      set(element, { width });
      const xs = Array.from(mean, (at) => x(at));
      const ys = Array.from(value, (at) => y(at));
      set(curve, { d: linePath(xs, ys) });
      placeLevel(goal, y(target), margin, margin + inner);
      set(named, { x: margin + inner, y: y(target) - 5 });
      setText(named, `target ${number(target)}`);
      place(dot, [ys[level]], () => ({ cx: xs[level]?.toFixed(1), cy: ys[level]?.toFixed(1) }));
      setFitted(yTitle, titles.y, width);
      set(xTitle, { x: margin + inner / 2, y: HEIGHT + 34 });
      setFitted(xTitle, titles.x, inner);
    },
  };
}

/** Move the mean of a feature until an indicator reaches its target. */
export const target: Lesson = ({ session, signal, predict, act, picture }) => {
  const { fields } = session.about as NonNullable<typeof session.about>;
  const features = fields.texts("features");
  const feature = pick(
    "uq-feature",
    "Stressed feature",
    featureChoices(fields),
    (value) => session.set({ feature: value, tau: 0, guess: "", revealed: false }),
    signal,
  );
  const guess = choices(
    "uq-guess",
    fields.text("question"),
    fields
      .records("guesses")
      .map((one) => ({ value: one.text("value"), label: one.text("label") })),
    (value) => session.set({ guess: value }),
    signal,
  );
  const base = h("p", { class: "uq-muted", "data-testid": "uq-base" });
  predict.append(h("div", { class: "uq-actions" }, feature.element), base, guess.element);

  const slider = h("input", {
    type: "range",
    min: -1,
    max: 1,
    step: 0.02,
    class: "uq-mean",
    "data-testid": "uq-tau",
    "aria-label": "Mean of the feature",
  });
  slider.addEventListener("input", () => session.set({ tau: slider.valueAsNumber }), { signal });
  const rows = h("p", { class: "uq-muted", "data-testid": "uq-worth" });
  const show = button(
    "uq-reveal",
    "Show all levels",
    () => session.set({ revealed: true }),
    signal,
  );
  const back = button("uq-restart", "Back to the data", () => session.set({ tau: 0 }), signal);
  act.append(slider, rows, h("div", { class: "uq-actions" }, back, show));

  const chart = targetChart();
  const shifts = intervalChart();
  const twin = tableTwin("Table: the indicator, and the means that come along", signal);
  const figure = h(
    "figure",
    { class: "uq-figure", role: "group" },
    chart.element,
    shifts.element,
    twin.element,
  );
  picture.append(figure);

  return ({ meta, columns, inputs }, width) => {
    feature.update(session.input("feature"));
    guess.update(session.input("guess"));
    const tau = Number(session.input("tau"));
    if (slider.valueAsNumber !== tau) slider.value = String(tau);
    enable(show, session.input("revealed") !== true);
    enable(back, tau !== 0);
    const level = meta.number("level");
    const mean = columns.get<Float64Array>("mean", [null]);
    const value = columns.get<Float64Array>("value", [mean.length]);
    const shift = columns.get<Float64Array>("shift", [features.length]);
    const untouched = meta.optional("base", (m) => number(m.number("base"))) ?? "not known";
    setText(base, `In the data as they are, the ${fields.text("label")} is ${untouched}.`);
    const ess = meta.optional("ess", (m) => m.number("ess"));
    const name = isolated(inputs.text("feature"));
    const now = `mean of ${name} ${number(mean[level])}`;
    set(slider, { "aria-valuetext": now });
    setText(rows, `${now}, ${ess === null ? "no such weights" : worth(ess, meta.number("n"))}`);
    const [label, unit] = [fields.text("label"), fields.text("unit")];
    const titles = { x: `mean of ${name}`, y: unit ? `${label} (${unit})` : label };
    chart.update(mean, value, level, fields.number("target"), titles, width);
    const bars = features.map((each, i) => ({
      label: each,
      value: shift[i] as number,
      low: Number.NaN,
      high: Number.NaN,
      look: "plain",
    }));
    const moved = bars.filter(({ value }) => Number.isFinite(value));
    shifts.update(moved, {
      width,
      line: 20,
      title: "shift of each mean, in standard deviations",
      bars: true,
    });
    set(shifts.element, { display: moved.length ? null : "none" });
    set(figure, {
      "aria-label": `${label} ${number(value[level])} at a ${now}, target ${number(fields.number("target"))}`,
    });
    twin.update(() => ({
      columns: ["quantity", "value"],
      rows: [
        [now, `${label} ${number(value[level])}`],
        ["rows that the weights are worth", ess === null ? "none" : whole(ess)],
        ...moved.map((one) => [`shift of ${one.label}`, number(one.value)]),
      ],
    }));
  };
};
