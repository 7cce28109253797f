import type { Columns, Fields } from "../../session/wire.ts";

/** Values of one of the two features. */
export interface Axis {
  feature: string;
  /** Numbers, or positions of categories. */
  grid: Float64Array;
  labels: string[] | null;
}

/** A measure over the values of two features; its numbers are row-major (first, second). */
export interface Surface {
  stale: boolean;
  label: string;
  unit: string;
  n_rows: number;
  /** Share of the surface's variance that is interaction; null if the surface is flat. */
  hSquared: number | null;
  axes: [Axis, Axis];
  average: Float64Array;
  low: Float64Array;
  high: Float64Array;
  interaction: Float64Array;
  /** 1 where rows are near; elsewhere the model extrapolates. */
  near: Uint8Array;
}

export function readSurface(fields: Fields, columns: Columns): Surface {
  const names = fields.texts("features");
  const { labels } = fields.raw;
  const axis = (i: number, name: string): Axis => {
    const grid = columns.get(name, [null]);
    const texts: unknown = Array.isArray(labels) ? labels[i] : null;
    const isList = Array.isArray(texts) && texts.length === grid.length;
    return { feature: names[i] ?? "", grid, labels: isList ? texts.map(String) : null };
  };
  const axes: [Axis, Axis] = [axis(0, "first"), axis(1, "second")];
  const shape = axes.map(({ grid }) => grid.length);
  return {
    stale: fields.flag("stale"),
    label: fields.text("label"),
    unit: fields.text("unit"),
    n_rows: fields.number("n_rows"),
    hSquared: fields.optional("h_squared", (f) => f.number("h_squared")),
    axes,
    average: columns.get("average", shape),
    low: columns.get("low", shape),
    high: columns.get("high", shape),
    interaction: columns.get("interaction", shape),
    near: columns.get<Uint8Array>("near", shape),
  };
}
