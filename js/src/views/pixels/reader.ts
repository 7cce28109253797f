import type { ModelInfo } from "../../session/modelInfo.ts";
import { type Columns, type Fields, WireError } from "../../session/wire.ts";

/** The shape of the picture whose pixels the features are, row by row. */
export interface Pixels {
  rows: number;
  columns: number;
}

export function readPixels(fields: Fields, _columns: Columns, { features }: ModelInfo): Pixels {
  const [rows, columns] = [fields.number("rows"), fields.number("columns")];
  if (rows < 1 || rows * columns !== features.length)
    throw new WireError("The picture of the kernel has other pixels than the model has features.");
  return { rows, columns };
}
