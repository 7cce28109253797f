import { crosshair } from "../../charts/crosshair.ts";
import { figure } from "../../charts/figure.ts";
import { partOnDemand } from "../../controls/onDemand.ts";
import { picker } from "../../controls/picker.ts";
import { tauBeside } from "../../controls/tauBeside.ts";
import { h, set, setText } from "../../widget/dom.ts";
import {
  counted,
  interval,
  isolated,
  level,
  number,
  percent,
  withUnit,
} from "../../widget/format.ts";
import { pinKey, rowsIn } from "../legend.ts";
import { type Context, type Panel, type Shown, section } from "../view.ts";
import { endsAt, profile, type ReadableProfile } from "./profile.ts";
import { lineName, moved, rowOf, STATUS, type Stress } from "./reader.ts";
import { unclear } from "./readout.ts";

/** The indicator over τ for every feature. */
export function stressPanel(context: Context): Panel {
  const { session, about, signal, redraw } = context;
  const names = about.features.map(({ name }) => name);
  const fig = figure(signal, redraw, "Stress");
  const chart = profile();
  const read = crosshair(signal);
  const plot = h("div", { class: "uq-layers" }, chart.element, read.element, read.card);
  const waiting = "no stress yet";
  const empty = h("p", { class: "uq-empty" });
  // The list of features gives the number of rows of each feature.
  const kinds = about.features.map(({ unstressable }) =>
    unstressable?.replace(/ in [\d,]+ of [\d,]+ rows$/, ""),
  );
  const reasons = [...new Set(kinds)].filter(Boolean).join(", ");
  const pinnedKey = pinKey();
  const legend = h("div", { class: "uq-legend" }, pinnedKey.element);
  const beside = tauBeside((tau) => session.request({ tau }), signal);
  fig.content.append(beside.element, plot);
  fig.plot.append(empty);
  const indicator = picker(
    "watch",
    { "data-testid": "uq-indicator" },
    (value) => session.request({ indicator: value }),
    signal,
  );
  const rates = h("div");
  const panel = section("Stress", "uq-stress", [indicator.element], fig.element, rates);
  const rocPart = partOnDemand(context, () => import("./rocPath/index.ts"));
  let roc: { update(stress: Stress, titles: { tpr: string; fpr: string }): void } | null = null;
  const nameOf = (indicator: string) =>
    about.indicators.find(({ name }) => name === indicator)?.label ?? indicator;
  const choices = about.indicators.map(({ name, label }) => ({ value: name, label }));

  let hovered: number | null = null;
  let drawn: ReadableProfile | null = null;
  let last: Shown | null = null;

  const hover = (next: number | null) => {
    if (next === hovered) return;
    hovered = next;
    read.element.classList.toggle("uq-can-pick", next !== null);
    if (last) draw(last);
  };
  const rowAt = (event: MouseEvent) => {
    const box = read.element.getBoundingClientRect();
    return drawn?.near(event.clientX - box.left, event.clientY - box.top) ?? null;
  };
  read.element.addEventListener("pointermove", (event) => hover(rowAt(event)), { signal });
  read.element.addEventListener("pointerleave", () => hover(null), { signal });
  read.element.addEventListener(
    "click",
    (event) => {
      const [at, stress] = [rowAt(event), last?.frame?.stress];
      const name = at === null ? undefined : names[stress?.features[at] ?? -1];
      if (at === null || name === undefined) return;
      const category = stress?.categories[at] ?? null;
      session.request({
        stress_feature: name,
        ...(category === null ? {} : { stress_category: category }),
      });
    },
    { signal },
  );

  /** The ghost profile, if it has the current indicator. */
  const ghostOf = ({ frame }: Shown) => {
    const [ghost, value] = [frame?.ghost, frame?.stress?.ghost];
    return ghost && value && ghost.state.indicator === frame?.stress?.indicator
      ? { value, tau: ghost.state.tau }
      : null;
  };

  const draw = (shown: Shown) => {
    const { frame } = shown;
    const stress = frame?.stress;
    if (!stress) return;
    const ghost = ghostOf(shown);
    if (!frame.ghost) legend.remove();
    else if (!legend.isConnected) fig.content.prepend(legend);
    pinnedKey.update(frame.ghost, ghost ? null : "such profile");
    const chosen = rowOf(stress, names);
    if (hovered !== null && hovered >= stress.features.length) hovered = null;
    const bounds = about.indicators.find(({ name }) => name === stress.indicator)?.bounds;
    const state = { stress, names, rows: stress.n_rows, chosen, hovered, ghost, bounds };
    drawn = chart.update(state, fig.width);
    read.update(drawn);
    beside.span(...drawn.ends);
  };

  const describe = (
    stress: Stress,
    chosen: number | null,
    ghost: Float64Array | null,
    of: string,
  ) => {
    const { taus, now } = stress;
    const index = chosen ?? 0;
    const take = (values: ArrayLike<number>, i: number) =>
      values[index * taus.length + i] ?? Number.NaN;
    const name = isolated(lineName(stress, names, index) || "no feature");
    const bounded = chosen !== null && stress.low.some(Number.isFinite);
    fig.describe(
      `${stress.label} over τ for ${counted(stress.features.length, "line")}, ${name} emphasised`,
      now
        ? `Under stress of the ${moved(now)} at τ ${level(now.tau)}, ${withUnit(stress.label, stress.unit)} is ` +
            `${number(now.value)}, against ${[`${number(now.base)} without stress`, unclear(stress, now)].filter(Boolean).join("; ")}.`
        : `${stress.label} without stress.`,
      () => ({
        columns: [
          "τ",
          now ? moved(now) : `mean of ${name}`,
          withUnit(stress.label, stress.unit),
          ...(bounded ? [`${percent(stress.level)} interval`] : []),
          "effective sample",
          ...(ghost ? [of] : []),
          "status",
        ],
        rows: Array.from(taus, (tau, i) => [
          level(tau),
          number(take(stress.reached, i)),
          number(take(stress.value, i)),
          ...(bounded ? [interval(...endsAt(stress, tau))] : []),
          percent(take(stress.ess, i) / stress.n_rows),
          ...(ghost ? [number(ghost[i])] : []),
          STATUS[take(stress.status, i)] ?? "unknown",
        ]),
      }),
    );
  };

  return {
    element: panel.element,
    update(shown) {
      last = shown;
      const stress = shown.frame?.stress ?? null;
      indicator.update(choices, shown.inputs.indicator);
      set(panel.element, { "data-stale": stress?.stale ? "true" : null });
      const lines = stress?.features.length ? stress : null;
      fig.content.hidden = !lines;
      empty.hidden = lines !== null;
      setText(empty, stress && !stress.stale ? `no feature can be stressed (${reasons})` : waiting);
      setText(panel.note, "");
      if (!stress || !lines) return;
      beside.update(shown.inputs.tau, !shown.inputs.stress_feature);
      draw(shown);
      const chosen = rowOf(stress, names);
      describe(stress, chosen, ghostOf(shown)?.value ?? null, shown.frame?.ghost?.of ?? "");
      rates.hidden = !stress.roc;
      if (stress.roc && !roc) {
        const module = rocPart.require(shown.frame);
        if (module) {
          const made = module.rocPath(signal, redraw);
          rates.replaceChildren(made.element);
          roc = made;
        } else setText(rates, rocPart.problem ?? "");
      }
      roc?.update(stress, { tpr: nameOf("tpr"), fpr: nameOf("fpr") });
      const band = stress.low.some(Number.isFinite) ? ` · band: ${percent(stress.level)}` : "";
      setText(
        panel.note,
        `${shown.frame ? rowsIn(shown.frame, stress.n_rows) : ""} · click a line to stress its feature${band}`,
      );
    },
  };
}
