/** A filter with a name; of its complement, all rows that do not meet it. */
export interface Cohort {
  name: string;
  ice_filter: Condition[];
  complement: boolean;
}

/** An end of a range: a number, a date as text, or null where it is open. */
export type End = number | string | null;

/**
 * One condition on rows; `feature: null` is the class of y. Conditions are ANDed, ends are inclusive. Missing values
 * are selected by null among `values`, and by `missing` beside a range. `rows` are positions, see `rows.ts`; `predicted`
 * are classes that the model predicts.
 */
export type Condition =
  | { feature: string; low: End; high: End; missing?: boolean | "only" }
  | { feature: string | null; values: (string | null)[] }
  | { predicted: string[]; feature?: undefined }
  | { rows: string; feature?: undefined };

/** A mean, or the share of a category, that the rows have at every τ. */
export interface Held {
  feature: string;
  value: number;
  category?: string;
}

/** Another value of a feature in one row; null is a missing one. */
export interface Change {
  feature: string;
  value: number | string | null;
}
