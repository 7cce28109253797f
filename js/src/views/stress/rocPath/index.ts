import "./style.css";
import { setFitted } from "../../../charts/axis.ts";
import { figure } from "../../../charts/figure.ts";
import { linePath } from "../../../charts/paths.ts";
import type { Numbers } from "../../../session/wire.ts";
import { h, set, svg } from "../../../widget/dom.ts";
import { interval, isolated, level, number, percent } from "../../../widget/format.ts";
import { valueAt } from "../profile.ts";
import { moved, type Stress } from "../reader.ts";

const [LEFT, TOP, SIDE] = [44, 20, 200];
const WIDTH = LEFT + SIDE + 20;
const HEIGHT = TOP + SIDE + 40;
const LINE = 13;
const TICKS = [0, 0.5, 1];
const x = (rate: number) => LEFT + rate * SIDE;
const y = (rate: number) => TOP + (1 - rate) * SIDE;

/** The lines of a rate at all levels. */
const linesOf = (rate: Numbers, n: number) => ({
  value: rate.subarray(0, n),
  low: rate.subarray(n, 2 * n),
  high: rate.subarray(2 * n),
});
type Lines = ReturnType<typeof linesOf>;

/** The true positive rate over the false positive rate while τ goes from -1 to 1, with the intervals of both at the present τ. */
export function rocPath(signal: AbortSignal, redraw: () => void) {
  const fig = figure(signal, redraw, "ROC path");
  const path = svg("path", { class: "uq-roc-path" });
  const now = svg("circle", { class: "uq-now", r: 4.5 });
  const bars = svg("path", { class: "uq-roc-interval" });
  const ends = [-1, 0, 1].map((tau) => ({
    tau,
    dot: svg("circle", { class: "uq-roc-end", r: 3 }),
    text: svg("text", { class: "uq-roc-label" }, `τ ${number(tau)}`),
  }));
  const xTitle = svg("text", { class: "uq-title", y: HEIGHT - 4, x: LEFT });
  const yTitle = svg("text", { class: "uq-title", y: 11, x: 0 });
  const picture = svg(
    "svg",
    { class: "uq-roc", width: WIDTH, height: HEIGHT, "aria-hidden": "true" },
    svg("rect", { class: "uq-roc-frame", x: LEFT, y: TOP, width: SIDE, height: SIDE }),
    svg("line", { class: "uq-ghost", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
    ...TICKS.flatMap((rate) => [
      svg("text", { class: "uq-roc-tick", x: x(rate), y: TOP + SIDE + 16 }, number(rate)),
      svg("text", { class: "uq-roc-tick uq-roc-side", x: LEFT - 8, y: y(rate) + 4 }, number(rate)),
    ]),
    path,
    ...ends.flatMap(({ dot, text }) => [dot, text]),
    bars,
    now,
    xTitle,
    yTitle,
  );
  fig.content.append(picture);
  const element = h("div", { class: "uq-roc-panel", "data-testid": "uq-roc" }, fig.element);
  return {
    element,
    update(stress: Stress, titles: { tpr: string; fpr: string }): void {
      const { taus, endTaus, now: point } = stress;
      element.hidden = !stress.roc || !point;
      if (!stress.roc || !point) return;
      const [fprs, tprs] = [stress.roc.fpr, stress.roc.tpr].map((rate) =>
        linesOf(rate, endTaus.length),
      ) as [Lines, Lines];
      const at = (tau: number) => [
        valueAt(endTaus, fprs.value, tau),
        valueAt(endTaus, tprs.value, tau),
      ];
      const place = (mark: SVGElement, tau: number) => {
        const [fpr, tpr] = at(tau) as [number, number];
        const isKnown = Number.isFinite(fpr) && Number.isFinite(tpr);
        set(mark, { visibility: isKnown ? null : "hidden" });
        if (isKnown) set(mark, { cx: x(fpr), cy: y(tpr) });
        return isKnown ? ([x(fpr), y(tpr)] as const) : null;
      };
      set(path, { d: linePath(Array.from(fprs.value, x), Array.from(tprs.value, y)) });
      const labels = ends.map(({ tau, dot, text }) => ({ text, where: place(dot, tau) }));
      // Labels are placed from the top down, with a line of room for each where the path is short.
      let above = 0;
      for (const { text, where } of labels.sort(
        (a, b) => (a.where?.[1] ?? 0) - (b.where?.[1] ?? 0),
      )) {
        set(text, { visibility: where ? null : "hidden" });
        if (!where) continue;
        above = Math.max(above + LINE, where[1] + 4);
        set(text, { x: where[0] + 10, y: above });
      }
      const spot = place(now, point.tau);
      const [across, up] = [fprs, tprs].map(({ low, high }) => [
        valueAt(endTaus, low, point.tau),
        valueAt(endTaus, high, point.tau),
      ]) as [[number, number], [number, number]];
      const hasEnds = spot !== null && [...across, ...up].every(Number.isFinite);
      set(bars, {
        d: hasEnds
          ? `M${x(across[0])},${spot[1]}H${x(across[1])}M${spot[0]},${y(up[0])}V${y(up[1])}`
          : null,
      });
      setFitted(xTitle, titles.fpr, WIDTH - LEFT);
      setFitted(yTitle, titles.tpr, WIDTH);
      const [fpr, tpr] = at(point.tau);
      const within = (ends: [number, number]) =>
        hasEnds ? ` (${percent(stress.level)}: ${interval(...ends)})` : "";
      fig.describe(
        `${titles.tpr} over ${titles.fpr} while the ${moved(point)} moves`,
        `At τ ${level(point.tau)}, the ${isolated(titles.tpr)} is ${number(tpr)}${within(up)} and the ${isolated(titles.fpr)} ${number(fpr)}${within(across)}.`,
        () => ({
          columns: ["τ", titles.fpr, "interval", titles.tpr, "interval"],
          rows: Array.from(taus, (tau) => [
            level(tau),
            ...[fprs, tprs].flatMap(({ value, low, high }) => [
              number(valueAt(endTaus, value, tau)),
              interval(valueAt(endTaus, low, tau), valueAt(endTaus, high, tau)),
            ]),
          ]),
        }),
      );
    },
  };
}
