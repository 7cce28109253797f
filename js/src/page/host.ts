import { seqOf } from "../session/frame.ts";
import type { Inputs } from "../session/inputs.ts";
import { frameAt, type OverTau, readOverTau } from "../session/overTau.ts";
import { type Pin, readPins } from "../session/pins.ts";
import type { HostModel } from "../session/session.ts";
import { isRecord, SCHEMA } from "../session/wire.ts";
import { isolated } from "../widget/format.ts";
import { codeOf } from "./code.ts";
import {
  type Cohort,
  type Content,
  type Entry,
  entryOf,
  type Index,
  inputsOf,
  sameRows,
  stressedOf,
} from "./contents.ts";
import type { Store } from "./store.ts";

type Raw = Record<string, unknown>;
type Listener = (content: unknown) => void;

interface Pinned {
  cohort: Cohort;
  entries: Record<string, Entry>;
  inputs: Inputs;
}

const AT_ZERO: Record<string, string> = {
  selection: "ranks on the card of a row are those at τ = 0",
  performance:
    "scores, calibration and confusion are those at τ = 0: the page holds them there, and in the views that were saved",
  comparison:
    "differences are those at τ = 0: the page holds them there, and in the views that were saved",
  surface:
    "the surface is that at τ = 0: the page holds it there, and in the views that were saved",
};

const NOT_HERE =
  "This page does not hold that view; it was saved without a kernel to compute it. Choose other inputs, or run the notebook.";

/** The host of a page without a kernel: it answers changes of the inputs from the store. */
export class StaticHost implements HostModel {
  readonly isStill = true;
  readonly #state: Raw;
  readonly #unsaved = new Set<string>();
  readonly #listeners = new Map<string, Set<Listener>>();
  /** The inputs of the last answer. */
  #accepted: Inputs;

  private constructor(
    readonly store: Store,
    readonly index: Index,
  ) {
    this.#accepted = inputsOf(index.inputs);
    const { about, pins } = index;
    this.#state = { ...index.inputs, pins, _about: about, _seq: 1, _stop: 0 };
    this.#state._frame = {};
    this.#state._over_tau = {};
  }

  /** Makes a host that has its first answer. */
  static async of(store: Store): Promise<StaticHost> {
    const host = new StaticHost(store, store.index as unknown as Index);
    await host.#answer(host.#accepted, 1);
    return host;
  }

  get(name: string): unknown {
    return this.#state[name];
  }

  set(name: string, value: unknown): void {
    this.#state[name] = value;
    this.#unsaved.add(name);
  }

