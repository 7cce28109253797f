import { type Help, NO_HELP, readHelp } from "./help.ts";
import { Fields, isRecord, SCHEMA, WireError } from "./wire.ts";

/** A column by which rows are filtered. */
export interface Column {
  name: string;
  kind: "numeric" | "categorical";
  min: number | null;
  max: number | null;
  integer: boolean;
  /** Values of a categorical column; null where there are too many, and for dates. */
  values: string[] | null;
  /** First and last day of a column of dates. */
  dates?: [string, string];
  /** Number of rows with a missing value. */
  missing: number;
}

export interface Feature extends Column {
  /** Why this feature cannot be stressed, or null. */
  unstressable: string | null;
  /** The group it belongs to, if any. */
  group?: string;
}

/** What rows belong to, such as "30 patients", by a column; the text is null where each row is by itself. */
export interface RowGroups {
  name: string;
  text: string | null;
  /** Whether the column orders the rows. */
  time?: boolean;
}

/** Lower and upper bound of a measure, null where it is unbounded. */
export type Bounds = readonly [number | null, number | null];

export interface Choice {
  name: string;
  label: string;
  unit: string;
  /** Absent in notebooks saved by earlier versions. */
  bounds?: Bounds;
}

/** The constant description of a model: its features, classes, measures and indicators. */
export interface ModelInfo {
  title: string;
  task: "classification" | "regression";
  /** Null where the true target is not known. */
  target: string | null;
  /** Classes of the target, by which rows are coloured and filtered. */
  classes: string[];
  n_rows: number;
  level: number;
  features: Feature[];
  /** Columns that the model does not see. */
  extra: Column[];
  measures: Choice[];
  /** Scorers whose loss is offered beside the importance by measures. */
  scorers: Choice[];
  indicators: Choice[];
  intervals: string[];
  /** Whether intervals hold one at a time or all at once; both where it can be chosen. */
  simultaneous: unknown[];
  /** Columns whose values can be the groups of rows, with what these are: "30 patients"; the first are those that were passed. */
  groups: RowGroups[];
  /** Codes of the notes that stand at the top, in this order; absent in notebooks saved by earlier versions. */
  urgent: string[];
  /** Names of the other models to compare with. */
  others: string[];
  /** Names of all models, and which of them this is; empty where there is one. */
  models: string[];
  model: string;
  /** Rows of the picture whose pixels the features seem to be, 0 for none. */
  picture_rows: number;
  /** Names of the views, in the order in which they stand on the page. */
  views: string[];
  /** Empty in notebooks saved by earlier versions. */
  help: Help;
}

export function readModelInfo(raw: unknown): ModelInfo {
  if (!isRecord(raw) || raw.schema === undefined)
    throw new WireError("The kernel's description of the model is missing; run the cell again.");
  if (raw.schema !== SCHEMA)
    throw new WireError(
      `The kernel's description of the model is of version ${String(raw.schema)}, this page reads version ${SCHEMA}; ` +
        "restart the kernel and reload the page.",
    );
  const fields = new Fields("The kernel's description of the model", raw);
  return {
    title: fields.text("title"),
    task: fields.text("task") === "classification" ? "classification" : "regression",
    target: fields.optional("target", (f) => f.text("target")),
    classes: fields.texts("classes"),
    n_rows: fields.number("n_rows"),
    level: fields.number("level"),
    features: fields.records("features").map(readFeature),
    // Absent in notebooks saved by earlier versions.
    extra: raw.extra === undefined ? [] : fields.records("extra").map(readColumn),
    measures: fields.records("measures").map(readChoice),
    scorers: fields.records("scorers").map(readChoice),
    indicators: fields.records("indicators").map(readChoice),
    intervals: fields.texts("intervals"),
    simultaneous: Array.isArray(raw.simultaneous) ? raw.simultaneous : [],
    // Absent in notebooks saved by earlier versions.
    groups: fields.optional("groups", (f) => f.records("groups").map(readGroups)) ?? [],
    urgent: fields.optional("urgent", (f) => f.texts("urgent")) ?? [],
    // Absent in notebooks saved by earlier versions.
    others: fields.optional("others", (f) => f.texts("others")) ?? [],
    models: fields.optional("models", (f) => f.texts("models")) ?? [],
    model: fields.optional("model", (f) => f.text("model")) ?? "",
    picture_rows: fields.optional("picture_rows", (f) => f.number("picture_rows")) ?? 0,
    views: fields.texts("views"),
    help: fields.optional("help", (f) => readHelp(f.record("help"))) ?? NO_HELP,
  };
}

function readColumn(fields: Fields): Column {
  const dates = fields.raw.dates === undefined ? null : fields.texts("dates");
  return {
    name: fields.text("name"),
    kind: fields.text("kind") === "numeric" ? "numeric" : "categorical",
    min: fields.optional("min", (f) => f.number("min")),
    max: fields.optional("max", (f) => f.number("max")),
    integer: fields.flag("integer"),
    values: fields.optional("values", (f) => f.texts("values")),
    missing: fields.number("missing"),
    ...(dates?.length === 2 ? { dates: [dates[0] as string, dates[1] as string] } : {}),
  };
}

function readFeature(fields: Fields): Feature {
  const group = fields.optional("group", (f) => f.text("group"));
  return {
    ...readColumn(fields),
    unstressable: fields.optional("unstressable", (f) => f.text("unstressable")),
    ...(group === null ? {} : { group }),
  };
}

const readGroups = (fields: Fields): RowGroups => ({
  name: fields.text("name"),
  text: fields.optional("text", (f) => f.text("text")),
  ...(fields.raw.time === true && { time: true }),
});

function readChoice(fields: Fields): Choice {
  const { bounds } = fields.raw;
  const end = (value: unknown) => (typeof value === "number" ? value : null);
  return {
    name: fields.text("name"),
    label: fields.text("label"),
    unit: fields.text("unit"),
    ...(Array.isArray(bounds) ? { bounds: [end(bounds[0]), end(bounds[1])] } : {}),
  };
}
