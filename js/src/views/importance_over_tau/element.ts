import { crosshair, type Readable } from "../../charts/crosshair.ts";
import { figure } from "../../charts/figure.ts";
import { h, set, setText } from "../../widget/dom.ts";
import { interval, isolated, level, number, percent, withUnit } from "../../widget/format.ts";
import { lineNames } from "../lineNames.ts";
import { type Context, type Panel, type Shown, section } from "../view.ts";
import { linesOverTau } from "./chart.ts";
import { LEVELS, type Line, linesOf } from "./reader.ts";

const NO_FEATURE = "Choose a feature to stress; then its levels of τ are drawn.";
const NOT_ALL_ROWS = "Importance is not known for all rows yet, so there is no line.";
const NO_LEVEL = "No level of τ can be reached, so there is no line.";

/** Importance of the leading features over τ, from what the page has of all levels. */
export function importanceOverTauPanel({ session, about, signal, redraw }: Context): Panel {
  const fig = figure(signal, redraw, "Importance over τ");
  const chart = linesOverTau();
  const read = crosshair(signal);
  const legend = lineNames("uq-over-tau-name", (at) => pick(known?.lines[at]?.row ?? null), signal);
  const empty = h("p", { class: "uq-empty" });
  const plot = h("div", { class: "uq-layers" }, chart.element, read.element, read.card);
  fig.content.append(legend.element, plot);
  fig.plot.append(empty);
  const panel = section("Importance over τ", "uq-importance_over_tau", [], fig.element);

  let names: string[] = [];
  let drawn: (Readable & { near(x: number, y: number): number | null }) | null = null;
  let known: { over: unknown; key: string; lines: Line[] } | null = null;

  const features = new Set(about.features.map(({ name }) => name));
  const pick = (row: number | null) => {
    const name = names[row ?? -1];
    if (name !== undefined && features.has(name)) session.request({ feature: name });
  };
  const rowAt = (event: MouseEvent) => {
    const box = read.element.getBoundingClientRect();
    return drawn?.near(event.clientX - box.left, event.clientY - box.top) ?? null;
  };
  read.element.addEventListener("click", (event) => pick(rowAt(event)), { signal });
  read.element.addEventListener(
    "pointermove",
    (event) => read.element.classList.toggle("uq-can-pick", rowAt(event) !== null),
    { signal },
  );

  const describe = (lines: Line[], title: string, of: string) => {
    const first = [...lines].sort((a, b) => (b.value[20] ?? 0) - (a.value[20] ?? 0))[0];
    fig.describe(
      `Importance over τ of ${isolated(of)}: ${title}`,
      first ? `Without stress, ${isolated(names[first.row] ?? "")} matters most.` : "",
      () => ({
        columns: ["τ", ...lines.flatMap(({ row }) => [names[row] ?? "", "interval"])],
        rows: LEVELS.filter((_, i) => i % 2 === 0).map((tau, k) => [
          level(tau),
          ...lines.flatMap(({ value, low, high }) => [
            number(value[2 * k]),
            interval(low[2 * k], high[2 * k]),
          ]),
        ]),
      }),
    );
  };

  const why = ({ frame, inputs }: Shown, lines: Line[]): string | null => {
    const view = frame?.importance_over_tau;
    if (!view || !frame.importance) return "no importance yet";
    if (view.why) return view.why;
    if (!inputs.stress_feature) return NO_FEATURE;
    if (lines.length) return null;
    if (!frame.final || !session.overTau) return "the levels of τ are being computed";
    return session.overTau.views.includes("importance") ? NO_LEVEL : NOT_ALL_ROWS;
  };

  return {
    element: panel.element,
    update(shown): void {
      const { frame, inputs } = shown;
      const [view, importance] = [frame?.importance_over_tau, frame?.importance];
      names = importance?.units ?? about.features.map(({ name }) => name);
      const picked = names.indexOf(inputs.feature);
      const over = session.overTau;
      const key = JSON.stringify([view?.at, picked, names.length]);
      // While new levels are being computed, the last ones stay.
      const isOther = over !== null && (known?.over !== over || known.key !== key);
      if (view && isOther)
        known = { over, key, lines: linesOf(over, view.at, names.length, picked) };
      const lines = known?.lines ?? [];
      const reason = why(shown, lines);
      set(panel.element, { "data-stale": over === null && known ? "true" : null });
      fig.content.hidden = reason !== null;
      empty.hidden = reason === null;
      // The room of the chart is reserved while it is awaited.
      empty.classList.toggle("uq-awaited", !frame?.final || session.overTau === null);
      setText(empty, reason ?? "");
      setText(
        panel.note,
        inputs.stress_feature && `while ${isolated(inputs.stress_feature)} is stressed`,
      );
      if (reason !== null || !view || !importance) return;
      const title = withUnit(view.label, view.unit);
      legend.update(
        lines.map(({ row }) => names[row] ?? ""),
        lines.findIndex(({ row }) => row === picked),
      );
      drawn = chart.update(
        {
          lines,
          name: (row) => isolated(names[row] ?? ""),
          title,
          key: JSON.stringify([view.label, inputs.stress_feature]),
          tau: inputs.tau,
          picked,
        },
        fig.width,
      );
      read.update(drawn);
      describe(lines, title, inputs.stress_feature);
      setText(
        panel.note,
        `while ${isolated(inputs.stress_feature)} is stressed · bands: ${percent(importance.level)}`,
      );
    },
  };
}
