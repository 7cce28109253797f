import { bars, ROW_HEIGHT } from "../../charts/bars.ts";
import { figure } from "../../charts/figure.ts";
import { button } from "../../controls/button.ts";
import { h, setText } from "../../widget/dom.ts";
import { interval, isolated, number, percent, withUnit } from "../../widget/format.ts";
import { clarity, isUnclear } from "./clarity.ts";
import type { Comparison } from "./reader.ts";

/** Features whose differences are drawn; the table has all of them. */
const MOST = 12;
const NAMES = 0.36;

/** The difference of the importance of each feature, by one measure, in the order of the importance view. */
export function importanceFigure(signal: AbortSignal, redraw: () => void) {
  const fig = figure(signal, redraw, "Difference of importance");
  const title = h("h4");
  const names = h("div", { class: "uq-difference-names" });
  const chart = bars();
  let isWhole = false;
  const more = button(
    "uq-difference-all",
    "",
    () => {
      isWhole = !isWhole;
      redraw();
    },
    signal,
  );
  fig.element.prepend(title);
  fig.content.append(
    h(
      "div",
      { class: "uq-difference-rows" },
      names,
      h("div", { class: "uq-difference-bars" }, chart.header, chart.element),
    ),
  );
  fig.content.append(more);
  return {
    element: fig.element,
    /** Draws the differences; returns whether some of them are not clear from these rows. */
    update(data: Comparison, at: number, order: number[], picked: string, sides: string): boolean {
      const { units, level } = data;
      const { label, unit } = data.measures[at] ?? { label: "", unit: "" };
      const name = withUnit(label, unit);
      const rows = order.filter((row) => Number.isFinite(data.value[at * units.length + row]));
      const drawn = rows.slice(0, isWhole ? rows.length : MOST);
      more.hidden = rows.length <= MOST;
      setText(
        more,
        isWhole ? `show the first ${MOST} only` : `${MOST} of ${rows.length}; show all`,
      );
      const of = (values: Float64Array) => (row: number) =>
        values[at * units.length + row] ?? Number.NaN;
      const value = drawn.map(of(data.value));
      const [low, high] = [drawn.map(of(data.low)), drawn.map(of(data.high))];
      setText(title, `Importance: ${name}`);
      names.replaceChildren(
        ...drawn.map((row) => h("div", { title: units[row] }, isolated(units[row] ?? ""))),
      );
      // Through the style object: a strict Content-Security-Policy refuses style attributes.
      names.style.width = `${Math.round(fig.width * NAMES)}px`;
      chart.update(
        {
          measure: name,
          ...{ value, low, high, base: value, ghost: null, learner: null },
          ...{ height: ROW_HEIGHT, stressed: false, origin: 0 },
          picked: drawn.findIndex((row) => units[row] === picked),
          range: [value, low, high],
          sight: [0, drawn.length],
        },
        Math.round(fig.width * (1 - NAMES)) - 8,
      );
      const unclear = drawn.map((_, i) => isUnclear(low[i], high[i]));
      chart.element.querySelectorAll(".uq-bar").forEach((row, i) => {
        row.classList.toggle("uq-unclear", unclear[i] === true);
      });
      fig.describe(
        `Importance for ${name}: ${sides}`,
        clarity(rows.map(of(data.low)), rows.map(of(data.high)), "feature"),
        () => ({
          columns: ["feature", sides, `${percent(level)} interval`],
          rows: rows.map((row) => [
            units[row] ?? "",
            number(of(data.value)(row)),
            interval(of(data.low)(row), of(data.high)(row)),
          ]),
        }),
      );
      return unclear.includes(true);
    },
  };
}