  save_changes(): void {
    const saved = new Set(this.#unsaved);
    this.#unsaved.clear();
    const isRequest = saved.has("_seq") || saved.has("pins");
    if (isRequest) void this.#answer(inputsOf(this.#state as unknown as Inputs), this.#seq);
  }

  /** Messages have no kernel that would read them. */
  send(): void {}

  on(event: string, callback: Listener): void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(callback));
  }

  off(event: string, callback: Listener): void {
    this.#listeners.get(event)?.delete(callback);
  }

  get #seq(): number {
    return Number(this.#state._seq);
  }

  async #answer(inputs: Inputs, seq: number): Promise<void> {
    let error: string | null = null;
    let cohort = this.#cohort(inputs);
    let entries = cohort && this.#entries(cohort, inputs);
    if (!entries) {
      error = NOT_HERE;
      inputs = this.#accepted;
      cohort = this.#cohort(inputs);
      entries = cohort && this.#entries(cohort, inputs);
    }
    if (!cohort || !entries) throw new Error(NOT_HERE);
    const pin = readPins(this.#state.pins).find(({ ghost }) => ghost) ?? null;
    const ghostly = pin && this.#pinned(pin);
    await this.store.load([
      ...columnsOf(cohort, entries),
      ...(ghostly ? columnsOf(ghostly.cohort, ghostly.entries) : []),
    ]);
    if (seq < this.#seq || seq < (seqOf(this.#state._frame) ?? 0)) return;
    this.#accepted = inputs;
    inputs = this.#nearest(cohort, entries, inputs);
    const over = this.#overTau(cohort, entries, inputs);
    const base = this.#base(cohort, entries, { ...inputs, tau: 0 }, seq);
    const known = readOverTau(over);
    let frame = this.#at(base, known, entries, inputs);
    if (pin) frame = this.#withGhost(frame, pin, ghostly);
    if (error) frame = { ...frame, meta: { ...(frame.meta as Raw), error } };
    for (const [name, value] of Object.entries(inputs)) this.#state[name] = value;
    this.#state._over_tau = over;
    this.#state._frame = frame;
    for (const name of ["_over_tau", "_frame"])
      for (const listener of this.#listeners.get(`change:${name}`) ?? []) listener(null);
  }

  #cohort(inputs: Inputs): Cohort | null {
    const isIt = (one: Cohort) =>
      sameRows(one, inputs) &&
      one.anchor === inputs.anchor &&
      one.tail === inputs.tail &&
      JSON.stringify(one.held) === JSON.stringify(inputs.held);
    return this.index.cohorts.find(isIt) ?? null;
  }

  #stressed(inputs: Inputs): string {
    return stressedOf(this.index, inputs);
  }

  /** The entries of all views; null where the page lacks one of them. */
  #entries(cohort: Cohort, inputs: Inputs): Record<string, Entry> | null {
    const entries: Record<string, Entry> = {};
    for (const [view, names] of Object.entries(this.index.reads)) {
      const key = JSON.stringify(names.map((name) => inputs[name]));
      const entry = cohort.entries[view]?.[key];
      if (!entry) return null;
      entries[view] = entry;
    }
    return entries;
  }

  /** A frame at τ = 0. */
  #base(cohort: Cohort, entries: Record<string, Entry>, inputs: Inputs, seq: number): Raw {
    const meta: Raw = {
      final: true,
      rows: cohort.rows,
      cost: { calls: 0, rows: 0, seconds: 0 },
      total: this.index.total,
      progress: null,
      stopped: null,
      error: null,
      code: codeOf(this.index, inputs),
      ghost: null,
    };
    const frame = { schema: SCHEMA, seq, inputs, meta, cols: {} as Raw };
    const descriptions: Raw = {};
    const notes: unknown[] = [...this.index.sentences, ...cohort.sentences];
    for (const [view, entry] of Object.entries(entries)) {
      const content = entry.stressed?.[this.#stressed(inputs)] ?? entry.content;
      this.#put(view, content, meta, descriptions, frame.cols, notes);
    }
    meta.notes = [...new Set(notes)];
    meta.note_codes = (meta.notes as string[]).map((note) => entryOf(this.index.codes, note) ?? "");
    meta.cols = descriptions;
    return frame;
  }

  #put(view: string, content: Content, meta: Raw, descriptions: Raw, cols: Raw, notes: unknown[]) {
    const { remarks, ...shown } = content.meta;
    meta[view] = Object.keys(content.meta).length ? { ...shown, stale: false } : null;
    if (Array.isArray(remarks)) notes.push(...remarks);
    this.#columns(view, content.columns, descriptions, cols);
  }

  #columns(view: string, numbers: Record<string, number>, descriptions: Raw, cols: Raw): void {
    for (const [name, number] of Object.entries(numbers)) {
      const { dtype, shape, data } = this.store.column(number);
      descriptions[`${view}.${name}`] = { dtype, shape };
      cols[`${view}.${name}`] = data;
    }
  }

  /** What τ moves, as the kernel sends it. */
  #overTau(cohort: Cohort, entries: Record<string, Entry>, inputs: Inputs): Raw {
    const cols: Raw = {};
    const descriptions: Raw = {};
    const texts: Raw = {};
    const stressed = this.#stressed(inputs);
    const levels = cohort.levels[stressed] ?? [];
    // The lines of what is stressed before it come first.
    const before = Object.keys(cohort.levels);
    const first = before
      .slice(0, before.indexOf(stressed))
      .reduce((sum, key) => sum + (cohort.levels[key] as number[]).length, 0);
    for (const [view, entry] of Object.entries(entries)) {
      for (const [name, of] of Object.entries(entry.texts?.[stressed] ?? {}))
        texts[`${view}.${name}`] = of;
      for (const number of levels.length ? (entry.tracks ?? []) : [])
        for (const [name, [column, start, n]] of Object.entries(cohort.tracks[number] ?? {})) {
          const values = this.store.levels(column, first, levels.length, start, n);
          const put = (name: string, data: Float32Array) => {
            cols[`${view}.${name}`] = data;
            descriptions[`${view}.${name}`] = { dtype: "f4", shape: [levels.length, n] };
          };
          if (name === "half_width") {
            const average = cols[`${view}.average`] as Float32Array;
            for (const [end, sign] of Object.entries({ low: -1, high: 1 }))
              put(
                end,
                average.map((mean, i) => mean + sign * (values[i] as number)),
              );
          } else put(name, values);
        }
    }
    return {
      schema: SCHEMA,
      inputs: { ...inputs, tau: 0 },
      meta: { levels, columns: Object.keys(cols), texts, cols: descriptions },
      cols,
    };
  }

  /** The inputs with the nearest τ of which the page has numbers. */
  #nearest(cohort: Cohort, entries: Record<string, Entry>, inputs: Inputs): Inputs {
    const stressed = this.#stressed(inputs);
    const isExact = Object.values(entries).every(({ exact }) =>
      exact?.some((one) => one.tau === inputs.tau && one.stressed === stressed),
    );
    const level = nearest(cohort.levels[stressed] ?? [], inputs.tau);
    return isExact || level === null ? inputs : { ...inputs, tau: level };
  }

  /** The frame at the level of the inputs, from that at τ = 0. */
  #at(base: Raw, over: OverTau | null, entries: Record<string, Entry>, inputs: Inputs): Raw {
    const { tau } = inputs;
    const stressed = this.#stressed(inputs);
    if (tau === 0) return base;
    const meta = base.meta as Raw;
    const code = codeOf(this.index, inputs);
    const level = over && nearest(over.levels, tau);
    if (over && level) {
      const at: Raw = { ...(frameAt(base, over, level) as Raw), inputs };
      const moved: Raw = { ...(at.meta as Raw), code };
      const cols = { ...(at.cols as Raw) };
      const descriptions = { ...(moved.cols as Raw) };
      const notes: string[] = [];
      for (const [view, entry] of Object.entries(entries)) {
        const exact = entry.exact?.find((one) => one.tau === tau && one.stressed === stressed);
        if (exact) this.#put(view, exact.content, moved, descriptions, cols, []);
        else if (!over.views.includes(view) && isRecord(moved[view])) {
          moved[view] = { ...(moved[view] as Raw), stale: true };
          const isShown = view !== "selection" || inputs.selection !== "";
          if (AT_ZERO[view] && isShown) notes.push(AT_ZERO[view]);
        } else if (view === "performance") notes.push(...notMoved(moved[view], over));
      }
      Object.assign(moved, withNotes(notes, "shown-at-zero", moved));
      moved.cols = descriptions;
      return { ...at, meta: moved, cols };
    }
    return { ...base, inputs, meta: { ...meta, code, ...beyond(meta, entries, inputs, stressed) } };
  }

  /** The entries of a pin; null where the page lacks them. */
  #pinned({ state }: Pin): Pinned | null {
    const inputs = inputsOf({ ...this.index.code.initial, ...state });
    const cohort = this.#cohort(inputs);
    const entries = cohort && this.#entries(cohort, inputs);
    return cohort && entries ? { cohort, entries, inputs } : null;
  }

  /** A frame with what a pin shows behind it. */
  #withGhost(frame: Raw, pin: Pin, ghostly: Pinned | null): Raw {
    const meta = frame.meta as Raw;
    const descriptions = { ...(meta.cols as Raw) };
    const cols = { ...(frame.cols as Raw) };
    if (ghostly) {
      const { cohort, entries, inputs } = ghostly;
      const over = this.#overTau(cohort, entries, inputs);
      const base = this.#base(cohort, entries, { ...inputs, tau: 0 }, 0);
      const at = this.#at(base, readOverTau(over), entries, inputs);
      const from = at.cols as Raw;
      const shapes = (at.meta as Raw).cols as Raw;
      const copy = (name: string, as: string) => {
        if (!from[name]) return;
        cols[as] = from[name];
        descriptions[as] = shapes[name];
      };
      copy("importance.value", "importance.ghost");
      copy("dependence.average", "dependence.ghost");
      copy("dependence.grid", "dependence.ghost_grid");
      this.#ghostProfile(at, this.#stressed(inputs), cols, descriptions);
    }
    const state = inputsOf({ ...this.index.code.initial, ...pin.state });
    const ghost = { note: pin.note, state };
    return { ...frame, meta: { ...meta, ghost, cols: descriptions }, cols };
  }

  #ghostProfile(at: Raw, stressed: string, cols: Raw, descriptions: Raw): void {
    const stress = (at.meta as Raw).stress;
    const values = (at.cols as Raw)["stress.value"] as Float32Array | undefined;
    if (!isRecord(stress) || !values || !Array.isArray(stress.features)) return;
    const features = this.index.about.features as { name: string }[];
    const categories = stress.categories as (string | null)[];
    const row = stress.features.findIndex(
      (j: number, i: number) =>
        JSON.stringify([features[j]?.name, categories[i] ?? null]) === stressed,
    );
    if (row < 0) return;
    const each = values.length / stress.features.length;
    cols["stress.ghost"] = values.slice(row * each, (row + 1) * each);
    descriptions["stress.ghost"] = { dtype: "f4", shape: [each] };
  }
}

