import type { Columns, Fields, Numbers } from "../../session/wire.ts";
import { isolated } from "../../widget/format.ts";

export interface StressNow {
  feature: string;
  /** The category whose share is moved; null for the mean of a numeric feature. */
  category: string | null;
  tau: number;
  /** Rows that meet the filter, whose population is stressed. */
  n_rows: number;
  mean: number | null;
  target: number | null;
  reached: number | null;
  std: number | null;
  ess: number | null;
  ess_share: number | null;
  /** Effective number of groups of rows; null where each row is by itself. */
  groups_ess: number | null;
  half_share: number | null;
  /** What decides the weights at τ = 0, in words; empty where all rows count the same. */
  start: string;
  /** Rows without a value of the feature, which keep their weight. */
  n_unmoved: number;
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
  /** The category whose share is moved, for each of them; null for the mean of a numeric feature. */
  categories: (string | null)[];
  /** Number of rows of the values; it differs from that of `now` while the panel is stale. */
  n_rows: number;
  now: StressNow | null;
  taus: Float64Array;
  /** Row-major (features, taus). */
  value: Float32Array;
  reached: Float32Array;
  ess: Float32Array;
  status: Uint8Array;
  level: number;
  /** Ends of the interval of the stressed feature's indicator, at levels of their own; NaN while they are not known. */
  endTaus: Numbers;
  low: Numbers;
  high: Numbers;
  /** Profile of the stressed feature of the pin shown as ghost. */
  ghost: Float64Array | null;
  /** Both rates of the stressed feature, (value and ends, these levels), where one of them is followed. */
  roc: { tpr: Numbers; fpr: Numbers } | null;
}

/** Explanations of `Stress.status`. */
export const STATUS = [
  "ok",
  "edge",
  "infeasible",
  "constant",
  "beyond quantile",
  "no value",
] as const;

function readNow(fields: Fields): StressNow {
  const optional = (name: string) => fields.optional(name, (f) => f.number(name));
  return {
    feature: fields.text("feature"),
    category: fields.optional("category", (f) => f.text("category")),
    tau: fields.number("tau"),
    n_rows: fields.number("n_rows"),
    mean: optional("mean"),
    target: optional("target"),
    reached: optional("reached"),
    std: optional("std"),
    ess: optional("ess"),
    ess_share: optional("ess_share"),
    groups_ess: optional("groups_ess"),
    half_share: optional("half_share"),
    start: fields.optional("start", (f) => f.text("start")) ?? "",
    n_unmoved: fields.optional("n_unmoved", (f) => f.number("n_unmoved")) ?? 0,
    kl: optional("kl"),
    status: fields.text("status"),
    value: optional("value"),
    base: optional("base"),
  };
}

export function readStress(fields: Fields, columns: Columns): Stress {
  const features = fields.indices("features");
  const taus = columns.get("taus", [null]);
  const shape = [features.length, taus.length];
  const endTaus = columns.get("end_taus", [null]);
  const ends = columns.get("ends", [2, endTaus.length]);
  const rate = (name: string) => columns.get(name, [3, endTaus.length]);
  return {
    stale: fields.flag("stale"),
    indicator: fields.text("indicator"),
    label: fields.text("label"),
    unit: fields.text("unit"),
    features,
    categories: features.map((_, i) => {
      const { categories } = fields.raw;
      const text = Array.isArray(categories) ? categories[i] : null;
      return typeof text === "string" ? text : null;
    }),
    n_rows: fields.number("n_rows"),
    now: fields.optional("now", (f) => readNow(f.record("now"))),
    level: fields.number("level"),
    taus,
    value: columns.get<Float32Array>("value", shape),
    reached: columns.get<Float32Array>("reached", shape),
    ess: columns.get<Float32Array>("ess", shape),
    status: columns.get<Uint8Array>("status", shape),
    endTaus,
    low: ends.subarray(0, endTaus.length),
    high: ends.subarray(endTaus.length),
    ghost: columns.optional("ghost", [taus.length]),
    roc: columns.rows("tpr") ? { tpr: rate("tpr"), fpr: rate("fpr") } : null,
  };
}

/** Row of `stress` that is stressed now, or null. */
export function rowOf({ features, categories, now }: Stress, names: string[]): number | null {
  const at = features.findIndex(
    (feature, i) =>
      now !== null && names[feature] === now.feature && categories[i] === now.category,
  );
  return at < 0 ? null : at;
}

/** The name of a line: its feature, with the category whose share is moved. */
export function lineName({ features, categories }: Stress, names: string[], at: number): string {
  const [name, category] = [names[features[at] ?? -1] ?? "", categories[at] ?? null];
  return category === null ? name : `${isolated(name)} = ${isolated(category)}`;
}

/** What is moved, in words. */
export const moved = ({ feature, category }: Pick<StressNow, "feature" | "category">): string =>
  category === null
    ? `mean of ${isolated(feature)}`
    : `share of ${isolated(category)} in ${isolated(feature)}`;
