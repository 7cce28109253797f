import { figure } from "../../charts/figure.ts";
import { h, set, setText } from "../../widget/dom.ts";
import { counted, isolated, level, number, withUnit } from "../../widget/format.ts";
import { rowsIn } from "../legend.ts";
import { lineNames } from "../lineNames.ts";
import { type Context, type Panel, section } from "../view.ts";
import { indicatorChart } from "./chart.ts";
import type { Indicators } from "./reader.ts";

/** Smallest width of a chart, the room between two, and that of a chart's frame. */
const [WIDTH, GAP, FRAME] = [150, 10, 14];

/** Every indicator over τ side by side; a line has one colour in all charts. */
export function indicatorsPanel({ session, about, signal, redraw }: Context): Panel {
  const fig = figure(signal, redraw, "All indicators");
  const grid = h("div", { class: "uq-small-grid", role: "group", "aria-label": "All indicators" });
  const more = h("p", { class: "uq-caption" });
  const empty = h("p", { class: "uq-empty" });
  const panel = section("All indicators", "uq-indicators", [], empty, fig.element);
  const pick = (indicator: string) => session.request({ indicator });
  const charts: ReturnType<typeof indicatorChart>[] = [];
  let drawn: Indicators | null = null;
  const stressLine = (at: number) =>
    session.request({
      stress_feature: about.features[drawn?.features[at] ?? -1]?.name ?? "",
      stress_category: drawn?.categories[at] ?? "",
    });
  const legend = lineNames("uq-indicators-line", stressLine, signal);
  fig.content.append(legend.element, grid, more);

  const nameOf = ({ features, categories }: Indicators, i: number): string => {
    const feature = about.features[features[i] ?? -1]?.name ?? "";
    return categories[i] === null
      ? feature
      : `${isolated(feature)} = ${isolated(categories[i] ?? "")}`;
  };

  const draw = (data: Indicators, indicator: string, stressed: number, tau: number) => {
    const length = data.taus.length;
    const line = (i: number, k: number) => {
      const start = (i * data.indicators.length + k) * length;
      return data.value.subarray(start, start + length);
    };
    const columns = Math.max(1, Math.floor((fig.width + GAP) / (WIDTH + GAP)));
    const width = Math.floor((fig.width - GAP * (columns - 1)) / columns) - FRAME;
    while (charts.length < data.indicators.length) charts.push(indicatorChart(pick, signal));
    const shown = charts.slice(0, data.indicators.length).map(({ element }) => element);
    if (shown.some((one, i) => grid.children[i] !== one) || grid.children.length > shown.length)
      grid.replaceChildren(...shown);
    grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    data.indicators.forEach((one, k) => {
      const lines = data.features.map((_, i) => line(i, k));
      const isPicked = one.name === indicator;
      const { taus } = data;
      charts[k]?.update({ ...one, taus, lines, stressed, tau, isPicked, width });
    });
    const left = data.nIndicators - data.indicators.length;
    setText(more, left > 0 ? `${counted(left, "more indicator")} in the stress view.` : "");
    fig.describe(
      `${counted(data.indicators.length, "indicator")} over τ`,
      `Lines: ${data.features.map((_, i) => isolated(nameOf(data, i))).join(", ")}.`,
      () => ({
        columns: ["indicator", "stressed", ...["−1", "0", "1"].map((one) => `τ ${one}`)],
        rows: data.indicators.flatMap((one, k) =>
          data.features.map((_, i) => [
            withUnit(one.label, one.unit),
            nameOf(data, i),
            ...[0, (length - 1) / 2, length - 1].map((t) => number(line(i, k)[t])),
          ]),
        ),
      }),
    );
  };

  return {
    element: panel.element,
    update({ frame, inputs }) {
      const data = frame?.indicators ?? null;
      set(panel.element, { "data-stale": data?.stale ? "true" : null });
      const isEmpty = !data?.features.length;
      fig.element.hidden = isEmpty;
      empty.hidden = !isEmpty;
      setText(
        empty,
        frame?.final ? "no feature that can be stressed moves an indicator" : "no indicators yet",
      );
      setText(panel.note, "");
      if (!data || isEmpty) return;
      const now = frame?.stress?.now ?? null;
      const stressed = data.features.findIndex(
        (at, i) =>
          about.features[at]?.name === inputs.stress_feature &&
          (data.categories[i] === null || data.categories[i] === now?.category),
      );
      const lines = data.features.length;
      const which =
        lines < data.nLines ? `the ${lines} that move them most clearly, of ${data.nLines}` : "";
      const at = inputs.stress_feature ? `now τ ${level(inputs.tau)}` : "";
      setText(
        panel.note,
        [frame ? rowsIn(frame, data.nRows) : "", which, at].filter(Boolean).join(" · "),
      );
      drawn = data;
      legend.update(
        data.features.map((_, i) => nameOf(data, i)),
        stressed,
      );
      draw(data, inputs.indicator, stressed, inputs.tau);
    },
  };
}
