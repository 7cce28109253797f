/**
 * One condition on rows; `feature: null` is the class of y. Conditions are ANDed, ends are inclusive. Missing values
 * are selected by null among `values`, and by `missing` beside a range.
 */
export type Condition =
  | { feature: string; low: number | null; high: number | null; missing?: boolean }
  | { feature: string | null; values: (string | null)[] };
