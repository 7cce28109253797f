import type { ViewsNamed } from "../views/index.ts";
import { type Frame, readFrame, seqOf } from "./frame.ts";
import { hand } from "./hand.ts";
import { begin, differences, type History, record, walk } from "./history.ts";
import { INPUT_TYPES, type Inputs } from "./inputs.ts";
import { type ModelInfo, readModelInfo } from "./modelInfo.ts";
import { apartFromTau, frameAt, type OverTau, reaches, readOverTau } from "./overTau.ts";
import { type Channel, PartLoader, sendTo } from "./parts.ts";
import { type Pin, readPins } from "./pins.ts";
import { RequestQueue } from "./requestQueue.ts";
import { isRecord, WireError } from "./wire.ts";

/** The part of the host's model that the front end uses; every host of anywidget has it. */
export interface HostModel extends Channel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  /** Whether there is no kernel, and every answer was computed before. */
  isStill?: boolean;
}

const isChanged = (changes: object) => Object.keys(changes).length > 0;

/** Whether a frame is not of another one of several models. */
function isOf(frame: unknown, { model }: ModelInfo): boolean {
  const inputs = isRecord(frame) ? frame.inputs : null;
  return !model || !isRecord(inputs) || inputs.shown_model === model;
}

/** One model of the host with its request queue and its last valid frame, shared by all its views. */
export class Session {
  about: ModelInfo | null = null;
  /** The kernel's last good answer. */
  answer: Frame | null = null;
  /** The error of a frame that could not be read; the last valid frame stays. */
  problem: string | null = null;
  readonly queue: RequestQueue<Partial<Inputs>>;
  readonly parts: PartLoader;
  #hasBegun = false;
  #history: History<Inputs> | null = null;
  readonly #listeners = new Set<() => void>();
  #rawOverTau: unknown = null;
  #overTau: OverTau | null = null;
  #overTauFault: string | null = null;
  /** The last complete answer of a level that can be reached. */
  #base: unknown = null;
  #shown: { basis: unknown[]; frame: Frame } | null = null;
  readonly #hand = hand(
    () => this.#tellKernel({}),
    () => sendTo(this.model, { moving: true }),
  );

  constructor(
    readonly model: HostModel,
    readonly viewsNamed: ViewsNamed,
    signal: AbortSignal,
  ) {
    this.queue = new RequestQueue<Partial<Inputs>>({
      lastSeq: () => Math.max(this.#number("_seq"), this.answer?.seq ?? 0),
      send: (seq, changes) => this.#save({ ...changes, _seq: seq }),
      silence: () => this.#notify(),
    });
    this.parts = new PartLoader(model, () => this.refresh(), signal);
    const onFrame = () => this.#receive();
    const heard: [string, () => void][] = [
      ["change:_frame", onFrame],
      ["change:_about", onFrame],
      ["change:_over_tau", onFrame],
      ["change:pins", () => this.#notify()],
    ];
    for (const each of heard) model.on(...each);
    signal.addEventListener("abort", () => {
      for (const each of heard) model.off(...each);
      this.#hand.close();
      this.queue.close();
      this.#listeners.clear();
    });
    this.#read();
    this.#note();
  }

  /**
   * Asks for the first picture when a view is shown. A model without a view, as in another tab of the notebook, asks
   * for nothing.
   */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    if (this.about && seqOf(this.model.get("_frame")) === null) this.queue.request({});
  }

  /** The inputs that the controls show: the requested, else the accepted, else the saved ones. */
  get inputs(): Inputs {
    const saved = Object.fromEntries(
      Object.keys(INPUT_TYPES).map((name) => [name, this.model.get(name)]),
    );
    return {
      ...saved,
      ...this.answer?.inputs,
      ...this.queue.pending,
      ...this.#hand.held(),
    } as Inputs;
  }

  /** What the kernel sent for the levels of τ, of the inputs that it answered. */
  get overTau(): OverTau | null {
    const over = this.#overTau;
    return over && apartFromTau(over.inputs) === apartFromTau(this.answer?.inputs) ? over : null;
  }

  /** What the panels show: the kernel's answer, or the numbers of a level that are there before it answers. */
  get frame(): Frame | null {
    const { answer, about } = this;
    const { tau } = this.inputs;
    const over = this.#overTau;
    if (!answer || !about || !over || !this.#covers(tau)) return answer;
    if (answer.final && answer.inputs.tau === tau) return answer;
    const basis = [answer, over, this.#base, tau];
    if (!this.#shown?.basis.every((one, i) => one === basis[i])) {
      const raw = frameAt(this.#base, over, tau);
      if (!raw) return answer;
      const at = readFrame(this.viewsNamed, raw, about, answer);
      // The other views follow the kernel's answers.
      const moving = over.views.map((name) => [name, at[name as keyof Frame]]);
      const frame = { ...answer, ...Object.fromEntries(moving), inputs: at.inputs, final: false };
      this.#shown = { basis, frame };
    }
    return this.#shown?.frame ?? answer;
  }

  /** Whether τ can be shown without the kernel, on one side of 0 at least. */
  get followsTau(): boolean {
    return this.#covers(-1) || this.#covers(1);
  }

  /** A τ whose numbers are there is shown at once; the kernel receives it when the hand rests, and before if it is quick. */
  request(changes: Partial<Inputs>): void {
    const { tau, ...others } = changes;
    if (tau !== undefined && !isChanged(others) && this.#covers(tau))
      this.#hand.move(tau, (this.about as ModelInfo).n_rows);
    else this.#tellKernel(changes);
    this.#notify();
  }

  /** Reads the last frame again, with the views that were loaded since. */
  refresh(): void {
    this.#read();
    this.#notify();
  }

  get pins(): Pin[] {
    return readPins(this.model.get("pins"));
  }

  setPins(pins: Pin[]): void {
    this.#save({ pins });
    this.#notify();
  }

  /** Shows a pinned view; it is a separate undo step, also shortly after another one. */
  visit(state: Partial<Inputs>): void {
    if (this.#history) this.#history = { ...this.#history, names: "" };
    this.request(state);
  }

  /** Numbers of changes that can be undone and redone. */
  get steps(): { past: number; future: number } {
    return { past: this.#history?.past.length ?? 0, future: this.#history?.future.length ?? 0 };
  }

  /** Undoes or redoes the last change of an input; returns false if there is none. */
  step(back: boolean): boolean {
    this.#record(this.inputs);
    const before = this.#history;
    const after = before && walk(before, back);
    if (!after || after === before) return false;
    this.#history = after;
    const names = differences(before.present, after.present);
    this.request(Object.fromEntries(names.map((name) => [name, Reflect.get(after.present, name)])));
    return true;
  }

  /** Stops the work behind the current frame; finished results stay. */
  stop(): void {
    // The number changes every time, because hosts send only changed values.
    const seq = Math.max(this.#number("_seq"), this.answer?.seq ?? 0);
    this.#save({ _stop: Math.max(this.#number("_stop") + 1, seq) });
  }

  /** Continues the stopped work. */
  goOn(): void {
    this.request({});
  }

  subscribe(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener));
  }

  #tellKernel(changes: Partial<Inputs>): void {
    this.queue.request(this.#hand.take(changes));
  }

  /** Whether the numbers of a level are there: of the inputs that were answered, and that the controls show. */
  #covers(tau: number): boolean {
    const over = this.#overTau;
    if (!over || this.#base === null || !reaches(over, tau)) return false;
    const inputs = apartFromTau(over.inputs);
    return apartFromTau(this.answer?.inputs) === inputs && apartFromTau(this.inputs) === inputs;
  }

  #receive(): void {
    this.#read();
    const seq = seqOf(this.model.get("_frame"));
    if (seq !== null) this.queue.frame(seq, this.answer?.seq === seq ? this.answer.final : true);
    if (this.answer?.final && !isChanged(this.queue.pending))
      this.#hand.answered(this.answer.cost.seconds);
    this.#note();
    this.#notify();
  }

  /** Records the accepted inputs as a step, unless a request is pending: then the frame may have older inputs. */
  #note(): void {
    if (this.answer && !isChanged({ ...this.queue.pending, ...this.#hand.held() }))
      this.#record(this.answer.inputs);
  }

  #record(inputs: Inputs): void {
    this.#history = this.#history ? record(this.#history, inputs, Date.now()) : begin(inputs);
  }

  #read(): void {
    const raw = this.model.get("_frame");
    try {
      const about = readModelInfo(this.model.get("_about"));
      const isSame = about.model === this.about?.model;
      // A model and its first frame arrive one after the other; until both are here, the former stays.
      if (this.answer && !isOf(raw, about)) return;
      this.about = about;
      this.#readOverTau();
      if (seqOf(raw) !== null) {
        const before = isSame ? this.answer : null;
        const answer = readFrame(this.viewsNamed, raw, about, before);
        const over = this.#overTau;
        const fits = over && apartFromTau(over.inputs) === apartFromTau(answer.inputs);
        this.answer = answer;
        if (fits && answer.final && reaches(over, answer.inputs.tau)) this.#base = raw;
      }
      const faults = new Set([...(this.answer?.faults ?? []), this.#overTauFault]);
      this.problem = [...faults].filter(Boolean).join(" ") || null;
    } catch (error) {
      if (!(error instanceof WireError)) console.error(error);
      this.problem =
        error instanceof WireError
          ? error.message
          : `The kernel's answer could not be read (${String(error)}); the last result stays, run the cell again.`;
    }
  }

  #readOverTau(): void {
    const raw = this.model.get("_over_tau");
    if (raw === this.#rawOverTau) return;
    this.#rawOverTau = raw;
    this.#overTau = this.#overTauFault = null;
    try {
      this.#overTau = readOverTau(raw);
    } catch (error) {
      // Frames are read all the same, and the kernel computes every τ.
      if (!(error instanceof WireError)) console.error(error);
      this.#overTauFault = String(error instanceof WireError ? error.message : error);
    }
    const base = isRecord(this.#base) ? this.#base.inputs : null;
    if (apartFromTau(base) !== apartFromTau(this.#overTau?.inputs)) this.#base = null;
  }

  #save(values: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(values)) this.model.set(name, value);
    this.model.save_changes();
  }

  #number(name: string): number {
    const value = this.model.get(name);
    return typeof value === "number" ? value : 0;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
