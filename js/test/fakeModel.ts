import type { ModelInfo } from "../src/session/modelInfo.ts";
import { inputsOf, wireFrame } from "./fixtures.ts";

type Listener = (content: unknown) => void;

/** A host's model in memory; `kernel` answers saved changes as Python would. */
export class FakeModel {
  readonly state: Record<string, unknown>;
  readonly saved: Record<string, unknown>[] = [];
  kernel: ((changes: Record<string, unknown>, model: FakeModel) => void) | null = null;
  #dirty: Record<string, unknown> = {};
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(
    about: ModelInfo,
    frame: unknown = wireFrame(about, 1),
    changes: Record<string, unknown> = {},
  ) {
    this.state = {
      ...inputsOf(about),
      _seq: 0,
      _stop: 0,
      _about: { schema: 1, ...about },
      _frame: frame,
      ...changes,
    };
  }
  /** Custom messages of the page. */
  readonly sent: object[] = [];
  send(content: object): void {
    this.sent.push(content);
  }
  get(name: string): unknown {
    return this.state[name];
  }
  set(name: string, value: unknown): void {
    this.state[name] = value;
    this.#dirty[name] = value;
  }
  save_changes(): void {
    const changes = this.#dirty;
    this.#dirty = {};
    this.saved.push(changes);
    this.kernel?.(changes, this);
  }
  on(event: string, callback: Listener): void {
    this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(callback));
  }
  off(event: string, callback: Listener): void {
    this.#listeners.get(event)?.delete(callback);
  }
  /** Changes a trait as the kernel does. */
  receive(name: string, value: unknown): void {
    this.state[name] = value;
    for (const callback of this.#listeners.get(`change:${name}`) ?? []) callback(value);
  }
  /** Delivers a custom message of the kernel. */
  receiveMessage(content: unknown): void {
    for (const callback of this.#listeners.get("msg:custom") ?? []) callback(content);
  }
  listeners(): number {
    return [...this.#listeners.values()].reduce((sum, set) => sum + set.size, 0);
  }
}
