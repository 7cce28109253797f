import { extent, SteadyScale } from "../../charts/domain.ts";
import { figure } from "../../charts/figure.ts";
import { picker } from "../../controls/picker.ts";
import { h, set, setText } from "../../widget/dom.ts";
import { counted, interval, isolated, number, percent, withUnit } from "../../widget/format.ts";
import { rowsIn } from "../legend.ts";
import { type Context, type Panel, section } from "../view.ts";
import { ends, RANGE, smallChart } from "./chart.ts";
import type { SmallCurve, SmallCurves } from "./reader.ts";

const CHOICES = [0, 4, 9, 16, 25];
/** Smallest width of a chart, and the room between two. */
const [WIDTH, GAP] = [136, 10];
/** Names that are listed of those that are still to come. */
const LISTED = 3;

/** The average along each of the leading features, on one vertical axis. */
export function smallCurvesPanel({ session, about, signal, redraw }: Context): Panel {
  const count = picker(
    "features",
    { "data-testid": "uq-small-curves" },
    (value) => session.request({ small_curves: Number(value) }),
    signal,
  );
  const fig = figure(signal, redraw, "Small curves");
  const axis = h("p", { class: "uq-caption", "data-testid": "uq-small-axis" });
  const grid = h("div", { class: "uq-small-grid", role: "group", "aria-label": "Small curves" });
  const coming = h("p", { class: "uq-caption", "data-testid": "uq-small-coming" });
  fig.content.append(axis, grid, coming);
  const empty = h("p", { class: "uq-empty" });
  const panel = section("Small curves", "uq-small_curves", [count.element], empty, fig.element);
  const pick = (feature: string) => session.request({ feature });
  const steady = new SteadyScale();
  const charts: ReturnType<typeof smallChart>[] = [];

  const describe = ({ average, low, high }: SmallCurve): string => {
    const [least, most] = extent(average) ?? [Number.NaN, Number.NaN];
    const isFlat = Math.max(...low) <= Math.min(...high);
    const range = `${number(least)} to ${number(most)}`;
    return isFlat ? `${range}; a change is not clear from these rows` : range;
  };

  const draw = (data: SmallCurves, picked: string) => {
    const { curves } = data;
    const known = extent(...curves.flatMap((one) => [one.low, one.high, one.average]));
    const y = steady.fit(data.label, known, RANGE);
    const [low, high] = y.domain() as [number, number];
    const middle = low <= 0 && high >= 0 ? 0 : (low + high) / 2;
    const columns = Math.max(1, Math.floor((fig.width + GAP) / (WIDTH + GAP)));
    const width = Math.floor((fig.width - GAP * (columns - 1)) / columns) - 14;
    while (charts.length < curves.length) charts.push(smallChart(pick, signal));
    const shown = charts.slice(0, curves.length).map(({ element }) => element);
    if (shown.some((one, i) => grid.children[i] !== one) || grid.children.length > shown.length)
      grid.replaceChildren(...shown);
    grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    curves.forEach((curve, i) => {
      charts[i]?.update(curve, y, middle, width, curve.feature === picked, describe(curve));
    });
    const title = withUnit(data.label, data.unit);
    setText(
      axis,
      curves.length
        ? `${title}, from ${number(low)} below to ${number(high)} above in every chart; dashed: ${number(middle)}`
        : "",
    );
    const more = data.coming.length - LISTED;
    const names = data.coming.slice(0, LISTED).map(isolated).join(", ");
    setText(coming, names && `Still to come: ${names}${more > 0 ? ` and ${more} more` : ""}.`);
    fig.describe(
      `${title} along each of ${counted(curves.length, "feature")}`,
      curves.map((one) => `${isolated(one.feature)}: ${describe(one)}`).join(". "),
      () => ({
        columns: ["feature", "value", title, `${percent(data.level)} interval`],
        rows: curves.flatMap((one) =>
          Array.from(one.average, (value, i) => [
            one.feature,
            one.categories?.[i] ?? ends({ ...one, places: one.places.subarray(i, i + 1) })[0],
            number(value),
            interval(one.low[i], one.high[i]),
          ]),
        ),
      }),
    );
  };

  return {
    element: panel.element,
    update({ frame, inputs }) {
      const most = about.features.length;
      const choices = CHOICES.filter((_, i) => i < 2 || (CHOICES[i - 1] as number) < most);
      if (!choices.includes(inputs.small_curves)) choices.push(inputs.small_curves);
      const label = (n: number) =>
        n === 0 ? "none" : n >= most ? `all ${most}` : `the first ${n}`;
      count.update(
        choices.map((one) => ({ value: String(one), label: label(one) })),
        String(inputs.small_curves),
      );
      panel.element.hidden = most < 2;
      const data = inputs.small_curves ? (frame?.small_curves ?? null) : null;
      set(panel.element, { "data-stale": data?.stale ? "true" : null });
      fig.element.hidden = !data;
      empty.hidden = data !== null || !inputs.small_curves;
      setText(empty, frame?.final ? "no small curves of these rows" : "no small curves yet");
      setText(
        panel.note,
        data && frame
          ? `${rowsIn(frame, data.n_rows)} · ${data.byImportance ? "by importance in all rows" : "in the order of the table"} · bands: ${percent(data.level)}`
          : "the curves of the leading features side by side",
      );
      if (data) draw(data, inputs.feature);
    },
  };
}
