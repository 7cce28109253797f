import type { Columns, Fields } from "../../session/wire.ts";

export interface ScoreDifference {
  name: string;
  label: string;
  unit: string;
  first: number | null;
  second: number | null;
  value: number | null;
  low: number | null;
  high: number | null;
}

/** A difference with its interval, along the values of a feature or along τ. */
export interface Line {
  feature: string;
  label: string;
  unit: string;
  /** Names of the categories, or null for numbers. */
  labels: string[] | null;
  grid: Float64Array;
  value: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

/** What is shown minus what it is compared with. */
export interface Comparison {
  stale: boolean;
  /** Names of both sides. */
  first: string;
  second: string;
  level: number;
  /** The level of τ that the differences are of. */
  tau: number;
  /** What the differences do not follow, and why there are none. */
  sentences: string[];
  scores: ScoreDifference[];
  curve: Line | null;
  stress: Line | null;
  /** Measures that are computed so far, and the names of the rows. */
  measures: { label: string; unit: string }[];
  units: string[];
  /** Row-major (measures, units). */
  value: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

const NOTHING = new Float64Array();

function readLine(fields: Fields, columns: Columns, name: string): Line {
  const grid = columns.get(`${name}_grid`, [null]);
  const shape = [grid.length];
  const labels = fields.optional("labels", (f) => f.texts("labels"));
  return {
    feature: fields.text("feature"),
    label: fields.text("label"),
    unit: fields.text("unit"),
    labels: labels?.length === grid.length ? labels : null,
    grid,
    value: columns.get(name, shape),
    low: columns.get(`${name}_low`, shape),
    high: columns.get(`${name}_high`, shape),
  };
}

export function readComparison(fields: Fields, columns: Columns): Comparison {
  const line = (name: string) =>
    fields.optional(name, (f) => readLine(f.record(name), columns, name));
  const measures = fields.records("importance").map((measure) => ({
    label: measure.text("label"),
    unit: measure.text("unit"),
  }));
  const units = fields.optional("units", (f) => f.texts("units")) ?? [];
  const importance = (name: string) =>
    measures.length ? columns.get(name, [measures.length, units.length]) : NOTHING;
  return {
    stale: fields.flag("stale"),
    first: fields.text("first"),
    second: fields.text("second"),
    level: fields.number("level"),
    tau: fields.optional("tau", (f) => f.number("tau")) ?? 0,
    sentences: fields.optional("sentences", (f) => f.texts("sentences")) ?? [],
    scores: fields.records("scores").map((score) => {
      const optional = (name: string) => score.optional(name, (f) => f.number(name));
      return {
        name: score.optional("name", (f) => f.text("name")) ?? "",
        label: score.text("label"),
        unit: score.text("unit"),
        first: optional("first"),
        second: optional("second"),
        value: optional("value"),
        low: optional("low"),
        high: optional("high"),
      };
    }),
    curve: line("curve"),
    stress: line("stress"),
    measures,
    units,
    value: importance("importance"),
    low: importance("importance_low"),
    high: importance("importance_high"),
  };
}
