import { extent } from "../charts/domain.ts";
import { tableTwin } from "../charts/table.ts";
import { button, enable } from "../controls/button.ts";
import { h, onCommit, set, setText } from "../widget/dom.ts";
import { interval, isolated, number } from "../widget/format.ts";

import type { Lesson } from "./lesson.ts";
import { lineChart } from "./lineChart.ts";

/** Curves of refit after refit, the band of their mean, and at last the truth. */
export const refits: Lesson = ({ session, signal, predict, act, picture }) => {
  const { fields } = session.about as NonNullable<typeof session.about>;
  const [most, points] = [fields.number("most"), fields.number("points")];
  const count = () => Number(session.input("refits"));

  const guess = h("input", {
    type: "number",
    min: 0,
    max: points,
    step: 1,
    "data-testid": "uq-guess",
    "aria-label": `At how many of ${points} values?`,
  });
  const commit = () => {
    const value = guess.valueAsNumber;
    if (Number.isInteger(value) && value >= 0 && value <= points) session.set({ guess: value });
  };
  onCommit(guess, commit, signal);
  predict.append(h("label", { class: "uq-field" }, `My guess, of ${points}: `, guess));

  const more = (id: string, text: string, by: number) =>
    button(id, text, () => session.set({ refits: Math.min(most, count() + by) }), signal);
  const one = more("uq-refit", "Refit", 1);
  const all = more("uq-all", `All ${most} refits`, most);
  const show = button("uq-reveal", "Show the truth", () => session.set({ revealed: true }), signal);
  const restart = button(
    "uq-restart",
    "Start again",
    () => session.set({ refits: 0, revealed: false }),
    signal,
  );
  act.append(h("div", { class: "uq-actions" }, one, all, show, restart));

  const chart = lineChart();
  const note = h("p", { class: "uq-muted" });
  const twin = tableTwin("Table: mean of the curves, its band, and the truth", signal);
  const figure = h(
    "figure",
    { class: "uq-figure", role: "group" },
    chart.element,
    note,
    twin.element,
  );
  picture.append(figure);

  return ({ columns }, width) => {
    const expected = Number(session.input("guess"));
    if (document.activeElement !== guess) guess.value = expected < 0 ? "" : String(expected);
    for (const element of [one, all]) enable(element, count() < most);
    const isRevealed = session.input("revealed") === true;
    enable(show, count() > 1 && !isRevealed);
    enable(restart, count() > 0);

    const grid = columns.get<Float64Array>("grid", [null]);
    const g = grid.length;
    const curves = columns.optional("curves", [null, g]) ?? new Float64Array();
    const [average, low, high, truth] = ["average", "low", "high", "truth"].map((name) =>
      columns.optional(name, [g]),
    ) as [Float64Array | null, Float64Array | null, Float64Array | null, Float64Array | null];
    const hit = truth && columns.get<Uint8Array>("hit", [g]);
    const drawn = curves.length / g;
    figure.hidden = drawn === 0;
    if (drawn === 0) return;
    const each = Array.from({ length: drawn }, (_, k) => curves.subarray(k * g, (k + 1) * g));
    const name = isolated(fields.text("feature"));
    chart.update({
      x: grid,
      lines: [
        ...each.map((y) => ({ look: "refit", y })),
        ...(average ? [{ look: "plain", y: average }] : []),
        ...(truth ? [{ look: "truth", y: truth }] : []),
      ],
      band: low && high && { low, high },
      dots: truth
        ? Array.from(truth, (y, i) => ({
            look: hit?.[i] ? "hit" : "wrong",
            x: grid[i] as number,
            y,
          }))
        : [],
      range: extent(curves, low ?? [], high ?? [], truth ?? []) ?? [0, 1],
      width,
      height: 280,
      titles: { x: name, y: "average prediction" },
    });
    const curvesNow = drawn === 1 ? "One curve" : `${drawn} curves`;
    setText(
      note,
      `${curvesNow}${average ? ", and the thick line is their mean with its 95 % band" : ""}${truth ? "; in colour the truth, with red dots where the band misses it" : ""}.`,
    );
    const hits = hit ? hit.reduce((sum, one) => sum + one, 0) : 0;
    set(figure, {
      "aria-label": `${curvesNow} over ${name}${truth ? `; the band holds the truth at ${hits} of ${g} values` : ""}`,
    });
    twin.update(() => ({
      columns: [
        fields.text("feature"),
        "mean of the curves",
        "95 % band",
        "truth",
        "holds the truth",
      ],
      rows: Array.from(grid, (at, i) => [
        number(at),
        average ? number(average[i]) : number(curves[i]),
        low && high ? interval(low[i], high[i]) : "",
        truth ? number(truth[i]) : "",
        hit && average ? (hit[i] ? "yes" : "no") : "",
      ]),
    }));
  };
};