/** The nearest level, null on a side of 0 that cannot be reached. */
function nearest(levels: number[], tau: number): number | null {
  if (!levels.some((level) => (tau ? level * tau > 0 : level === 0))) return null;
  const distance = (level: number) => Math.abs(level - tau);
  return levels.reduce((a, b) => (distance(b) < distance(a) ? b : a));
}

/** The parts of the performance that stay as at τ = 0 while the scores follow τ. */
function notMoved(performance: unknown, over: OverTau): string[] {
  if (!isRecord(performance)) return [];
  const moving = new Set(over.columns.map(({ name }) => name));
  const isMoving = (name: string) => moving.has(`performance.${name}`);
  const notes: string[] = [];
  if (performance.event !== null && !isMoving("calibration_observed"))
    notes.push("the calibration is that at τ = 0, because its bins depend on the weights");
  if (!isMoving("confusion")) notes.push("true and predicted values are drawn as at τ = 0");
  return notes;
}

/** Numbers of all columns that a frame is made of. */
function* columnsOf(cohort: Cohort, entries: Record<string, Entry>): Iterable<number> {
  for (const { content, stressed, exact, tracks } of Object.values(entries)) {
    const contents = [content, ...Object.values(stressed ?? {})];
    for (const { columns } of [...contents, ...(exact ?? []).map((one) => one.content)])
      yield* Object.values(columns);
    for (const number of tracks ?? [])
      for (const [column] of Object.values(cohort.tracks[number] ?? {})) yield column;
  }
}

