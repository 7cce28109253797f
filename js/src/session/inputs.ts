// Written from `Inputs` in uqwidgets/widgets/inputs by tests/widgets/inputs/test_inputs.py.
import type { Change, Cohort, Condition, Held } from "./condition.ts";

/** The public traits, which the client writes and the kernel answers. */
export interface Inputs {
  shown_model: string;
  views: string[];
  tau: number;
  stress_feature: string;
  stress_category: string;
  anchor: string;
  tail: number;
  held: Held[];
  feature: string;
  small_curves: number;
  second: string;
  measure: string;
  indicator: string;
  ice_filter: Condition[];
  complement: boolean;
  cohorts: Cohort[];
  ice_lines: number;
  n_repeats: number;
  interval: string;
  simultaneous: boolean;
  groups: string;
  time: string;
  importance_of: string[];
  replacement: string;
  compare: string;
  grouped: boolean;
  verdict: boolean;
  redundancy: boolean;
  sort: string;
  image_rows: number;
  top: number;
  slices_of: string;
  compare_with: string;
  center: boolean;
  derivative: boolean;
  relative: boolean;
  center_at: string;
  spacing: string;
  color_by: string;
  group_averages: boolean;
  own_values: boolean;
  rug: boolean;
  category_order: string;
  calibration_by: string;
  logit: boolean;
  clip_lines: boolean;
  selection: string | Condition[];
  row: number;
  what_if: Change[];
}

/** What `typeof` says of each. */
export const INPUT_TYPES = {
  shown_model: "string",
  views: "object",
  tau: "number",
  stress_feature: "string",
  stress_category: "string",
  anchor: "string",
  tail: "number",
  held: "object",
  feature: "string",
  small_curves: "number",
  second: "string",
  measure: "string",
  indicator: "string",
  ice_filter: "object",
  complement: "boolean",
  cohorts: "object",
  ice_lines: "number",
  n_repeats: "number",
  interval: "string",
  simultaneous: "boolean",
  groups: "string",
  time: "string",
  importance_of: "object",
  replacement: "string",
  compare: "string",
  grouped: "boolean",
  verdict: "boolean",
  redundancy: "boolean",
  sort: "string",
  image_rows: "number",
  top: "number",
  slices_of: "string",
  compare_with: "string",
  center: "boolean",
  derivative: "boolean",
  relative: "boolean",
  center_at: "string",
  spacing: "string",
  color_by: "string",
  group_averages: "boolean",
  own_values: "boolean",
  rug: "boolean",
  category_order: "string",
  calibration_by: "string",
  logit: "boolean",
  clip_lines: "boolean",
  selection: "string",
  row: "number",
  what_if: "object",
} as const satisfies Record<keyof Inputs, string>;
