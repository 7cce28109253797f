import type { ModelInfo } from "../../modelInfo.ts";
import type { Columns, Fields } from "../../wire.ts";

export interface ImportanceMeasure {
  name: string;
  label: string;
  unit: string;
  baseline: number | null;
}

/** Importance of every feature (in the order of the table) by one or two measures. */
export interface Importance {
  stale: boolean;
  measures: ImportanceMeasure[];
  order: number[];
  n_repeats: number;
  n_repeats_wanted: number;
  n_rows: number;
  /** Rows that are evaluated so far, of the features with the fewest and the most of them. */
  n_rows_least: number;
  n_rows_most: number;
  interval: string;
  level: number;
  /** Row-major (measures, features). */
  value: Float64Array;
  low: Float64Array;
  high: Float64Array;
  base: Float64Array;
  /** Values of the pin shown as ghost. */
  ghost: Float64Array | null;
}

export function readImportance(
  fields: Fields,
  columns: Columns,
  { features }: ModelInfo,
): Importance {
  const measures = fields.records("measures").map((measure) => ({
    name: measure.text("name"),
    label: measure.text("label"),
    unit: measure.text("unit"),
    baseline: measure.optional("baseline", (m) => m.number("baseline")),
  }));
  const shape = [measures.length, features.length];
  return {
    stale: fields.flag("stale"),
    measures,
    order: fields.indices("order").filter((i) => features[i] !== undefined),
    n_repeats: fields.number("n_repeats"),
    n_repeats_wanted: fields.number("n_repeats_wanted"),
    n_rows: fields.number("n_rows"),
    n_rows_least: fields.number("n_rows_least"),
    n_rows_most: fields.number("n_rows_most"),
    interval: fields.text("interval"),
    level: fields.number("level"),
    value: columns.get("value", shape),
    low: columns.get("low", shape),
    high: columns.get("high", shape),
    base: columns.get("base", shape),
    ghost: columns.optional("ghost", shape),
  };
}