/** What a level that cannot be reached changes in a frame at τ = 0: as in the kernel, the views stay as they were. */
function beyond(meta: Raw, entries: Record<string, Entry>, inputs: Inputs, stressed: string): Raw {
  const { tau, stress_feature } = inputs;
  const changed: Raw = {};
  let status = "";
  for (const [view, { beyond }] of Object.entries(entries)) {
    const shown = meta[view];
    const end = beyond?.[stressed]?.[tau < 0 ? 0 : 1];
    if (!isRecord(shown)) continue;
    changed[view] = { ...shown, stale: true };
    if (!end || !isRecord(end.now)) continue;
    const { mean, target } = end.now;
    const at = typeof mean === "number" && typeof target === "number";
    status = String(end.now.status);
    changed[view] = {
      ...shown,
      now: { ...end.now, tau, target: at ? mean + Math.abs(tau) * (target - mean) : target },
    };
  }
  const note = `${isolated(stress_feature)} cannot be stressed to this tau (${status}); importance and curves stay as they were`;
  return { ...changed, ...withNotes([note], "unreachable-tau", meta) };
}

/** Remarks of the page itself, before those of a frame. */
function withNotes(notes: string[], code: string, meta: Raw): Raw {
  return {
    notes: [...notes, ...(meta.notes as string[])],
    note_codes: [...notes.map(() => code), ...(meta.note_codes as string[])],
  };
}
