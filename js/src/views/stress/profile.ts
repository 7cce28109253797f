import { alongTau, axes, labelWidth, setFitted, tauTicks } from "../../charts/axis.ts";
import type { Readable } from "../../charts/crosshair.ts";
import { extent, roomFor, SteadyScale } from "../../charts/domain.ts";
import { place, placeLevel, placeUpright } from "../../charts/marks.ts";
import { areaPath, linePath } from "../../charts/paths.ts";
import type { Reading } from "../../charts/tooltip.ts";
import type { Bounds } from "../../session/modelInfo.ts";
import type { Numbers } from "../../session/wire.ts";
import { clipBox, pool, set, setText, svg } from "../../widget/dom.ts";
import { interval, isolated, level, number, percent, withUnit } from "../../widget/format.ts";
import { lineName, type Stress } from "./reader.ts";

const TOP = 22;
const PLOT = 140;
export const PROFILE_HEIGHT = TOP + PLOT + 40;

export interface ProfileState {
  stress: Stress;
  /** Names of all features of the table. */
  names: string[];
  rows: number;
  /** Row of the stressed feature in `stress`, and the row under the pointer. */
  chosen: number | null;
  hovered: number | null;
  /** The profile of the pin shown as ghost, and its τ. */
  ghost?: { value: Float64Array; tau: number } | null;
  /** Lower and upper bound of the indicator. */
  bounds?: Bounds | undefined;
}

export interface ReadableProfile extends Readable {
  /** Where τ = -1 and τ = 1 stand, in pixels from the left edge of the chart. */
  ends: readonly [number, number];
  /** The line near a point, or null. */
  near(px: number, py: number): number | null;
}

export const row = <T extends Numbers>(values: T, index: number, length: number): T =>
  values.subarray(index * length, (index + 1) * length) as T;

/** The value of a row's curve at any τ, or NaN where there is none. */
export function valueAt(taus: Numbers, values: ArrayLike<number>, tau: number): number {
  // The levels of a page have single precision.
  const next = taus.findIndex((at) => at > tau - 1e-6);
  if (next === -1) return Number.NaN;
  const [a, b] = [taus[Math.max(0, next - 1)] as number, taus[next] as number];
  const [from, to] = [values[Math.max(0, next - 1)] as number, values[next] as number];
  return b < tau + 1e-6 ? to : from + ((to - from) * (tau - a)) / (b - a);
}

/** Both ends of the interval at any τ, NaN where there is none. */
export const endsAt = ({ endTaus, low, high }: Stress, tau: number): [number, number] => [
  valueAt(endTaus, low, tau),
  valueAt(endTaus, high, tau),
];

/** The interval at any τ, or null where there is none. */
export function intervalAt(stress: Stress, tau: number): string | null {
  const ends = endsAt(stress, tau);
  return ends.every(Number.isFinite) ? `${percent(stress.level)}: ${interval(...ends)}` : null;
}

/** The plot in pixels, and its scales. */
interface Plot {
  x: (tau: number) => number;
  y: (value: number) => number;
  margin: number;
  inner: number;
}

/** A second scale below the axis of τ: what the stressed feature reaches at τ = -1, 0 and 1. */
function reachedMeans() {
  const element = svg("g", { class: "uq-means" });
  const texts = pool(element, () => svg("text", { "text-anchor": "middle" }));
  return {
    element,
    update({ taus, reached, categories }: Stress, chosen: number | null, plot: Plot): void {
      const means = chosen === null ? null : row(reached, chosen, taus.length);
      const what = chosen !== null && categories[chosen] !== null ? "share" : "mean";
      const stops = means
        ? ([
            [-1, "start", plot.margin - 8],
            [0, "middle", plot.x(0)],
            [1, "end", plot.margin + plot.inner + 8],
          ] as const)
        : [];
      texts(stops.length).forEach((text, i) => {
        const [tau, anchor, x] = stops[i] as (typeof stops)[number];
        const mean = means ? valueAt(taus, means, tau) : Number.NaN;
        set(text, { x, y: TOP + PLOT + 34, "text-anchor": anchor });
        setText(
          text,
          `${tau === 0 ? `${what} ` : ""}${Number.isFinite(mean) ? number(mean) : "none"}`,
        );
      });
    },
  };
}

