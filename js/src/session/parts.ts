import { h } from "../widget/dom.ts";
import { core } from "./core.ts";
import { isRecord, WireError } from "./wire.ts";

/** Imports the module of a part. In the bundle it returns the name of the part, which build.mjs puts in its place. */
export type Code<T> = () => Promise<T>;

/** A part as it arrives: its style, and a function from what parts import from the core to the module of the part. */
interface Arrival {
  style: string;
  make(exports: unknown[]): unknown;
}

/** The connection to the kernel on which parts arrive. */
export interface Channel {
  get(name: string): unknown;
  send(content: object): unknown;
  on(event: string, callback: (content: unknown) => void): void;
  off(event: string, callback: (content: unknown) => void): void;
}

/** Milliseconds after which the page says that there is no answer; a later answer is read all the same. */
const PATIENCE = 5_000;
const NO_ANSWER =
  "The kernel does not answer, so this part of the widget is missing; a busy kernel sends it later, else run the cell again.";
/** The event of the page when a part is there: any of its widgets may miss it. */
const ARRIVED = "uq:part";

declare global {
  /** The parts of the page, by build and name: all its widgets share them. */
  var uqwidgetsParts: Record<string, Promise<Arrival> | undefined> | undefined;
}

/** Imports a text as a module, as the host does with the core. */
async function importText(script: string, style: string): Promise<Arrival> {
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  try {
    const { default: part } = await import(/* @vite-ignore */ url);
    if (part.build !== core.build) throw new Error("it is of another version of uqwidgets");
    return { make: part.make, style };
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Sends a custom message; calls `fail` where the host throws or rejects, because it has no kernel. */
export function sendTo(channel: Channel, content: object, fail = () => {}): void {
  new Promise((sent) => sent(channel.send(content))).catch(fail);
}

/** Loads the parts of one widget: from the page if it has them, else from the kernel. */
export class PartLoader {
  readonly #parts: NonNullable<typeof globalThis.uqwidgetsParts>;
  /** Whether a part could not be loaded. */
  #isMissed = false;
  readonly #modules = new Map<string, unknown>();
  readonly #requests = new Map<unknown, (arrival: Promise<Arrival>) => void>();

  constructor(
    readonly channel: Channel,
    /** Called when a part arrives that the widget misses. */
    readonly onLate: () => void,
    readonly signal: AbortSignal,
    readonly patience = PATIENCE,
  ) {
    globalThis.uqwidgetsParts ??= {};
    this.#parts = globalThis.uqwidgetsParts;
    const receive = (content: unknown) => this.#receive(content);
    channel.on("msg:custom", receive);
    signal.addEventListener("abort", () => channel.off("msg:custom", receive));
    const arrived = () => {
      if (this.#isMissed) this.onLate();
      this.#isMissed = false;
    };
    addEventListener(ARRIVED, arrived, { signal });
  }

  /** Returns the module of a part, and adds its style to the root of the widget. */
  async load<T>(code: Code<T>, root: Element): Promise<T> {
    const name: unknown = code();
    if (typeof name !== "string") return name as Promise<T>;
    try {
      const { make, style } = await this.#arrival(name);
      if (style && !root.querySelector(`style[data-part="${name}"]`))
        root.prepend(h("style", { "data-part": name }, style));
      const module = this.#modules.get(name) ?? make(core.exports);
      this.#modules.set(name, module);
      return module as T;
    } catch (error) {
      this.#isMissed = true;
      // The widgets of a page may have a copy of this module each.
      if (error instanceof Error && error.message === NO_ANSWER) throw new WireError(NO_ANSWER);
      throw new WireError(
        `A part of the widget could not be read (${String(error)}); run the cell again.`,
      );
    }
  }

  async #arrival(name: string): Promise<Arrival> {
    const key = `${core.build}/${name}`;
    const requested = this.#parts[key];
    if (requested)
      try {
        return await requested;
      } catch {
        // Its widget is closed or has no kernel, so this one requests the part.
      }
    this.#parts[key] ??= this.#request(name, key);
    return this.#parts[key];
  }

  /** Imports a part that is stored with the widget, where a notebook may have no kernel; else requests it. */
  #request(name: string, key: string): Promise<Arrival> {
    const stored = this.channel.get("_stored_parts");
    const part = isRecord(stored) ? stored[name] : null;
    if (isRecord(part) && typeof part.script === "string" && typeof part.style === "string")
      return importText(part.script, part.style);
    const answer = new Promise<Arrival>((resolve, reject) => {
      const fail = () => reject(new WireError(NO_ANSWER));
      const timer = setTimeout(fail, this.patience);
      this.signal.addEventListener("abort", fail);
      this.#requests.set(name, (arrival) => {
        clearTimeout(timer);
        resolve(arrival);
      });
      sendTo(this.channel, { part: name }, fail);
    });
    answer.catch(() => delete this.#parts[key]);
    return answer;
  }

  #receive(content: unknown): void {
    if (!isRecord(content)) return;
    const { part, script, style } = content;
    const end = this.#requests.get(part);
    if (!end || typeof script !== "string" || typeof style !== "string") return;
    this.#requests.delete(part);
    const arrival = importText(script, style);
    end(arrival);
    const key = `${core.build}/${part}`;
    this.#parts[key] ??= arrival;
    arrival.then(
      () => dispatchEvent(new Event(ARRIVED)),
      () => delete this.#parts[key],
    );
  }
}
