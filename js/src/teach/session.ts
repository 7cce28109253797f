import { RequestQueue } from "../session/requestQueue.ts";
import type { HostModel } from "../session/session.ts";
import { Columns, Fields, isRecord, SCHEMA, WireError } from "../session/wire.ts";

/** What a lesson has once and for all: its name, its texts, and what its controls need. */
export interface About {
  name: string;
  title: string;
  question: string;
  task: string;
  fields: Fields;
}

/** The last answer of the kernel. */
export interface Answer {
  seq: number;
  inputs: Fields;
  meta: Fields;
  columns: Columns;
  explanation: string[];
  error: string | null;
  /** Whether the kernel works on the next answer, and how much of it is done, if it knows. */
  busy: boolean;
  progress: number | null;
  /** Whether there is nothing to draw yet. */
  empty: boolean;
}

type Changes = Record<string, unknown>;

const record = (raw: unknown, what: string): Record<string, unknown> => {
  if (!isRecord(raw)) throw new WireError(`The kernel sent no ${what}; run the cell again.`);
  if (raw.schema !== SCHEMA)
    throw new WireError(
      `The kernel's ${what} is of version ${String(raw.schema)}, this page reads version ${SCHEMA}; ` +
        "restart the kernel and reload the page after an upgrade.",
    );
  return raw;
};

function readAbout(raw: unknown): About {
  const fields = new Fields("The lesson", record(raw, "lesson"));
  const text = (name: string) => fields.text(name);
  return {
    name: text("name"),
    title: text("title"),
    question: text("question"),
    task: text("task"),
    fields,
  };
}

function readAnswer(raw: unknown): Answer {
  const fields = new Fields("The kernel's answer", record(raw, "answer"));
  const meta = fields.record("meta");
  return {
    seq: fields.number("seq"),
    inputs: fields.record("inputs"),
    meta,
    columns: new Columns(meta.raw.cols, fields.raw.cols),
    explanation: meta.texts("explanation"),
    error: meta.optional("error", (m) => m.text("error")),
    busy: meta.optional("busy", (m) => m.flag("busy")) ?? false,
    progress: meta.optional("progress", (m) => m.number("progress")),
    empty: meta.optional("empty", (m) => m.flag("empty")) ?? false,
  };
}

/** One lesson of the kernel with its queue of requests and its last valid answer. */
export class LessonSession {
  about: About | null = null;
  answer: Answer | null = null;
  /** Why the last message of the kernel could not be read; the last valid answer stays. */
  problem: string | null = null;
  readonly queue: RequestQueue<Changes>;
  readonly #listeners = new Set<() => void>();

  constructor(
    readonly model: HostModel,
    signal: AbortSignal,
  ) {
    this.queue = new RequestQueue<Changes>({
      lastSeq: () => Math.max(Number(model.get("_seq")) || 0, this.answer?.seq ?? 0),
      send: (seq, changes) => {
        for (const [name, value] of Object.entries({ ...changes, _seq: seq }))
          model.set(name, value);
        model.save_changes();
      },
      silence: () => this.#notify(),
    });
    const read = () => this.#read();
    model.on("change:_frame", read);
    signal.addEventListener("abort", () => {
      model.off("change:_frame", read);
      this.queue.close();
      this.#listeners.clear();
    });
    this.#read();
  }

  set(changes: Changes): void {
    this.queue.request(changes);
    this.#notify();
  }

  /** Ends the work of the kernel; the last answer stays. */
  stop(): void {
    this.model.set("_stop", (Number(this.model.get("_stop")) || 0) + 1);
    this.model.save_changes();
  }

  /** The input that is requested, else the one that the answer is of. */
  input(name: string): unknown {
    const { pending } = this.queue;
    return name in pending ? pending[name] : this.answer?.inputs.raw[name];
  }

  listen(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener));
  }

  #read(): void {
    try {
      this.about = readAbout(this.model.get("_about"));
      this.answer = readAnswer(this.model.get("_frame"));
      this.problem = null;
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.problem = error.message;
    }
    if (this.answer) this.queue.frame(this.answer.seq, true);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
