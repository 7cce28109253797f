import { type Frame, readFrame, seqOf } from "./frame.ts";
import { begin, changed, type History, record, stepped } from "./history.ts";
import { INPUT_TYPES, type Inputs } from "./inputs.ts";
import { type ModelInfo, readModelInfo } from "./modelInfo.ts";
import { type Pin, readPins } from "./pins/list.ts";
import { RequestQueue } from "./requestQueue.ts";
import { WireError } from "./wire.ts";

/** The part of the host's model that is used; every host of anywidget has it. */
export interface HostModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

/** One model of the host with its request queue and its last good frame, shared by all its views. */
export class Session {
  about: ModelInfo | null = null;
  frame: Frame | null = null;
  /** What could not be read of the kernel's last answer, as a sentence; the last good frame stays. */
  problem: string | null = null;
  readonly queue: RequestQueue<Partial<Inputs>>;
  #history: History<Inputs> | null = null;
  readonly #listeners = new Set<() => void>();

  constructor(
    readonly model: HostModel,
    signal: AbortSignal,
  ) {
    this.queue = new RequestQueue<Partial<Inputs>>({
      lastSeq: () => Math.max(this.#number("_seq"), this.frame?.seq ?? 0),
      send: (seq, changes) => this.#save({ ...changes, _seq: seq }),
      silence: () => this.#tell(),
    });
    const onFrame = () => this.#receive();
    model.on("change:_frame", onFrame);
    model.on("change:_about", onFrame);
    const onPins = () => this.#tell();
    model.on("change:pins", onPins);
    signal.addEventListener("abort", () => {
      model.off("change:_frame", onFrame);
      model.off("change:_about", onFrame);
      model.off("change:pins", onPins);
      this.queue.close();
      this.#listeners.clear();
    });
    this.#read();
    this.#note();
    if (this.about && seqOf(model.get("_frame")) === null) this.queue.request({});
  }

  /** What the controls show: what was asked for, else what the kernel accepted, else the saved state. */
  get inputs(): Inputs {
    const saved = Object.fromEntries(
      Object.keys(INPUT_TYPES).map((name) => [name, this.model.get(name)]),
    );
    return { ...saved, ...this.frame?.inputs, ...this.queue.pending } as Inputs;
  }

  request(changes: Partial<Inputs>): void {
    this.queue.request(changes);
    this.#tell();
  }

  get pins(): Pin[] {
    return readPins(this.model.get("pins"));
  }

  setPins(pins: Pin[]): void {
    this.#save({ pins });
    this.#tell();
  }

  /** Shows a kept view: a step of its own, however soon it follows the one before. */
  visit(state: Partial<Inputs>): void {
    if (this.#history) this.#history = { ...this.#history, names: "" };
    this.request(state);
  }

  /** How many changes of the inputs can be undone, and how many made again. */
  get steps(): { past: number; future: number } {
    return { past: this.#history?.past.length ?? 0, future: this.#history?.future.length ?? 0 };
  }

  /** Undoes the last change of an input, or makes it again; false where there is none. */
  step(back: boolean): boolean {
    this.#record(this.inputs);
    const before = this.#history;
    const after = before && stepped(before, back);
    if (!after || after === before) return false;
    this.#history = after;
    const names = changed(before.present, after.present);
    this.request(Object.fromEntries(names.map((name) => [name, Reflect.get(after.present, name)])));
    return true;
  }

  /** Ends the long work behind the frame that is shown; what is finished of it is kept. */
  stop(): void {
    // Always another number than before: hosts send only what has changed.
    const seq = Math.max(this.#number("_seq"), this.frame?.seq ?? 0);
    this.#save({ _stop: Math.max(this.#number("_stop") + 1, seq) });
  }

  /** Has the work that was stopped done after all. */
  goOn(): void {
    this.request({});
  }

  subscribe(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener));
  }

  #receive(): void {
    this.#read();
    const seq = seqOf(this.model.get("_frame"));
    if (seq !== null) this.queue.frame(seq, this.frame?.seq === seq ? this.frame.final : true);
    this.#note();
    this.#tell();
  }

  /** Takes the accepted inputs for a step; while something is asked for, a frame may be of older ones. */
  #note(): void {
    if (this.frame && !Object.keys(this.queue.pending).length) this.#record(this.frame.inputs);
  }

  #record(inputs: Inputs): void {
    this.#history = this.#history ? record(this.#history, inputs, Date.now()) : begin(inputs);
  }

  #read(): void {
    const raw = this.model.get("_frame");
    try {
      this.about = readModelInfo(this.model.get("_about"));
      if (seqOf(raw) !== null) this.frame = readFrame(raw, this.about, this.frame);
      this.problem = [...new Set(this.frame?.faults)].join(" ") || null;
    } catch (error) {
      if (!(error instanceof WireError)) console.error(error);
      this.problem =
        error instanceof WireError
          ? error.message
          : `The kernel's answer could not be read (${String(error)}); the last result is still shown, run the cell again.`;
    }
  }

  #save(values: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(values)) this.model.set(name, value);
    this.model.save_changes();
  }

  #number(name: string): number {
    const value = this.model.get(name);
    return typeof value === "number" ? value : 0;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
