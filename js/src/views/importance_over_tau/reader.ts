import type { OverTau } from "../../session/overTau.ts";
import { columnAt } from "../../session/overTau.ts";
import type { Fields } from "../../session/wire.ts";

/** Which measure of the importance view is drawn over τ. */
export interface DrawnMeasure {
  stale: boolean;
  /** Position of the measure among those of the importance view. */
  at: number;
  label: string;
  unit: string;
  /** Why there is nothing to draw. */
  why: string | null;
}

export const readDrawnMeasure = (fields: Fields): DrawnMeasure => ({
  stale: fields.flag("stale"),
  at: fields.number("at"),
  label: fields.text("label"),
  unit: fields.text("unit"),
  why: fields.optional("why", (f) => f.text("why")),
});

/** Levels that are drawn. */
export const LEVELS: readonly number[] = Array.from({ length: 41 }, (_, i) => (i - 20) / 20);
/** Features whose line is drawn, besides the picked one. */
const MOST = 5;

/** The line of one feature: its row in the importance view, and its numbers at `LEVELS`, NaN where there are none. */
export interface Line {
  row: number;
  value: number[];
  low: number[];
  high: number[];
}

/** The lines of the features with the largest importance at some level, and of the picked one, in the order of the table. */
export function linesOf(over: OverTau, at: number, rows: number, picked: number): Line[] {
  const numbers = (name: string) => {
    const levels = LEVELS.map((tau) => columnAt(over, `importance.${name}`, tau));
    return (row: number) => levels.map((all) => all?.[at * rows + row] ?? Number.NaN);
  };
  const [value, low, high] = ["value", "low", "high"].map(numbers) as [
    (row: number) => number[],
    (row: number) => number[],
    (row: number) => number[],
  ];
  const values = Array.from({ length: rows }, (_, row) => value(row));
  const size = values.map((line) => Math.max(0, ...line.filter(Number.isFinite).map(Math.abs)));
  const leading = [...size.keys()]
    .sort((a, b) => (size[b] as number) - (size[a] as number))
    .slice(0, MOST);
  return [...new Set([...leading, ...(picked >= 0 && picked < rows ? [picked] : [])])]
    .sort((a, b) => a - b)
    .map((row) => ({ row, value: values[row] as number[], low: low(row), high: high(row) }))
    .filter((line) => line.value.some(Number.isFinite));
}