/** The name of a line at its right end, above it, or below it where there is no room. */
function lineLabel() {
  const element = svg("text", { class: "uq-label" });
  return {
    element,
    update(stress: Stress, name: (index: number) => string, index: number | null, plot: Plot) {
      const { taus } = stress;
      const values = index === null ? [] : Array.from(row(stress.value, index, taus.length));
      const last = values.findLastIndex(Number.isFinite);
      const text = index === null || last < 0 ? "" : name(index);
      setFitted(element, text, plot.inner / 2);
      if (!text) return;
      const length = Math.min(plot.inner / 2, labelWidth([text]) * 1.15);
      const right = Math.max(plot.x(taus[last] as number) - 2, plot.margin + length);
      const under = values
        .slice(0, last + 1)
        .map(plot.y)
        .filter((v, i) => Number.isFinite(v) && plot.x(taus[i + 1] ?? 1) >= right - length);
      const above = Math.min(...under) - 9;
      const below = Math.min(TOP + PLOT - 4, Math.max(...under) + 18);
      set(element, { x: right, y: above < TOP + 8 ? below : above });
    },
  };
}

/** What the crosshair says at a level: the stressed feature and the one under the pointer. */
function readingAt(
  { stress, rows, chosen, hovered }: ProfileState,
  name: (index: number) => string,
  i: number,
): Reading {
  const tau = stress.taus[i] ?? 0;
  const facts: Reading["rows"] = [];
  for (const index of new Set([chosen, hovered])) {
    if (index === null) continue;
    const at = index * stress.taus.length + i;
    const ends = index === chosen ? intervalAt(stress, tau) : null;
    facts.push(
      ["stressed", isolated(name(index))],
      [stress.label, number(stress.value[at])],
      ...(ends === null ? [] : [["interval", ends] as [string, string]]),
      [stress.categories[index] === null ? "mean" : "share", number(stress.reached[at])],
      ["effective sample", percent((stress.ess[at] ?? Number.NaN) / rows)],
    );
  }
  return { title: `τ ${level(tau)}`, rows: facts };
}

const moveTo = (mark: Element, cx: number, cy: number) => place(mark, [cy], () => ({ cx, cy }));

