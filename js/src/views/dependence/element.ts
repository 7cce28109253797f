import { crosshair, type Readable } from "../../charts/crosshair.ts";
import { type CurveOptions, curves, type Ghostly, gridLabel } from "../../charts/curves.ts";
import { extent } from "../../charts/domain.ts";
import { figure } from "../../charts/figure.ts";
import { MANY } from "../../charts/lines.ts";
import { moreOnDemand, partOnDemand } from "../../controls/onDemand.ts";
import { picker } from "../../controls/picker.ts";
import type { Averages, Frame } from "../../session/frame.ts";
import type { ModelInfo } from "../../session/modelInfo.ts";
import { h, set, setText } from "../../widget/dom.ts";
import {
  counted,
  interval,
  isolated,
  isolatedIn,
  number,
  percent,
  soFar,
  withUnit,
} from "../../widget/format.ts";
import {
  classKeys,
  isStressed,
  key,
  LEARNER_COLUMNS,
  learnerKey,
  ofLearner,
  pinKey,
  rowsBehind,
  rowsIn,
  swatch,
} from "../legend.ts";
import {
  type Context,
  failureOf,
  type LineSpots,
  type Panel,
  type Shown,
  section,
} from "../view.ts";
import type { Dependence } from "./reader.ts";

type CurveDetails = typeof import("./curveDetails/index.ts");

/** A sentence where one value lies in the interval at every point, so that the average may be flat. */
const clear = ({ low, high }: Dependence): string =>
  Math.max(...low.filter(Number.isFinite)) <= Math.min(...high.filter(Number.isFinite))
    ? " A change is not clear from these rows."
    : "";

/** Describes a curve by its first and last value and its range. */
function course(data: Dependence, values: Float64Array): string {
  const [lowest, highest] = extent(values) ?? [];
  const last = values.length - 1;
  return (
    `goes from ${number(values[0])} at ${isolated(gridLabel(data, 0))} to ${number(values[last])} at ` +
    `${isolated(gridLabel(data, last))}, lowest ${number(lowest)}, highest ${number(highest)}.`
  );
}

/** The ghost curve, if it has the feature and measure of the current curve. */
function ghostOf(data: Dependence, { ghost, inputs }: Frame): Ghostly | null {
  const { ghost: value, ghostGrid: grid } = data;
  if (!ghost || !value || !grid || value.length !== grid.length) return null;
  const { feature, measure } = ghost.state;
  const forms = ["center", "center_at", "derivative", "relative", "spacing"] as const;
  const isSame =
    feature === data.feature &&
    measure === data.measure &&
    forms.every((name) => ghost.state[name] === inputs[name]);
  // A coarse grid is a part of the fine one.
  const at = (i: number) => value[grid.indexOf(data.grid[i] ?? Number.NaN)] ?? Number.NaN;
  return isSame ? { value, grid, at } : null;
}

/** The keys of the curve, of what is drawn beside it, and of its lines. */
function curveLegend({ classes: labels, target, level }: ModelInfo) {
  const averageKey = h("span");
  const farKey = h("span");
  const besideKey = learnerKey(false);
  const ghostKey = key("average at τ = 0", swatch("uq-key-ghost"));
  const pinnedKey = pinKey();
  const each = h("span");
  const lineKeys = labels.length
    ? classKeys(labels, target ?? "y")
    : [key(each, swatch("uq-class-0"))];
  const classes = h("span", { class: "uq-group-legend" }, ...lineKeys);
  const average = key(averageKey, swatch("uq-key-average"));
  const beside = [besideKey.element, farKey, ghostKey, pinnedKey.element];
  const element = h("div", { class: "uq-legend" }, average, ...beside, classes);
  return {
    element,
    /** The keys of the lines, which groups replace by their own. */
    classes,
    update(data: Dependence, frame: Frame, ghost: Ghostly | null): void {
      const range = interval(data.low[0], data.high[0]);
      const withInterval = range === "no interval" ? "" : `, ${percent(level)} interval`;
      setText(averageKey, `${frame.learner ? "model, " : ""}average${withInterval}`);
      ghostKey.hidden = !isStressed(frame);
      farKey.hidden = data.near.every(Boolean);
      setText(each, `one ${data.isApart ? "tick" : "line"} per row`);
      set(element, { "data-apart": data.isApart ? "true" : null });
      setText(farKey, `${data.isApart ? "hollow" : "dotted"}: hardly any data here`);
      besideKey.update(frame, "dependence");
      pinnedKey.update(frame.ghost, ghost ? null : "such curve");
    },
  };
}

