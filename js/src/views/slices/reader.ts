import type { Condition } from "../../session/condition.ts";
import type { Columns, Fields } from "../../session/wire.ts";

/** Ranges and categories in which a measure is higher than elsewhere. */
export interface Slices {
  stale: boolean;
  measure: string;
  label: string;
  unit: string;
  /** Measures that can be picked. */
  choices: { name: string; label: string }[];
  slices: { text: string; same: string; rows: number; conditions: Condition[] }[];
  /** How many slices were compared and tested. */
  tested: string;
  nRows: number;
  level: number;
  /** Of each slice: the mean in it and elsewhere, the difference with its interval, and the p-value. */
  value: Float64Array;
  elsewhere: Float64Array;
  difference: Float64Array;
  low: Float64Array;
  high: Float64Array;
  p: Float64Array;
}

export function readSlices(fields: Fields, columns: Columns): Slices {
  const slices = fields.records("slices").map((one) => ({
    text: one.text("text"),
    same: one.text("same"),
    rows: one.number("rows"),
    // They return to the kernel as they came, which checks every filter.
    conditions: one.records("conditions").map(({ raw }) => raw as unknown as Condition),
  }));
  const of = (name: string) => columns.get(name, [slices.length]);
  return {
    stale: fields.flag("stale"),
    measure: fields.text("measure"),
    label: fields.text("label"),
    unit: fields.text("unit"),
    choices: fields
      .records("choices")
      .map((one) => ({ name: one.text("name"), label: one.text("label") })),
    slices,
    tested: fields.text("tested"),
    nRows: fields.number("n_rows"),
    level: fields.number("level"),
    value: of("value"),
    elsewhere: of("elsewhere"),
    difference: of("difference"),
    low: of("low"),
    high: of("high"),
    p: of("p_adjusted"),
  };
}
