import { axis, clipped, labelWidth, ticksOf } from "../../charts/axis.ts";
import { crosshair } from "../../charts/crosshair.ts";
import { extent, linear } from "../../charts/domain.ts";
import { figure } from "../../charts/figure.ts";
import { place, placeUpright } from "../../charts/marks.ts";
import { h, pool, set, setText, svg } from "../../widget/dom.ts";
import { counted, interval, isolated, number, percent } from "../../widget/format.ts";
import type { Along, Performance } from "./reader.ts";

const TOP = 22;
const ROW = 22;
const BOTTOM = 24;
/** Parts of the rows that are drawn; the table has all. */
const MOST = 30;
const GAP = 16;
/** Share of the width of the names at most, and of the bars of sharpness. */
const NAMES = 0.34;
const [BARS, MOST_BARS] = [0.26, 0.4];

/** A row of the chart: what was observed in a part of the rows beside what was predicted, and how sharp it is. */
function rowMarks() {
  const name = svg("text", { class: "uq-row-name", dy: "0.32em", "text-anchor": "end" });
  const title = svg("title");
  const predicted = svg("line", { class: "uq-ghost", y1: -7, y2: 7 });
  const bar = svg("line");
  const dot = svg("circle", { r: 4 });
  const marks = svg("g", { class: "uq-points" }, predicted, bar, dot);
  const ring = svg("circle", { r: 7 });
  const sharp = svg("rect", { y: -5, height: 10 });
  const value = svg("text", { class: "uq-row-share", dy: "0.32em" });
  const element = svg(
    "g",
    {},
    ...[name, title, marks],
    svg("g", { class: "uq-missed" }, ring),
    svg("g", { class: "uq-sharpness" }, sharp),
    value,
  );
  return { element, name, title, predicted, bar, dot, ring, sharp, value };
}

/** Calibration and sharpness along a column: is the uncertainty right where? */
export function alongFigure(signal: AbortSignal, redraw: () => void) {
  const fig = figure(signal, redraw, "Calibration along a column");
  const rows = svg("g");
  const row = pool(rows, rowMarks);
  const bottom = axis("bottom");
  const titles = [
    svg("text", { class: "uq-title", y: 11 }),
    svg("text", { class: "uq-title", y: 11 }),
  ];
  const element = svg(
    "svg",
    { class: "uq-along", "aria-hidden": "true" },
    bottom.element,
    rows,
    ...titles,
  );
  const read = crosshair(signal);
  set(read.element, { "aria-label": "Read the calibration along a column" });
  const heading = h("h4");
  const verdict = h("p", { class: "uq-calibration-verdict" });
  const caption = h("p", { class: "uq-caption" });
  fig.content.append(h("div", { class: "uq-layers" }, element, read.element, read.card));
  fig.element.prepend(heading, verdict, caption);

  const draw = (data: Along, shown: number) => {
    const names = data.names.slice(0, shown);
    const room = Math.min(labelWidth(names), fig.width * NAMES);
    const least = Math.max(fig.width * BARS, labelWidth([data.of_sharpness]) + 4);
    const bars = Math.min(least, fig.width * MOST_BARS);
    const end = fig.width - bars - GAP;
    const ends = extent(data.observed, data.low, data.high, data.predicted) ?? [0, 1];
    const x = linear(ends, [room + 14, end]).nice(4);
    const most = Math.max(...data.sharpness.filter(Number.isFinite), 0);
    const height = TOP + shown * ROW;
    set(element, { width: fig.width, height: height + BOTTOM });
    set(bottom.element, { transform: `translate(0,${height})` });
    bottom.update(ticksOf(x, end - room, 56), TOP - height);
    const inside = data.nominal === null ? "" : `inside ${percent(data.nominal)} intervals`;
    [inside || "observed share", data.of_sharpness].forEach((text, k) => {
      const [left, wide] = k ? [end + GAP, bars] : [room + 14, end - room - 14];
      set(titles[k] as Element, { x: left });
      setText(titles[k] as Element, clipped(text, wide));
    });
    row(shown).forEach((marks, i) => {
      const isFew = Boolean(data.few[i]);
      set(marks.element, {
        transform: `translate(0,${TOP + (i + 0.5) * ROW})`,
        class: isFew ? "uq-few" : null,
      });
      set(marks.name, { x: room + 4 });
      setText(marks.name, clipped(names[i] ?? "", room));
      setText(marks.title, names[i] ?? "");
      const [observed, low, high] = [data.observed[i], data.low[i], data.high[i]].map((v) =>
        x(v ?? Number.NaN),
      );
      placeUpright(marks.predicted, x(data.predicted[i] ?? Number.NaN));
      place(marks.bar, [low, high], () => ({ x1: low, x2: high }));
      place(marks.dot, [observed], () => ({ cx: observed, class: isFew ? "uq-hollow" : null }));
      place(marks.ring, [data.outside[i] ? observed : null], () => ({ cx: observed }));
      const wide = most > 0 ? ((data.sharpness[i] ?? 0) / most) * (bars - 44) : 0;
      place(marks.sharp, [wide], () => ({ x: end + GAP, width: Math.max(0, wide) }));
      set(marks.value, { x: fig.width, "text-anchor": "end" });
      setText(marks.value, number(data.sharpness[i]));
    });
  };

  return {
    element: fig.element,
    update({ along: data, level }: Performance): void {
      fig.element.hidden = data === null;
      if (!data) return;
      const by = isolated(data.by);
      const shown = Math.min(MOST, data.names.length);
      draw(data, shown);
      const cut =
        shown < data.names.length
          ? ` ${shown} of ${data.names.length} are drawn; the table has all.`
          : "";
      const few = data.few.some(Boolean) ? " Hollow: fewer than 30 effective rows." : "";
      setText(heading, `Calibration along ${by}`);
      setText(verdict, data.verdict);
      setText(caption, `Stroke: predicted; ring: the interval misses it.${few}${cut}`);
      const ends = (i: number) => interval(data.low[i], data.high[i]);
      read.update({
        name: `Read the calibration along ${by}`,
        positions: Array.from({ length: shown }, (_, i) => TOP + (i + 0.5) * ROW),
        isVertical: true,
        width: fig.width,
        top: TOP,
        mark: () => undefined,
        reading: (i) => ({
          title: `${by} = ${isolated(data.names[i] ?? "")}`,
          rows: [
            ["predicted", number(data.predicted[i])],
            ["observed", number(data.observed[i])],
            [`${percent(level)} interval`, ends(i)],
            [data.of_sharpness, number(data.sharpness[i])],
            [data.few[i] ? "rows, few" : "rows", number(data.rows[i])],
          ],
        }),
      });
      fig.describe(
        `Calibration along ${by}: ${isolated(data.event)}`,
        `${data.verdict} ${counted(data.names.length, "part")}.`,
        () => ({
          columns: [
            data.by,
            "predicted",
            "observed",
            `${percent(level)} interval`,
            data.of_sharpness,
            "rows",
          ],
          rows: data.names.map((name, i) => [
            name,
            number(data.predicted[i]),
            number(data.observed[i]),
            ends(i),
            number(data.sharpness[i]),
            number(data.rows[i]),
          ]),
        }),
      );
    },
  };
}
