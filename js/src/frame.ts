import type { About } from "./about.ts";
import { Columns, isRecord, SCHEMA, WireError } from "./wire.ts";

/**
 * One condition on rows; `feature: null` is the class of y. Conditions are ANDed, ends are inclusive. A missing value
 * is one of its own: null among values, and beside a range where `missing` says so.
 */
export type Condition =
  | { feature: string; low: number | null; high: number | null; missing?: boolean }
  | { feature: string | null; values: (string | null)[] };

/** The public traits, which the client writes and the kernel answers. */
export interface Inputs {
  tau: number;
  stress_feature: string;
  feature: string;
  measure: string;
  indicator: string;
  ice_filter: Condition[];
  ice_lines: number;
  n_repeats: number;
  interval: string;
  center: boolean;
  derivative: boolean;
}

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
  interval: string;
  level: number;
  /** Row-major (measures, features). */
  value: Float64Array;
  low: Float64Array;
  high: Float64Array;
  base: Float64Array;
}

export interface Dependence {
  stale: boolean;
  feature: string;
  measure: string;
  label: string;
  unit: string;
  categorical: boolean;
  /** Whether each line starts at zero, or is a slope. */
  center: boolean;
  derivative: boolean;
  labels: string[] | null;
  n_rows: number;
  n_lines: number;
  grid: Float64Array;
  average: Float64Array;
  low: Float64Array;
  high: Float64Array;
  base: Float64Array;
  /** 1 where there are rows around the value; elsewhere the curve is a guess of the model. */
  near: Uint8Array;
  /** Row-major (lines, grid). */
  ice: Float32Array;
  iceWeight: Float32Array;
  iceClass: Int32Array;
  edges: Float64Array | null;
  /** Row-major (classes, bins): the share of rows, now and at tau 0. */
  counts: Float64Array;
  countsBase: Float64Array;
  bins: number;
}

export interface StressNow {
  feature: string;
  tau: number;
  /** Rows that meet the filter, whose population is stressed. */
  n_rows: number;
  mean: number | null;
  target: number | null;
  reached: number | null;
  std: number | null;
  ess: number | null;
  ess_share: number | null;
  half_share: number | null;
  kl: number | null;
  status: string;
  value: number | null;
  base: number | null;
}

export interface Stress {
  stale: boolean;
  indicator: string;
  label: string;
  unit: string;
  /** Index into the features of the table, one per row of the arrays below. */
  features: number[];
  /** Rows that the values are of; others than those of `now` while the panel is stale. */
  n_rows: number;
  now: StressNow | null;
  taus: Float64Array;
  /** Row-major (features, taus). */
  value: Float64Array;
  reached: Float64Array;
  ess: Float64Array;
  status: Uint8Array;
  /** Interval of the stressed feature's indicator at each τ; NaN while it is not known. */
  level: number;
  low: Float64Array;
  high: Float64Array;
}

/** The words behind `Stress.status`. */
export const STATUS = ["ok", "edge", "infeasible", "constant", "beyond quantile"] as const;

export interface Progress {
  what: string;
  /** `total` is 0 where it is not known how much there is to do. */
  done: number;
  total: number;
  seconds_left: number | null;
}

