/**
 * One condition on rows; `feature: null` is the class of y. Conditions are ANDed, ends are inclusive. A missing value
 * is one of its own: null among values, and beside a range where `missing` says so.
 */
export type Condition =
  | { feature: string; low: number | null; high: number | null; missing?: boolean }
  | { feature: string | null; values: (string | null)[] };
