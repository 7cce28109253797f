import type { Columns, Fields } from "../../session/wire.ts";

/** Every indicator over τ, of the lines that move some of them most. */
export interface Indicators {
  stale: boolean;
  indicators: { name: string; label: string; unit: string }[];
  /** Of each line: index into the features of the table, and the category whose share is moved, if any. */
  features: number[];
  categories: (string | null)[];
  /** How many lines and indicators there are; not all are drawn. */
  nLines: number;
  nIndicators: number;
  nRows: number;
  taus: Float64Array;
  /** Row-major (lines, indicators, taus). */
  value: Float32Array;
}

export function readIndicators(fields: Fields, columns: Columns): Indicators {
  const [names, labels, units] = ["indicators", "labels", "units"].map((one) => fields.texts(one));
  const features = fields.indices("features");
  const taus = columns.get("taus", [null]);
  const { categories } = fields.raw;
  return {
    stale: fields.flag("stale"),
    indicators: (names ?? []).map((name, i) => ({
      name,
      label: labels?.[i] ?? name,
      unit: units?.[i] ?? "",
    })),
    features,
    categories: features.map((_, i) => {
      const text: unknown = Array.isArray(categories) ? categories[i] : null;
      return typeof text === "string" ? text : null;
    }),
    nLines: fields.number("n_lines"),
    nIndicators: fields.number("n_indicators"),
    nRows: fields.number("n_rows"),
    taus,
    value: columns.get<Float32Array>("value", [features.length, names?.length ?? 0, taus.length]),
  };
}
