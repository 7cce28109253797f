import type { ScaleLinear } from "d3-scale";
import { pool, set, setText, svg } from "../dom.ts";

export interface Tick {
  at: number;
  label: string;
}

/** About one tick per `spacing` pixels, with labels of the precision that the step needs. */
export function ticksOf(
  scale: ScaleLinear<number, number>,
  pixels: number,
  spacing: number,
): Tick[] {
  const count = Math.max(2, Math.floor(pixels / spacing));
  const format = scale.tickFormat(count);
  let values = scale.ticks(count);
  const room = () => Math.abs(scale(values[1] ?? 0) - scale(values[0] ?? 0));
  // d3 gives about as many as asked for: where that is too many, every second one goes, never the zero.
  while (values.length > 2 && room() < spacing * 0.6) {
    const parity = Math.max(0, values.indexOf(0)) % 2;
    values = values.filter((_, i) => i % 2 === parity);
  }
  return values.map((value) => ({ at: scale(value), label: format(value) }));
}

/** Pixels a label of the axis font takes, near enough to reserve a margin without measuring the page. */
export const labelWidth = (labels: string[]): number =>
  Math.max(0, ...labels.map((label) => label.length)) * 6.4;

/** Ticks with labels below a chart (`bottom`) or at its left with grid lines across it (`left`). */
export function axis(side: "bottom" | "left") {
  const element = svg("g", { class: `uq-axis uq-axis-${side}` });
  const ticks = pool(element, () => svg("g", {}, svg("line"), svg("text")));
  return {
    element,
    /** `reach` is the length of the tick's line; for the left axis the width of the chart. */
    update(marks: Tick[], reach: number): void {
      ticks(marks.length).forEach((group, i) => {
        const { at, label } = marks[i] as Tick;
        const [line, text] = [
          group.firstElementChild as Element,
          group.lastElementChild as Element,
        ];
        const bottom = side === "bottom";
        set(group, {
          transform: bottom ? `translate(${at.toFixed(1)},0)` : `translate(0,${at.toFixed(1)})`,
        });
        set(line, bottom ? { y2: reach } : { x2: reach });
        set(text, bottom ? { y: Math.max(0, reach) + 13 } : { x: -7, dy: "0.32em" });
        setText(text, label);
      });
    },
  };
}