export function dependencePanel(context: Context): Panel {
  const { session, about, signal, redraw, plots } = context;
  const fig = figure(signal, redraw, "Dependence");
  const chart = curves();
  const read = crosshair(signal);
  const legend = curveLegend(about);
  const details = partOnDemand(context, () => import("./curveDetails/index.ts"));
  let added: ReturnType<CurveDetails["additions"]> | null = null;
  const plot = h("div", { class: "uq-layers" });
  const foot = h("div");
  const empty = h("p", { class: "uq-empty" }, "no curve yet");
  fig.content.append(legend.element, plot, foot);
  fig.plot.append(empty);

  const feature = picker(
    "feature",
    { "data-testid": "uq-feature" },
    (value) => session.request({ feature: value }),
    signal,
  );
  const measure = picker(
    "watch",
    { "data-testid": "uq-measure" },
    (value) => session.request({ measure: value }),
    signal,
  );
  const more = moreOnDemand(
    context,
    "uq-dependence-options",
    () => import("./curveDetails/index.ts"),
    ({ curveControls }) => curveControls(session, about, signal),
  );
  const controls = [feature, measure, more].map(({ element }) => element);
  const failure = failureOf("dependence");
  const panel = section("Dependence", "uq-dependence", controls, failure.element, fig.element);
  const features = about.features.map(({ name }) => ({ value: name, label: name }));
  const none = { value: "", label: "choose a feature", disabled: true };
  const measures = about.measures.map(({ name, label }) => ({ value: name, label }));

  /** Puts the chart into the plot that the data need, and draws it; false while its code is not there. */
  const draw = (plain: Dependence, { frame, inputs }: Shown, options: CurveOptions): boolean => {
    const isNeeded = plain.isApart || plain.time || plain.colorBy !== "";
    const isAdded = isNeeded || plain.groupAverage || plain.own || plain.n_lines > MANY;
    const module = isAdded ? details.require(frame) : null;
    if (isNeeded && !module) return false;
    if (module) added ??= module.additions(legend.element, signal, redraw);
    const { data, ...additions } = added?.update(plain, inputs) ?? { data: plain };
    legend.classes.hidden = data.colorBy !== "";
    const shown = data.isApart && added ? added.categories : chart;
    if (shown.element.parentElement !== plot) {
      plot.replaceChildren(shown.canvas, shown.element, read.element, read.card);
      foot.replaceChildren(shown === chart ? "" : (added?.categories.foot ?? ""));
    }
    const all = { ...options, ...additions };
    const drawn: Readable & { plot?: LineSpots } = shown.update(data, fig.width, all);
    read.update(drawn);
    // Values that stand apart have no lines to click.
    plots.lines = drawn.plot ? { element: plot, data, ...drawn.plot } : null;
    return true;
  };

  const groupsAt = (data: Dependence, i: number) => details.module?.groupsAt(data, i) ?? [];
  const describe = (
    data: Dependence,
    frame: Frame,
    learner: Averages | null,
    ghost: Ghostly | null,
  ) => {
    const label = isolatedIn(data.label, data.feature);
    const [n, known] = [data.n_rows, data.n_rows_known];
    const rows = known < n ? soFar(n, known) : rowsIn(frame, n);
    const refits = counted(frame.learner?.n_refits ?? 0, "refit");
    const beside = learner
      ? ` That of the learner, mean of ${refits}, ${course(data, learner.value)}`
      : "";
    fig.describe(
      `${label} as a function of ${isolated(data.feature)}, average of ${rows} and ${counted(data.n_lines, "line")}`,
      extent(data.average)
        ? `The average of ${withUnit(label, data.unit)} ${course(data, data.average)}${clear(data)}${beside}`
        : `${label} is not available here.`,
      () => ({
        columns: [
          ...[data.feature, withUnit(label, data.unit), "low", "high", "at τ = 0"],
          ...(learner ? LEARNER_COLUMNS : []),
          ...groupsAt(data, 0).map(([name]) => name),
          ...(ghost && frame.ghost ? [frame.ghost.of] : []),
          "rows around it",
        ],
        rows: Array.from(data.grid, (_, i) => [
          gridLabel(data, i),
          ...[data.average, data.low, data.high, data.base, ...ofLearner(learner)].map((values) =>
            number(values[i]),
          ),
          ...groupsAt(data, i).map(([, value]) => value),
          ...(ghost ? [number(ghost.at(i))] : []),
          data.near[i] ? "enough" : "few",
        ]),
      }),
    );
  };

  return {
    element: panel.element,
    update({ frame, inputs }) {
      const data = frame?.dependence ?? null;
      feature.update(inputs.feature ? features : [none, ...features], inputs.feature);
      const isListed = measures.some(({ value }) => value === inputs.measure);
      const label = data?.measure === inputs.measure ? data.label : inputs.measure;
      const own = isListed ? [] : [{ value: inputs.measure, label }];
      measure.update([...measures, ...own], inputs.measure);
      more.update(inputs, frame);
      failure.update(frame);
      set(panel.element, { "data-stale": data?.stale ? "true" : null });
      fig.content.hidden = !data;
      empty.hidden = data !== null;
      const waiting = frame?.final ? "" : " yet";
      const nothing = waiting ? "no curve yet" : "choose a feature to see its curve";
      setText(
        empty,
        inputs.feature ? `no curve of ${isolated(inputs.feature)}${waiting}` : nothing,
      );
      if (!data || !frame) return;
      const learner = frame.learner?.averages.dependence ?? null;
      const bounds = about.measures.find(({ name }) => name === data.measure)?.bounds;
      const ghost = ghostOf(data, frame);
      legend.update(data, frame, ghost);
      const isDrawn = draw(
        data,
        { frame, inputs },
        {
          ...{ learner, bounds, ghost },
          stressed: isStressed(frame),
          clips: inputs.clip_lines,
        },
      );
      plot.hidden = !isDrawn;
      if (!isDrawn) {
        empty.hidden = false;
        setText(empty, details.problem ?? "no chart yet");
      }
      describe(data, frame, learner, ghost);
      const finite = extent(data.average) !== null;
      setText(
        panel.note,
        finite
          ? rowsBehind(frame, data.n_rows, data.n_rows_known)
          : `${data.label} is not available here`,
      );
    },
  };
}
