import { isRecord, SCHEMA, WireError } from "./wire.ts";

export interface Feature {
  name: string;
  kind: "numeric" | "categorical";
  min: number | null;
  max: number | null;
  integer: boolean;
  values: string[] | null;
  /** How many rows have no value. */
  missing: number;
  /** Why this feature cannot be stressed, or null. */
  unstressable: string | null;
  /** The group it belongs to, if any. */
  group?: string;
}

/** What a measure lies between, null where it has no end. */
export type Bounds = readonly [number | null, number | null];

export interface Choice {
  name: string;
  label: string;
  unit: string;
  /** Absent in notebooks saved by earlier versions. */
  bounds?: Bounds;
}

/** What is constant for a model: what it is, and what may be asked of it. */
export interface About {
  schema: number;
  title: string;
  task: "classification" | "regression";
  target: string;
  classes: string[];
  n_rows: number;
  level: number;
  features: Feature[];
  measures: Choice[];
  indicators: Choice[];
  intervals: string[];
}

export function readAbout(raw: unknown): About {
  if (!isRecord(raw) || raw.schema === undefined)
    throw new WireError("The kernel sent no description of the model; run the cell again.");
  if (raw.schema !== SCHEMA)
    throw new WireError(
      `The kernel speaks version ${String(raw.schema)} of the widget's language and this page version ${SCHEMA}; ` +
        "restart the kernel and reload the page after an upgrade.",
    );
  for (const part of ["classes", "features", "measures", "indicators", "intervals"])
    if (!Array.isArray(raw[part]))
      throw new WireError(
        `The kernel's description of the model lacks "${part}"; run the cell again.`,
      );
  return raw as unknown as About;
}
