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
  /** Whether the probabilities or intervals are right, in words; empty where that is not known. */
  verdict: string;
  /** Row-major (true classes, predicted classes): share of all rows; null with numbers or very many classes. */
  confusion: Float64Array | null;
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
    verdict: fields.optional("verdict", (f) => f.text("verdict")) ?? "",
    calibration:
      event === null
        ? null
        : {
            event,
            predicted: column("predicted"),
            observed: column("observed"),
            low: column("low"),
            high: column("high"),
          },
    confusion: columns.rows("confusion") ? columns.shares<Float64Array>("confusion", [k, k]) : null,
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
