import { crosshair, type Readable } from "../../charts/crosshair.ts";
import { figure } from "../../charts/figure.ts";
import { picker } from "../../controls/picker.ts";
import type { Condition } from "../../session/condition.ts";
import { h, set, setText } from "../../widget/dom.ts";
import { counted, interval, isolated, number, percent } from "../../widget/format.ts";
import { rowsBehind } from "../legend.ts";
import { brush, type Marks } from "../selection/brush.ts";
import { momentOf } from "../selection/moments.ts";
import { type Context, type Panel, section } from "../view.ts";
import { periodOf, timeChart } from "./chart.ts";
import type { OverTime } from "./reader.ts";

/** An indicator and the calibration along time, whose periods can be chosen as the rows. */
export function overTimePanel({ session, about, signal, redraw }: Context): Panel {
  const fig = figure(signal, redraw, "Over time");
  const indicator = picker(
    "watch",
    { "data-testid": "uq-over-time-indicator" },
    (value) => session.request({ indicator: value }),
    signal,
  );
  const sentences = h("p", { class: "uq-caption", "data-testid": "uq-over-time-words" });
  const empty = h("p", { class: "uq-empty" }, "no row has a time");
  let data: OverTime | null = null;

  /** Shows the rows of some periods alone, in the place of other conditions on time. */
  const choose = (periods: number[]) => {
    const [first, last] = [Math.min(...periods), Math.max(...periods)];
    const [low, high] = [data?.start[first], data?.end[last]];
    if (!data?.filters || low === undefined || high === undefined) return;
    const ends = data.dates ? [momentOf(low), momentOf(high)] : [low, high];
    const of = { feature: data.axis, low: ends[0] as string, high: ends[1] as string };
    const others = session.inputs.ice_filter.filter((one: Condition) => one.feature !== of.feature);
    session.request({ ice_filter: [...others, of] });
  };

  const charts = [0, 1].map(() => {
    const chart = timeChart();
    const read = crosshair(signal);
    let drawn: (Readable & Marks) | null = null;
    if (!session.model.isStill)
      brush(
        read.element,
        chart.element,
        () => (data?.filters ? drawn : null),
        () => {},
        (picked, _adds, isBox) => isBox && picked.length && choose(picked),
        signal,
      );
    const element = h("div", { class: "uq-layers" }, chart.element, read.element, read.card);
    return {
      element,
      update(shown: OverTime, at: number, width: number): void {
        const line = shown.lines[at];
        element.hidden = !line;
        if (!line) return;
        drawn = chart.update(shown, line, width);
        read.update(drawn);
      },
    };
  });
  const grid = h("div", { class: "uq-over-time-charts" }, ...charts.map(({ element }) => element));
  fig.content.append(sentences, grid);
  fig.plot.append(empty);
  const panel = section("Over time", "uq-over_time", [indicator.element], fig.element);

  const describe = (shown: OverTime) =>
    fig.describe(`Over time: ${shown.lines[0]?.label ?? ""}`, shown.sentences.join(". "), () => ({
      columns: [
        ...[shown.axis, "rows"],
        ...shown.lines.flatMap(({ label }) => [label, `${percent(shown.level)} interval`]),
      ],
      rows: Array.from(shown.start, (_, i) => [
        periodOf(shown, i),
        number(shown.count[i]),
        ...shown.lines.flatMap(({ value, low, high }) => [
          number(value[i]),
          interval(low[i], high[i]),
        ]),
      ]),
    }));

  return {
    element: panel.element,
    update({ frame, inputs }): void {
      indicator.update(
        about.indicators.map(({ name, label }) => ({ value: name, label: isolated(label) })),
        inputs.indicator,
      );
      data = frame?.over_time ?? null;
      set(panel.element, { "data-stale": data?.stale ? "true" : null });
      const has = data !== null && data.start.length > 0;
      fig.content.hidden = !has;
      empty.hidden = has;
      setText(empty, data ? "no row has a time" : "no periods yet");
      setText(panel.note, "");
      if (!data || !frame || !has) return;
      const drag = data.filters && !session.model.isStill ? " · drag to choose rows" : "";
      const missing = data.missing ? `, ${counted(data.missing, "row")} without a time` : "";
      const along = `along ${isolated(data.axis)}`;
      setText(panel.note, `${along}, ${rowsBehind(frame, data.n_rows)}${missing}${drag}`);
      setText(sentences, data.sentences.join(". "));
      const width =
        data.lines.length > 1 && fig.width > 720 ? Math.floor(fig.width / 2) - 8 : fig.width;
      for (const [at, chart] of charts.entries()) chart.update(data, at, width);
      describe(data);
    },
  };
}
