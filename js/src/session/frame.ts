import type { ViewsNamed } from "../views/index.ts";
import { INPUT_TYPES, type Inputs } from "./inputs.ts";
import type { ModelInfo } from "./modelInfo.ts";
import { Columns, Fields, isRecord, SCHEMA, WireError } from "./wire.ts";

/** The parts of a frame by the names of their views; each view declares its part in this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: the views fill it
export interface Parts {}

export interface Ghost {
  /** The name of what is drawn: a pin, or another model. */
  of: string;
  note: string;
  state: Inputs;
}

export interface Progress {
  what: string;
  /** `total` is 0 while the amount of work is unknown. */
  done: number;
  total: number;
  seconds_left: number | null;
}

/** Means over refits with their intervals: row-major (measures, features), or along the grid. */
export interface Averages {
  value: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

/** Results of the refitted learner on its own rows; stress and filters do not change them. */
export interface Learner {
  n_refits: number;
  state: (typeof LEARNER_STATES)[number];
  /** Results of the learner by the name of the view. */
  averages: Readonly<Record<string, Averages | null>>;
}

/** One atomic answer of the kernel, without the parts of the views. */
export interface Answer {
  seq: number;
  final: boolean;
  inputs: Inputs;
  /** Number of rows that meet the filter; if it is 0, all views show the previous rows. */
  rows: number;
  /** What these rows belong to, such as "30 patients"; null where each row is by itself. */
  inGroups: string | null;
  /** Present only for a widget with a learner. */
  learner: Learner | null;
  cost: { calls: number; rows: number; seconds: number };
  total: { calls: number; rows: number };
  progress: Progress | null;
  /** Where the work was stopped, such as "at 3 of 10 shuffles"; it can be continued. */
  stopped: string | null;
  error: string | null;
  /** Why a view lacks something, and the end of the traceback, by its name. */
  failures?: Record<string, string[]> | undefined;
  /** Whether a view failed, so that its work can be tried again. */
  failed: boolean;
  notes: string[];
  /** The code of each note, by which the page on remarks explains it. */
  noteCodes: string[];
  /** The inputs that mend what each note says, where there are some; untrusted. */
  noteInputs: unknown[];
  /** The line of Python that shows this view. */
  code: string | null;
  /** The pin that the views show as their ghost. */
  ghost: Ghost | null;
  /** Errors of the parts that could not be read; these parts are those of the previous frame. */
  faults: string[];
}

export type Frame = Answer & { [Name in keyof Parts]: Parts[Name] | null };

const LEARNER_STATES = ["pending", "stopped", "failed", "done", "absent"] as const;

function readLearner(fields: Fields, columns: Columns, shapes: Record<string, number[]>): Learner {
  const state = fields.text("state");
  const known = LEARNER_STATES.find((one) => one === state);
  if (!known)
    throw new WireError(`The kernel's answer has a learner that is ${state}; run the cell again.`);
  const averages = Object.entries(shapes).map(([view, shape]) => {
    const own = columns.of(view);
    const known = fields.raw[view] === true;
    const get = (name: string) => own.get(name, shape);
    return [view, known ? { value: get("value"), low: get("low"), high: get("high") } : null];
  });
  return {
    n_refits: fields.number("n_refits"),
    state: known,
    averages: Object.fromEntries(averages),
  };
}

const areInputs = (raw: object): raw is Inputs =>
  Object.entries(INPUT_TYPES).every(([name, type]) => typeof Reflect.get(raw, name) === type);

/** The seq of a raw frame, also of a broken one, because a broken frame answers its request too. */
export const seqOf = (raw: unknown): number | null =>
  isRecord(raw) && typeof raw.seq === "number" ? raw.seq : null;

/** Reads a frame, each part by its view; a part that cannot be read is taken from the frame `before`. */
export function readFrame(
  viewsNamed: ViewsNamed,
  raw: unknown,
  info: ModelInfo,
  before: Frame | null = null,
): Frame {
  const seq = seqOf(raw);
  if (
    seq === null ||
    !isRecord(raw) ||
    !isRecord(raw.meta) ||
    !isRecord(raw.inputs) ||
    !areInputs(raw.inputs)
  )
    throw new WireError("The kernel sent an unreadable reply; run the cell again.");
  if (raw.schema !== SCHEMA)
    throw new WireError(
      `The kernel's answer is of version ${String(raw.schema)}, this page reads version ${SCHEMA}; ` +
        "restart the kernel and reload the page.",
    );
  const subject = "The kernel's answer";
  const meta = new Fields(subject, raw.meta);
  const columns = new Columns(raw.meta.cols, raw.cols);
  const faults: string[] = [];
  const readPart = <T>(name: string, read: (part: Fields) => T, last: T | null | undefined) => {
    try {
      return meta.optional(name, () => read(meta.record(name)));
    } catch (error) {
      if (!(error instanceof WireError)) console.error(error);
      faults.push(
        error instanceof WireError
          ? error.message
          : `${subject} has a part "${name}" that could not be read; run the cell again.`,
      );
      return last ?? null;
    }
  };
  const shapes: Record<string, number[]> = {};
  const parts: Partial<Record<string, unknown>> = {};
  for (const { name, read, averagesShape } of viewsNamed(info.views)) {
    const part = readPart(
      name,
      (fields) => read(fields, columns.of(name), info),
      before?.[name as keyof Frame],
    );
    parts[name] = part;
    if (part && averagesShape) shapes[name] = averagesShape(part);
  }
  const count = (fields: Fields) => ({
    calls: fields.number("calls"),
    rows: fields.number("rows"),
  });
  const cost = meta.record("cost");
  const answer: Answer = {
    seq,
    final: meta.flag("final"),
    inputs: raw.inputs,
    rows: meta.optional("rows", (m) => m.number("rows")) ?? info.n_rows,
    inGroups: meta.optional("in_groups", (m) => m.text("in_groups")),
    learner: readPart(
      "learner",
      (fields) => readLearner(fields, columns.of("learner"), shapes),
      before?.learner,
    ),
    cost: { ...count(cost), seconds: cost.number("seconds") },
    total: count(meta.record("total")),
    progress: meta.optional("progress", (m) => readProgress(m.record("progress"))),
    stopped: meta.optional("stopped", (m) => m.text("stopped")),
    error: meta.optional("error", (m) => m.text("error")),
    failures: raw.meta.failures as Frame["failures"],
    failed: meta.optional("failed", (m) => m.flag("failed")) ?? false,
    notes: meta.texts("notes"),
    noteCodes: meta.optional("note_codes", (m) => m.texts("note_codes")) ?? [],
    noteInputs: Array.isArray(raw.meta.note_inputs) ? raw.meta.note_inputs : [],
    code: meta.optional("code", (m) => m.text("code")),
    ghost: readPart("ghost", readGhost, null),
    faults,
  };
  // Each part was read by the view of its name.
  return { ...(parts as { [Name in keyof Parts]: Parts[Name] | null }), ...answer };
}

function readGhost(fields: Fields): Ghost {
  const { raw } = fields.record("state");
  if (!areInputs(raw)) throw new WireError("The kernel sent an invalid pin; run the cell again.");
  const of = fields.optional("of", (f) => f.text("of")) ?? "pin";
  return { of, note: fields.text("note"), state: raw };
}

const readProgress = (fields: Fields): Progress => ({
  what: fields.text("what"),
  done: fields.number("done"),
  total: fields.number("total"),
  seconds_left: fields.optional("seconds_left", (f) => f.number("seconds_left")),
});
