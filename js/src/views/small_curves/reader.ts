import type { Columns, Fields } from "../../session/wire.ts";

/** The average along one feature, with its interval. */
export interface SmallCurve {
  feature: string;
  /** Numbers, milliseconds of a date, or positions of categories. */
  places: Float64Array;
  categories: string[] | null;
  time: boolean;
  average: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

export interface SmallCurves {
  stale: boolean;
  curves: SmallCurve[];
  /** Features whose curve is still to come. */
  coming: string[];
  byImportance: boolean;
  label: string;
  unit: string;
  n_rows: number;
  level: number;
}

export function readSmallCurves(fields: Fields, columns: Columns): SmallCurves {
  const { sizes, categories, times } = fields.raw;
  const lengths = Array.isArray(sizes) ? sizes.map(Number) : [];
  const total = lengths.reduce((sum, size) => sum + size, 0);
  const [places, average, low, high] = ["places", "average", "low", "high"].map((name) =>
    columns.get(name, [total]),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array];
  let start = 0;
  const curves = fields.texts("features").map((feature, i) => {
    const own = (values: Float64Array) => values.subarray(start, start + (lengths[i] ?? 0));
    const texts: unknown = Array.isArray(categories) ? categories[i] : null;
    const curve = {
      feature,
      places: own(places),
      categories: Array.isArray(texts) ? texts.map(String) : null,
      time: Array.isArray(times) && times[i] === true,
      average: own(average),
      low: own(low),
      high: own(high),
    };
    start += lengths[i] ?? 0;
    return curve;
  });
  return {
    stale: fields.flag("stale"),
    curves,
    coming: fields.texts("coming"),
    byImportance: fields.flag("by_importance"),
    label: fields.text("label"),
    unit: fields.text("unit"),
    n_rows: fields.number("n_rows"),
    level: fields.number("level"),
  };
}
