import "../styles/index.css";
import { openWhole } from "../page/seal.ts";
import { inflate } from "../page/store.ts";
import type { HostModel } from "../session/session.ts";
import { isRecord, SCHEMA } from "../session/wire.ts";
import { h } from "../widget/dom.ts";
import { LESSONS, lessonPage } from "./lessons.ts";
import { LessonSession } from "./session.ts";
import "./style.css";
import "../styles/hosts.css";

/** What a page of lessons holds; see `uqwidgets/teach/page.py`. */
interface Index {
  lessons: Stored[];
  texts: string[];
  columns: { dtype: string; shape: number[]; at: number; nbytes: number }[];
  answers: {
    meta: Record<string, unknown>;
    cols: Record<string, number>;
    explanation: number[];
  }[];
}

/** A lesson: what it begins with, and its answers by the inputs that they depend on. */
interface Stored {
  about: Record<string, unknown>;
  inputs: Record<string, unknown>;
  groups: { names: string[]; states: unknown[][] }[];
}

const NOT_HERE = "This choice needs the notebook; the page holds the answers to others.";

/** Levels are multiples of a step, up to rounding. */
const keyOf = (values: unknown[]) =>
  JSON.stringify(values, (_, value) =>
    typeof value === "number" ? Number(value.toPrecision(12)) : value,
  );

/** A lesson without a kernel, which answers from what the page holds. */
class StillLesson implements HostModel {
  readonly isStill = true;
  readonly #traits: Record<string, unknown>;
  readonly #groups: { names: string[]; answers: Map<string, number> }[];
  readonly #listeners = new Set<(content: unknown) => void>();
  #inputs: Record<string, unknown>;
  #answer = -1;

  constructor(
    readonly index: Index,
    readonly bytes: Uint8Array,
    { about, inputs, groups }: Stored,
  ) {
    this.#inputs = inputs;
    this.#groups = groups.map(({ names, states }) => ({
      names,
      answers: new Map(states.map((state) => [keyOf(state.slice(0, -1)), Number(state.at(-1))])),
    }));
    this.#traits = { _about: about, _seq: 0 };
    this.save_changes();
  }

  get(name: string): unknown {
    return this.#traits[name];
  }

  set(name: string, value: unknown): void {
    this.#traits[name] = value;
  }

  save_changes(): void {
    const pairs = Object.entries(this.#inputs).map(([name, value]) => [
      name,
      this.#traits[name] ?? value,
    ]);
    const inputs = Object.fromEntries(pairs);
    const answer = this.#find(inputs);
    if (answer !== null) [this.#answer, this.#inputs] = [answer, inputs];
    else for (const name of Object.keys(inputs)) delete this.#traits[name];
    this.#traits._frame = this.#frame(answer === null ? NOT_HERE : null);
    queueMicrotask(() => {
      for (const listener of this.#listeners) listener(undefined);
    });
  }

  send(): void {}

  on(name: string, listener: (content: unknown) => void): void {
    if (name === "change:_frame") this.#listeners.add(listener);
  }

  off(_name: string, listener: (content: unknown) => void): void {
    this.#listeners.delete(listener);
  }

  #find(inputs: Record<string, unknown>): number | null {
    for (const { names, answers } of this.#groups) {
      const answer = answers.get(keyOf(names.map((name) => inputs[name])));
      if (answer !== undefined) return answer;
    }
    return null;
  }

  #frame(error: string | null): Record<string, unknown> {
    const { texts, columns, answers } = this.index;
    const answer = answers[this.#answer];
    const cols = Object.entries(answer?.cols ?? {}).flatMap(([name, number]) => {
      const column = columns[number];
      return column ? [[name, column] as const] : [];
    });
    const meta = {
      ...answer?.meta,
      explanation: (answer?.explanation ?? []).map((number) => texts[number] ?? ""),
      error,
      empty: !answer,
      cols: Object.fromEntries(cols.map(([name, { dtype, shape }]) => [name, { dtype, shape }])),
    };
    const bytes = cols.map(([name, { at, nbytes }]) => [
      name,
      this.bytes.subarray(at, at + nbytes),
    ]);
    return {
      schema: SCHEMA,
      seq: Number(this.#traits._seq),
      inputs: this.#inputs,
      meta,
      cols: Object.fromEntries(bytes),
    };
  }
}

openWhole(async () => {
  const text = document.getElementById("uq-store")?.textContent;
  const root = document.getElementById("uq-page");
  if (!text || !root) return;
  const chunks: Record<string, string> = JSON.parse(text);
  const index: unknown = JSON.parse(new TextDecoder().decode(await inflate(chunks[""] ?? "")));
  if (!isRecord(index) || !Array.isArray(index.lessons)) throw new Error("the index is no index");
  const bytes = await inflate(chunks.columns ?? "");
  document.getElementById("uq-still")?.remove();
  const { signal } = new AbortController();
  for (const lesson of index.lessons as Stored[]) {
    const place = h("div");
    root.append(place);
    const host = new StillLesson(index as unknown as Index, bytes, lesson);
    lessonPage(new LessonSession(host, signal), LESSONS, place, signal);
  }
});
