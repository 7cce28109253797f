import type { ModelInfo } from "../../session/modelInfo.ts";
import type { Columns, Fields } from "../../session/wire.ts";

export interface ImportanceMeasure {
  name: string;
  label: string;
  unit: string;
  baseline: number | null;
  /** In which words a change is read: "loss", "uncertainty", "prediction" or "score". */
  kind: string;
  /** What a bar says, and one on the other side. */
  words: string[];
}

/** Importance of every feature, or group, by measures and scorers. */
export interface Importance {
  stale: boolean;
  measures: ImportanceMeasure[];
  order: number[];
  n_repeats: number;
  n_repeats_target: number;
  n_rows: number;
  /** Rows that are evaluated so far, of the features with the fewest and the most of them. */
  n_rows_least: number;
  n_rows_most: number;
  interval: string;
  level: number;
  /** Names of the rows where groups move together; null where every row is a feature, in the order of the table. */
  units: string[] | null;
  replacement: string;
  compare: string;
  /** The verdicts that occur, each with its sentence, and the position of each row's verdict. */
  verdicts: { verdict: string; sentence: string }[];
  verdict: Int32Array | null;
  /** Row-major (estimate and both ends, features); NaN while it is being computed. */
  redundancy: Float64Array | null;
  /** Row-major (measures, features). */
  value: Float64Array;
  low: Float64Array;
  high: Float64Array;
  base: Float64Array;
  /** Rows, or groups, at which each would be clear; NaN where that is not known. */
  needed: Float64Array | null;
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
    kind: measure.text("kind"),
    words: measure.texts("words"),
  }));
  const units = fields.optional("units", (f) => f.texts("units"));
  const rows = units?.length ?? features.length;
  const shape = [measures.length, rows];
  return {
    stale: fields.flag("stale"),
    measures,
    order: fields.indices("order").filter((i) => i >= 0 && i < rows),
    n_repeats: fields.number("n_repeats"),
    n_repeats_target: fields.number("n_repeats_target"),
    n_rows: fields.number("n_rows"),
    n_rows_least: fields.number("n_rows_least"),
    n_rows_most: fields.number("n_rows_most"),
    interval: fields.text("interval"),
    level: fields.number("level"),
    units,
    replacement: fields.text("replacement"),
    compare: fields.text("compare"),
    verdicts: fields.records("verdicts").map((one) => ({
      verdict: one.text("verdict"),
      sentence: one.text("sentence"),
    })),
    verdict: columns.rows("verdict") ? columns.get<Int32Array>("verdict", [rows]) : null,
    redundancy: columns.optional("redundancy", [3, rows]),
    value: columns.get("value", shape),
    low: columns.get("low", shape),
    high: columns.get("high", shape),
    base: columns.get("base", shape),
    needed: columns.optional("needed", shape),
    // A pin may show other measures, or groups.
    ghost: columns.fits("ghost", shape) ? columns.get<Float64Array>("ghost", shape) : null,
  };
}