/** Means over refits with their intervals: row-major (measures, features), or along the grid. */
export interface Averages {
  value: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

/** The procedure behind the model, refitted: of its own rows, whatever the stress and the filters. */
export interface Learner {
  n_refits: number;
  state: "pending" | "stopped" | "failed" | "done";
  importance: Averages | null;
  dependence: Averages | null;
}

/** One atomic answer of the kernel. */
export interface Frame {
  seq: number;
  final: boolean;
  inputs: Inputs;
  /** How many rows meet the filter; with none, all panels show the last ones that did. */
  rows: number;
  importance: Importance | null;
  dependence: Dependence | null;
  stress: Stress | null;
  /** Only where a learner was given. */
  learner: Learner | null;
  cost: { calls: number; rows: number; seconds: number };
  total: { calls: number; rows: number };
  progress: Progress | null;
  error: string | null;
  notes: string[];
  /** What could not be read of it, in sentences; the parts concerned are those of the frame before. */
  faults: string[];
}

type Raw = Record<string, unknown>;

const unreadable = (name: string) =>
  `The kernel's answer has a part "${name}" that could not be read; run the cell again.`;

function part(meta: Raw, name: string): Raw | null {
  const value = meta[name];
  if (value === null || value === undefined) return null;
  if (!isRecord(value)) throw new WireError(unreadable(name));
  return value;
}

function readImportance(meta: Raw, columns: Columns, about: About): Importance {
  const measures = meta.measures as ImportanceMeasure[];
  const shape = [measures.length, about.features.length];
  const order = (meta.order as number[]).filter((i) => about.features[i] !== undefined);
  return {
    ...(meta as unknown as Importance),
    measures,
    order,
    value: columns.get("importance.value", shape),
    low: columns.get("importance.low", shape),
    high: columns.get("importance.high", shape),
    base: columns.get("importance.base", shape),
  };
}

function readDependence(meta: Raw, columns: Columns, about: About): Dependence {
  const points = columns.rows("dependence.grid");
  const lines = columns.rows("dependence.ice");
  const edges = meta.categorical ? null : columns.get("dependence.edges", [null]);
  const bins = edges ? Math.max(0, edges.length - 1) : points;
  const classes = Math.max(1, about.classes.length);
  return {
    ...(meta as unknown as Dependence),
    grid: columns.get("dependence.grid", [points]),
    average: columns.get("dependence.average", [points]),
    low: columns.get("dependence.low", [points]),
    high: columns.get("dependence.high", [points]),
    base: columns.get("dependence.base", [points]),
    near: columns.get<Uint8Array>("dependence.near", [points]),
    ice: columns.get<Float32Array>("dependence.ice", [lines, points]),
    iceWeight: columns.get<Float32Array>("dependence.ice_weight", [lines]),
    iceClass: columns.get<Int32Array>("dependence.ice_class", [lines]),
    edges,
    counts: columns.get("dependence.counts", [classes, bins]),
    countsBase: columns.get("dependence.counts_base", [classes, bins]),
    bins,
  };
}

function readStress(meta: Raw, columns: Columns): Stress {
  const features = meta.features as number[];
  const taus = columns.get("stress.taus", [null]);
  const shape = [features.length, taus.length];
  return {
    ...(meta as unknown as Stress),
    features,
    taus,
    value: columns.get("stress.value", shape),
    reached: columns.get("stress.reached", shape),
    ess: columns.get("stress.ess", shape),
    status: columns.get<Uint8Array>("stress.status", shape),
    low: columns.get("stress.low", [taus.length]),
    high: columns.get("stress.high", [taus.length]),
  };
}

function readLearner(meta: Raw, columns: Columns, importance: Importance | null): Learner {
  const measures = importance?.measures.length ?? 0;
  const features = importance ? importance.value.length / measures : 0;
  const averages = (panel: string, shape: (number | null)[]): Averages | null =>
    meta[panel] === true
      ? {
          value: columns.get(`learner.${panel}.value`, shape),
          low: columns.get(`learner.${panel}.low`, shape),
          high: columns.get(`learner.${panel}.high`, shape),
        }
      : null;
  return {
    ...(meta as unknown as Learner),
    importance: importance && averages("importance", [measures, features]),
    dependence: averages("dependence", [columns.rows("dependence.grid")]),
  };
}

/** The seq of a raw frame, readable even where the rest is not: a broken answer is an answer too. */
export const seqOf = (raw: unknown): number | null =>
  isRecord(raw) && typeof raw.seq === "number" ? raw.seq : null;

/** Reads a frame part by part: one that cannot be read stays as it was `before`, and the others are shown. */
export function readFrame(raw: unknown, about: About, before: Frame | null = null): Frame {
  const seq = seqOf(raw);
  if (seq === null || !isRecord(raw) || !isRecord(raw.meta) || !isRecord(raw.inputs))
    throw new WireError("The kernel sent an answer that is no frame; run the cell again.");
  if (raw.schema !== SCHEMA)
    throw new WireError(
      `The kernel's answer is of version ${String(raw.schema)}, this page reads version ${SCHEMA}; ` +
        "restart the kernel and reload the page after an upgrade.",
    );
  const meta = raw.meta;
  const columns = new Columns(meta.cols, raw.cols);
  const faults: string[] = [];
  const readPart = <T>(name: string, read: (part: Raw) => T, last: T | null | undefined) => {
    try {
      const found = part(meta, name);
      return found && read(found);
    } catch (error) {
      if (!(error instanceof WireError)) console.error(error);
      faults.push(error instanceof WireError ? error.message : unreadable(name));
      return last ?? null;
    }
  };
  const importance = readPart(
    "importance",
    (found) => readImportance(found, columns, about),
    before?.importance,
  );
  return {
    seq,
    final: meta.final === true,
    inputs: raw.inputs as unknown as Inputs,
    rows: (meta.rows ?? about.n_rows) as number,
    importance,
    dependence: readPart(
      "dependence",
      (found) => readDependence(found, columns, about),
      before?.dependence,
    ),
    stress: readPart("stress", (found) => readStress(found, columns), before?.stress),
    learner: readPart(
      "learner",
      (found) => readLearner(found, columns, importance),
      before?.learner,
    ),
    cost: meta.cost as Frame["cost"],
    total: meta.total as Frame["total"],
    progress: (meta.progress ?? null) as Progress | null,
    error: (meta.error ?? null) as string | null,
    notes: (meta.notes ?? []) as string[],
    faults,
  };
}
