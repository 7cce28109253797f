import type { Change } from "../../session/condition.ts";
import type { ModelInfo } from "../../session/modelInfo.ts";
import { type Columns, type Fields, type Numbers, WireError } from "../../session/wire.ts";

export interface CardMeasure {
  name: string;
  label: string;
  unit: string;
  isPrediction: boolean;
}

/** What the model says of a row. */
export interface Answer {
  /** The predicted class by its number, or the predicted value. */
  predicted: number;
  /** Probabilities of classes, or quantiles of a number, or nothing. */
  prediction: Numbers;
  /** In the order of the card's measures. */
  measures: Numbers;
}

export interface WhatIf {
  row: number;
  changes: Change[];
  error: string | null;
  /** Null until the model has answered. */
  answer: Answer | null;
}

export interface Selection {
  stale: boolean;
  nSelected: number;
  measures: CardMeasure[];
  classes: string[] | null;
  /** Ends of the axis of predicted numbers. */
  span: [number, number] | null;
  /** Labels of the listed rows, where they have others than their positions. */
  labels: string[] | null;
  listed: Int32Array;
  predicted: Float64Array;
  truth: Float64Array;
  weight: Float64Array;
  /** Row-major (listed rows, measures); the rank is the share of rows with a smaller value. */
  values: Float64Array;
  rank: Float32Array;
  /** Rows with a card; their numbers and texts are those of the features of that kind, in order. */
  card: Int32Array;
  numbers: Float64Array;
  texts: (string | null)[][];
  prediction: Float64Array;
  whatIf: WhatIf | null;
}

const isTexts = (value: unknown): value is (string | null)[][] =>
  Array.isArray(value) &&
  value.every(
    (row) => Array.isArray(row) && row.every((text) => text === null || typeof text === "string"),
  );

/** A missing value is null. */
function readChange(fields: Fields): Change {
  const isNumber = typeof fields.raw.value === "number";
  return {
    feature: fields.text("feature"),
    value: fields.optional("value", (f) => (isNumber ? f.number("value") : f.text("value"))),
  };
}

function readWhatIf(fields: Fields, columns: Columns): WhatIf {
  const rows = columns.rows("if_predicted");
  return {
    row: fields.number("row"),
    changes: fields.records("changes").map(readChange),
    error: fields.optional("error", (f) => f.text("error")),
    answer: rows
      ? {
          predicted: columns.get("if_predicted", [1])[0] ?? Number.NaN,
          prediction: columns.get("if_prediction", [1, null]),
          measures: columns.get("if_measures", [1, null]),
        }
      : null,
  };
}

const NO_NUMBERS = new Float64Array();
/** What is read where no row is selected. */
const NONE: Selection = {
  stale: false,
  nSelected: 0,
  measures: [],
  classes: null,
  span: null,
  labels: null,
  listed: new Int32Array(),
  predicted: NO_NUMBERS,
  truth: NO_NUMBERS,
  weight: NO_NUMBERS,
  values: NO_NUMBERS,
  rank: new Float32Array(),
  card: new Int32Array(),
  numbers: NO_NUMBERS,
  texts: [],
  prediction: NO_NUMBERS,
  whatIf: null,
};

export function readSelection(fields: Fields, columns: Columns, _info: ModelInfo): Selection {
  if (fields.raw.measures === undefined) return { ...NONE, stale: fields.flag("stale") };
  const listed = columns.rows("listed");
  const cards = columns.rows("card");
  const measures = fields.records("measures").map((one) => ({
    name: one.text("name"),
    label: one.text("label"),
    unit: one.text("unit"),
    isPrediction: one.flag("prediction"),
  }));
  const { texts, span } = fields.raw;
  if (!isTexts(texts))
    throw new WireError(
      "The kernel's answer has no values of the selected row; run the cell again.",
    );
  return {
    stale: fields.flag("stale"),
    nSelected: fields.number("n_selected"),
    measures,
    classes: fields.optional("classes", (f) => f.texts("classes")),
    span: Array.isArray(span) ? [Number(span[0]), Number(span[1])] : null,
    labels: fields.optional("labels", (f) => f.texts("labels")),
    listed: columns.get<Int32Array>("listed", [listed]),
    predicted: columns.get("predicted", [listed]),
    truth: columns.get("true", [listed]),
    weight: columns.get("weight", [listed]),
    values: columns.get("measures", [listed, measures.length]),
    rank: columns.get<Float32Array>("rank", [listed, measures.length]),
    card: columns.get<Int32Array>("card", [cards]),
    numbers: columns.get("numbers", [cards, null]),
    texts,
    prediction: columns.get("prediction", [cards, null]),
    whatIf: fields.optional("what_if", (f) => readWhatIf(f.record("what_if"), columns)),
  };
}
