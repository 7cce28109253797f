import { tableOf } from "../../charts/table.ts";
import { picker } from "../../controls/picker.ts";
import { h, pool, set, setText } from "../../widget/dom.ts";
import { isolated, level, number, percent, withUnit } from "../../widget/format.ts";
import { type Context, type Panel, section } from "../view.ts";
import { choicesOf } from "./choices.ts";
import { isUnclear } from "./clarity.ts";
import { importanceFigure } from "./importanceFigure.ts";
import { lineFigure } from "./lineFigure.ts";
import { intervalOf } from "./numbers.ts";
import type { Comparison } from "./reader.ts";

/** What is shown minus another side, in importance, curve, stress and scores. */
export function comparisonPanel({ session, about, signal, redraw }: Context): Panel {
  const other = picker(
    "compare with",
    {
      "data-testid": "uq-compare-with",
      title: "What is drawn behind the views, and is subtracted",
    },
    (compare_with) => session.request({ compare_with }),
    signal,
  );
  const importances = h("div", { class: "uq-difference-importance" });
  const figures = pool(importances, () => importanceFigure(signal, redraw));
  const block = (title: string) => {
    const heading = h("h4");
    const figure = lineFigure(signal, redraw, title);
    return { heading, figure, element: h("div", { hidden: true }, heading, figure.element) };
  };
  const [curve, stress] = [block("Difference of the curves"), block("Difference under stress")];
  const scores = h("div", { class: "uq-difference-scores" });
  const hollow = h(
    "p",
    { class: "uq-caption", "data-testid": "uq-comparison-hollow" },
    "Hollow dots: a difference is not clear from these rows.",
  );
  const others = h("div", { class: "uq-difference-others" }, curve.element, stress.element, scores);
  const grid = h("div", { class: "uq-plot uq-comparison-grid" }, importances, hollow, others);
  const empty = h("p", { class: "uq-empty" });
  const sentences = h("div", { class: "uq-muted", "data-testid": "uq-comparison-sentences" });
  const panel = section("Compared", "uq-comparison", [other.element], sentences, empty, grid);

  const fillScores = (data: Comparison, sides: string) => {
    scores.hidden = data.scores.length === 0;
    const unclear = () => h("span", { class: "uq-muted" }, "not clear");
    const table = tableOf(
      ["score", data.first, data.second, "difference", `${percent(data.level)} interval`],
      data.scores.map(({ label, unit, first, second, value, low, high }) => [
        ...[withUnit(label, unit), ...[first, second, value].map((one) => number(one))],
        [intervalOf(low, high), ...(isUnclear(low, high) ? [unclear()] : [])],
      ]),
    );
    set(table.querySelector("th:nth-child(4)") as Element, { title: sides });
    scores.replaceChildren(h("h4", {}, "Scores"), table);
  };

  return {
    element: panel.element,
    update({ frame, inputs }) {
      const choices = choicesOf(about, { frame, inputs });
      panel.element.hidden = choices.length === 0;
      other.update([{ value: "", label: "nothing" }, ...choices], inputs.compare_with);
      const data = inputs.compare_with ? (frame?.comparison ?? null) : null;
      const tau = inputs.stress_feature ? inputs.tau : 0;
      // Interpolated levels are of single precision.
      const isOfOtherTau = data !== null && Math.abs(data.tau - tau) > 1e-6;
      const isElsewhere = data !== null && (data.stale || isOfOtherTau);
      set(panel.element, { "data-stale": isElsewhere ? "true" : null });
      grid.hidden = !data;
      empty.hidden = data !== null || !inputs.compare_with;
      sentences.replaceChildren(...(data?.sentences ?? []).map((text) => h("p", {}, text)));
      const none = session.model.isStill ? "this page holds no such differences" : "no differences";
      setText(empty, frame?.final ? none : "no differences yet");
      const sides = data?.second ? `${isolated(data.first)} minus ${isolated(data.second)}` : "";
      const at = data && (data.tau !== 0 || isOfOtherTau) ? ` at τ = ${level(data.tau)}` : "";
      const later = session.model.isStill
        ? "this page holds no differences at this τ"
        : "other levels follow when τ rests";
      const rest = isOfOtherTau ? `; ${later}` : "";
      setText(panel.note, data?.stale && !at ? "shown for other inputs" : `${sides}${at}${rest}`);
      if (!data || !frame) return;
      const ranked = frame.importance?.order ?? [];
      const order = ranked.length === data.units.length ? ranked : data.units.map((_, i) => i);
      const unclear = figures(data.measures.length).map((figure, at) =>
        figure.update(data, at, order, inputs.feature, sides),
      );
      hollow.hidden = !unclear.includes(true);
      for (const [{ element, heading, figure }, line] of [
        [curve, data.curve],
        [stress, data.stress],
      ] as const) {
        element.hidden = !line;
        if (!line) continue;
        const along = line === data.stress ? "over τ of" : "along";
        setText(heading, `${withUnit(line.label, line.unit)} ${along} ${isolated(line.feature)}`);
        figure.update(line, sides, data.level, line === data.stress ? tau : null);
      }
      fillScores(data, sides);
    },
  };
}
