import { scaleLinear } from "d3-scale";
import { axis, labelWidth, setFitted, ticksOf } from "../charts/axis.ts";
import { extent } from "../charts/domain.ts";
import { pool, set, svg } from "../widget/dom.ts";

export interface IntervalLine {
  label: string;
  value: number;
  low: number;
  high: number;
  /** Style of the line: a bar or a dot, in what colour. */
  look: string;
}

export interface IntervalOptions {
  width: number;
  /** Height of a line in pixels. */
  line: number;
  /** Title below the axis. */
  title: string;
  bars: boolean;
  /** A vertical line with its label. */
  reference?: { at: number; label: string } | null;
}

/** Estimates with their intervals below each other, on one axis. */
export function intervalChart() {
  const bottom = axis("bottom");
  const grid = svg("g", { class: "uq-grid" });
  const zero = svg("line", { class: "uq-zero" });
  const reference = svg("line", { class: "uq-truth" });
  const named = svg("text", { class: "uq-title uq-truth-name" });
  const title = svg("text", { class: "uq-title", "text-anchor": "middle" });
  const marks = svg("g");
  const element = svg(
    "svg",
    { class: "uq-intervals", "aria-hidden": "true" },
    grid,
    zero,
    marks,
    reference,
    bottom.element,
    named,
    title,
  );
  const lines = pool(marks, () => {
    const [bar, whisker, dot, text] = [svg("rect"), svg("line"), svg("circle"), svg("text")];
    return { element: svg("g", {}, bar, whisker, dot, text), bar, whisker, dot, text };
  });
  return {
    element,
    update(rows: IntervalLine[], options: IntervalOptions): void {
      const { width, line, bars, reference: truth = null } = options;
      const top = truth ? 18 : 4;
      const names = Math.min(width * 0.36, 1.1 * labelWidth(rows.map(({ label }) => label)) + 14);
      const left = Math.max(names, 14);
      const inner = Math.max(60, width - left - 16);
      const shown = extent(
        rows.map(({ value }) => value),
        rows.map(({ low }) => low),
        rows.map(({ high }) => high),
        bars ? [0] : [],
        truth ? [truth.at] : [],
      ) ?? [0, 1];
      const [low, high] = shown[0] < shown[1] ? shown : [shown[0] - 1, shown[1] + 1];
      const x = scaleLinear([low, high], [left, left + inner]);
      if (bars) x.nice(6);
      const floor = top + rows.length * line + 4;
      set(element, { width, height: floor + 38 });
      element.classList.toggle("uq-dense", line < 12);
      set(bottom.element, { transform: `translate(0,${floor})` });
      bottom.update(ticksOf(x, inner, 70), 4);
      const at = (value: number) => x(value).toFixed(1);
      set(zero, { x1: at(0), x2: at(0), y1: top, y2: floor, visibility: bars ? null : "hidden" });
      set(reference, { visibility: truth ? null : "hidden" });
      set(named, { visibility: truth ? null : "hidden" });
      if (truth) {
        set(reference, { x1: at(truth.at), x2: at(truth.at), y1: top, y2: floor });
        const half = labelWidth([truth.label]) / 2;
        const middle = Math.max(left + half, Math.min(left + inner - half, x(truth.at)));
        set(named, { x: middle.toFixed(1), y: 11, "text-anchor": "middle" });
        setFitted(named, truth.label, inner);
      }
      set(title, { x: (left + inner / 2).toFixed(1), y: floor + 33 });
      setFitted(title, options.title, inner);
      lines(rows.length).forEach(({ element, bar, whisker, dot, text }, i) => {
        const row = rows[i] as IntervalLine;
        set(element, {
          class: `uq-interval uq-look-${row.look}`,
          transform: `translate(0,${(top + (i + 0.5) * line).toFixed(1)})`,
        });
        const [from, to] = [x(Math.min(0, row.value)), x(Math.max(0, row.value))];
        set(bar, {
          visibility: bars ? null : "hidden",
          x: from.toFixed(1),
          width: Math.max(0, to - from).toFixed(1),
          y: (-line * 0.3).toFixed(1),
          height: (line * 0.6).toFixed(1),
        });
        const known = Number.isFinite(row.low) && Number.isFinite(row.high);
        set(whisker, { visibility: known ? null : "hidden" });
        if (known) set(whisker, { x1: at(row.low), x2: at(row.high) });
        set(dot, { cx: at(row.value), r: Math.min(4, line * 0.32) });
        set(text, { x: left - 10, dy: "0.32em", "text-anchor": "end" });
        setFitted(text, row.label, left - 10);
      });
    },
  };
}
