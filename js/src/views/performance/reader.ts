import type { ModelInfo } from "../../session/modelInfo.ts";
import type { Columns, Fields } from "../../session/wire.ts";

export interface Score {
  name: string;
  label: string;
  unit: string;
  value: number | null;
  low: number | null;
  high: number | null;
  /** The value without stress. */
  base: number | null;
}

export interface Calibration {
  /** The predicted event, which completes "probability that". */
  event: string;
  predicted: Float64Array;
  observed: Float64Array;
  low: Float64Array;
  high: Float64Array;
  /** Whether the interval of a point misses its probability. */
  outside: Uint8Array;
  /** Whether the model is calibrated, and how many points miss, in words. */
  verdict: string;
  misses: string;
}

/** Calibration in parts of the rows: ranges or categories of a column. */
export interface Along {
  by: string;
  names: string[];
  event: string;
  of_sharpness: string;
  /** Level of the predictive intervals; null for classes. */
  nominal: number | null;
  verdict: string;
  rows: Int32Array;
  predicted: Float64Array;
  observed: Float64Array;
  low: Float64Array;
  high: Float64Array;
  sharpness: Float64Array;
  outside: Uint8Array;
  few: Uint8Array;
}

/** Predicted and true values of some rows. */
export interface Points {
  predicted: Float32Array;
  truth: Float32Array;
  weight: Float32Array;
  rows: Int32Array;
}

export interface Performance {
  stale: boolean;
  scores: Score[];
  level: number;
  n_rows: number;
  calibration: Calibration | null;
  along: Along | null;
  /** Name and label of the measure of the predicted spread; empty without one. */
  spread: string[];
  /** Row-major (true classes, predicted classes): share of all rows; null with numbers or very many classes. */
  confusion: Float64Array | null;
  /** The number of these rows. */
  confusionRows: Int32Array | null;
  /** The classes of the confusion, and labels that are predicted and are none of them. */
  labels: string[];
  points: Points | null;
}

function readScore(fields: Fields): Score {
  const optional = (name: string) => fields.optional(name, (f) => f.number(name));
  return {
    // Absent in notebooks saved by earlier versions.
    name: fields.optional("name", (f) => f.text("name")) ?? "",
    label: fields.text("label"),
    unit: fields.text("unit"),
    value: optional("value"),
    low: optional("low"),
    high: optional("high"),
    base: optional("base"),
  };
}

function readAlong(fields: Fields, columns: Columns): Along {
  const names = fields.texts("names");
  const of = <T extends Float64Array | Uint8Array>(name: string) =>
    columns.get<T>(`along_${name}`, [names.length]);
  return {
    by: fields.text("by"),
    names,
    event: fields.text("event"),
    of_sharpness: fields.text("of_sharpness"),
    nominal: fields.optional("nominal", (f) => f.number("nominal")),
    verdict: fields.text("verdict"),
    rows: columns.get<Int32Array>("along_rows", [names.length]),
    predicted: of("predicted"),
    observed: of("observed"),
    low: of("low"),
    high: of("high"),
    sharpness: of("sharpness"),
    outside: of("outside"),
    few: of("few"),
  };
}

export function readPerformance(fields: Fields, columns: Columns, info: ModelInfo): Performance {
  const event = fields.optional("event", (f) => f.text("event"));
  const bins = columns.rows("calibration_predicted");
  const points = columns.rows("predicted");
  const labels = fields.optional("labels", (f) => f.texts("labels")) ?? info.classes;
  const k = labels.length;
  const column = (name: string) => columns.get(`calibration_${name}`, [bins]);
  const point = (name: string) => columns.get<Float32Array>(name, [points]);
  return {
    stale: fields.flag("stale"),
    scores: fields.records("scores").map(readScore),
    level: fields.number("level"),
    n_rows: fields.number("n_rows"),
    calibration:
      event === null
        ? null
        : {
            event,
            predicted: column("predicted"),
            observed: column("observed"),
            low: column("low"),
            high: column("high"),
            outside: columns.get<Uint8Array>("calibration_outside", [bins]),
            verdict: fields.text("verdict"),
            misses: fields.text("misses"),
          },
    along: fields.optional("along", (f) => readAlong(f.record("along"), columns)),
    spread: fields.optional("spread", (f) => f.texts("spread")) ?? [],
    confusion: columns.rows("confusion") ? columns.shares<Float64Array>("confusion", [k, k]) : null,
    confusionRows: columns.rows("confusion_rows")
      ? columns.get<Int32Array>("confusion_rows", [k, k])
      : null,
    labels,
    points: points
      ? {
          predicted: point("predicted"),
          truth: point("true"),
          weight: point("weight"),
          rows: columns.get<Int32Array>("row", [points]),
        }
      : null,
  };
}
