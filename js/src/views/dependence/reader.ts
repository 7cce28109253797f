import { type Look, looksOf } from "../../charts/classes.ts";
import type { Columns, Fields } from "../../session/wire.ts";

export interface Dependence {
  stale: boolean;
  feature: string;
  measure: string;
  label: string;
  unit: string;
  categorical: boolean;
  /** Whether the values stand apart, so that no line joins them: categories, or a single value. */
  isApart: boolean;
  /** Whether the values are dates, whose places are milliseconds. */
  time: boolean;
  /** Whether the curves are centred, are derivatives, and are changes from the row as it is. */
  center: boolean;
  derivative: boolean;
  relative: boolean;
  labels: string[] | null;
  /** Number of values of the feature if it is categorical, and whether some rows have none. */
  nValues: number;
  hasMissing: boolean;
  /** The column that colours lines, "" for the class; the names of its groups, and the ends of its ramp if it has one. */
  colorBy: string;
  groups: string[];
  ramp: string[] | null;
  n_rows: number;
  /** Rows that are evaluated so far. */
  n_rows_known: number;
  n_lines: number;
  grid: Float64Array;
  average: Float64Array;
  low: Float64Array;
  high: Float64Array;
  base: Float64Array;
  /** The curve of the pin shown as ghost, over its own grid. */
  ghost: Float64Array | null;
  ghostGrid: Float64Array | null;
  /** 1 where rows are near the grid value; elsewhere the model extrapolates. */
  near: Uint8Array;
  /** Row-major (lines, grid). */
  ice: Float32Array;
  iceWeight: Float32Array;
  iceClass: Int32Array;
  /** The styles of the lines, and of the groups of the bars; all later groups share the last one. */
  lineLooks: readonly Look[];
  looks: Look[];
  /** Positions of the rows of the lines, and their labels where these are no positions. */
  iceRow: Int32Array;
  iceLabels: string[] | null;
  /** Row-major (groups, grid): the average of each group with its interval, if it is shown. */
  groupAverage: Float64Array | null;
  groupLow: Float64Array | null;
  groupHigh: Float64Array | null;
  /** Place of the own value of each row that is drawn, and the value of its line there, if they are shown. */
  own: Float64Array | null;
  ownValue: Float32Array | null;
  edges: Float64Array | null;
  /** The share of rows in each bin that are selected; null without a selection. */
  selected: Float64Array | null;
  /** Row-major (classes, bins): the share of rows, now and at tau 0. */
  counts: Float64Array;
  countsBase: Float64Array;
  bins: number;
}

export function readDependence(fields: Fields, columns: Columns): Dependence {
  const points = columns.rows("grid");
  const lines = columns.rows("ice");
  const categorical = fields.flag("categorical");
  const edges = categorical ? null : columns.get("edges", [null]);
  const bins = edges ? Math.max(0, edges.length - 1) : points;
  const groups = fields.texts("groups");
  const count = Math.max(1, groups.length);
  const looks = looksOf(count);
  return {
    stale: fields.flag("stale"),
    feature: fields.text("feature"),
    measure: fields.text("measure"),
    label: fields.text("label"),
    unit: fields.text("unit"),
    categorical,
    isApart: categorical || points === 1,
    time: fields.flag("time"),
    center: fields.flag("center"),
    derivative: fields.flag("derivative"),
    relative: fields.flag("relative"),
    nValues: fields.number("n_values"),
    hasMissing: fields.flag("has_missing"),
    colorBy: fields.text("color_by"),
    groups,
    ramp: fields.optional("ramp", (f) => f.texts("ramp")),
    labels: fields.optional("labels", (f) => f.texts("labels")),
    n_rows: fields.number("n_rows"),
    n_rows_known: fields.number("n_rows_known"),
    n_lines: fields.number("n_lines"),
    grid: columns.get("grid", [points]),
    average: columns.get("average", [points]),
    low: columns.get("low", [points]),
    high: columns.get("high", [points]),
    base: columns.get("base", [points]),
    ghost: columns.optional("ghost", [null]),
    ghostGrid: columns.optional("ghost_grid", [null]),
    near: columns.get<Uint8Array>("near", [points]),
    ice: columns.get<Float32Array>("ice", [lines, points]),
    iceWeight: columns.shares<Float32Array>("ice_weight", [lines]),
    iceClass: columns.get<Int32Array>("ice_class", [lines]),
    lineLooks: looks,
    looks,
    iceRow: columns.get<Int32Array>("ice_row", [lines]),
    iceLabels: fields.optional("ice_labels", (f) => f.texts("ice_labels")),
    groupAverage: columns.optional("group_average", [count, points]),
    groupLow: columns.optional("group_low", [count, points]),
    groupHigh: columns.optional("group_high", [count, points]),
    own: columns.optional("own", [lines]),
    ownValue: columns.any("own_value") && columns.get<Float32Array>("own_value", [lines]),
    edges,
    selected: columns.optional("selected", [bins]),
    counts: columns.shares("counts", [count, bins]),
    countsBase: columns.get("counts_base", [count, bins]),
    bins,
  };
}