/** An indicator over τ: every feature as a faint line, the stressed one strong, a rule at the present τ. */
export function profile() {
  const { left, bottom, update: drawAxes } = axes();
  const means = reachedMeans();
  const baseline = svg("line", { class: "uq-ghost" });
  const others = svg("g", { class: "uq-others" });
  const band = svg("path", { class: "uq-stress-band" });
  const paths = pool(others, () => svg("path"));
  const pinned = svg("path", { class: "uq-pin-line" });
  const pinnedNow = svg("circle", { class: "uq-pin-line uq-pin-now", r: 4 });
  const hover = svg("path", { class: "uq-hovered" });
  const halo = svg("path", { class: "uq-halo" });
  const chosenPath = svg("path", { class: "uq-chosen" });
  // Clips interval ends outside the domain of the lines.
  const box = clipBox(baseline, band, others, hover, pinned, halo, chosenPath, pinnedNow);
  const edges = svg("g", { class: "uq-edges" });
  const edgeMarks = pool(edges, () => svg("rect", { width: 6, height: 6 }));
  const vertical = { y1: TOP, y2: TOP + PLOT };
  const rule = svg("line", { class: "uq-rule", ...vertical });
  const now = svg("circle", { class: "uq-now", r: 4.5 });
  const crosshair = svg("line", { class: "uq-crosshair", ...vertical, visibility: "hidden" });
  const label = lineLabel();
  const yTitle = svg("text", { class: "uq-title", y: 11 });
  const element = svg(
    "svg",
    { class: "uq-profile", height: PROFILE_HEIGHT, "aria-hidden": "true" },
    left,
    bottom,
    means.element,
    box.element,
    edges,
    rule,
    now,
    crosshair,
    label.element,
    yTitle,
  );
  const steady = new SteadyScale();

  /** Draws what lies behind the lines: pin, band, value of the data, points on the edge. */
  const drawBehind = ({ stress, chosen, ghost = null }: ProfileState, plot: Plot) => {
    const { x, y, margin, inner } = plot;
    const { taus, value, status, endTaus, low, high } = stress;
    const length = taus.length;
    set(pinned, { d: ghost && linePath(Array.from(taus, x), Array.from(ghost.value, y)) });
    const pinnedValue = ghost ? valueAt(taus, ghost.value, ghost.tau) : Number.NaN;
    moveTo(pinnedNow, x(ghost?.tau ?? 0), y(pinnedValue));

    box.update(margin - 2, TOP - 2, inner + 4, PLOT + 4);
    const area = () => areaPath(Array.from(endTaus, x), Array.from(low, y), Array.from(high, y));
    set(band, { d: chosen === null ? null : area() });

    const curve = chosen === null ? null : row(value, chosen, length);
    const start = curve ? valueAt(taus, curve, 0) : Number.NaN;
    placeLevel(baseline, y(start), margin, margin + inner);

    const onEdge = [...taus.keys()].filter(
      (i) => chosen !== null && status[chosen * length + i] === 1 && Number.isFinite(curve?.[i]),
    );
    edgeMarks(onEdge.length).forEach((mark, i) => {
      const at = onEdge[i] as number;
      set(mark, { x: x(taus[at] as number) - 3, y: y(curve?.[at] as number) - 3 });
    });
  };

  return {
    element,
    update(state: ProfileState, width: number): ReadableProfile {
      const { stress, names, chosen, hovered, ghost = null, bounds } = state;
      const { taus, value } = stress;
      const length = taus.length;
      const shown = roomFor(
        extent(value, ghost?.value ?? [], [stress.now?.value ?? Number.NaN]),
        stress,
      );
      const y = steady.fit(stress.indicator, shown, [TOP + PLOT, TOP], bounds);
      const size = { top: TOP, height: PLOT, width };
      const { x, margin, inner } = drawAxes(y, size, alongTau, tauTicks, 36);
      const at = Array.from(taus, x);
      const draw = (index: number | null) =>
        index === null ? null : linePath(at, Array.from(row(value, index, length), y));

      set(element, { width });
      setFitted(yTitle, withUnit(stress.label, stress.unit), width);
      paths(stress.features.length).forEach((element, i) => {
        set(element, { d: draw(i) });
      });
      set(hover, { d: hovered === chosen ? null : draw(hovered) });
      set(halo, { d: draw(chosen) });
      set(chosenPath, { d: draw(chosen) });

      const plot = { x, y, margin, inner };
      drawBehind(state, plot);
      means.update(stress, chosen, plot);

      const tau = stress.now?.tau ?? 0;
      placeUpright(rule, stress.now && x(tau));
      moveTo(now, x(tau), y(stress.now?.value ?? Number.NaN));

      const nameOf = (index: number) => lineName(stress, names, index);
      const named = hovered ?? chosen;
      label.update(stress, nameOf, named, plot);
      set(label.element, { class: named === chosen ? "uq-label uq-label-chosen" : "uq-label" });

      return {
        name: `Read ${stress.label} along τ`,
        positions: at,
        ends: [x(-1), x(1)],
        width,
        top: TOP,
        mark: (i) => placeUpright(crosshair, i === null ? null : at[i]),
        reading: (i) => readingAt(state, nameOf, i),
        near(px, py) {
          let best: number | null = null;
          let distance = 14;
          for (let i = 0; i < stress.features.length; i++) {
            const away = Math.abs(y(valueAt(taus, row(value, i, length), x.invert(px))) - py);
            if (away < distance) [best, distance] = [i, away];
          }
          return best;
        },
      };
    },
  };
}
