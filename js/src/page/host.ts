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
  type ModelIndex,
  sameRows,
  stressedOf,
} from "./contents.ts";
import type { Store } from "./store.ts";

type Raw = Record<string, unknown>;
type Listener = (content: unknown) => void;

/** The frame that contents are put into. */
interface Target {
  meta: Raw;
  descriptions: Raw;
  cols: Raw;
  notes: unknown[];
  inputs: Inputs;
  /** Whether a pin is drawn behind the views, in place of what they are compared with. */
  hasPin: boolean;
}

/** What the page holds for some inputs. */
interface Found {
  model: ModelIndex;
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

/** Columns whose names begin with this belong to other views. */
const OF_OTHERS = ".";

/** Parts that τ does not move: a profile has all levels, and a learner has rows of its own. */
const FIXED: ReadonlySet<string> = new Set([
  ...["sentences", "stress"].map((kind) => `comparison.${kind}`),
  ...["importance", "dependence"].map((view) => `learner.${view}`),
]);

/** What a comparison is without its parts. */
const NOTHING: Raw = {
  comparison: { scores: [], curve: null, stress: null, importance: [], units: [] },
};

const NOT_HERE =
  "This page does not hold that view; it was saved without a kernel to compute it. Choose other inputs, or run the notebook.";

/** The texts of all chunks were checked when the page was opened, but memory may be missing. */
const NOT_INFLATED =
  "The browser could not inflate this part of the page, and its numbers are not shown; close other tabs, and try again.";

/** Whether contents of this name are put together with others; the page may lack them. */
const isPart = (name: string) => name.includes(".");

/** The name of the view of a part. */
const nameOf = (name: string) => name.split(".")[0] as string;

/** The name of a column of a view, or of a part of it, in a frame. */
const inFrame = (view: string, column: string) =>
  column.startsWith(OF_OTHERS) ? column.slice(1) : `${nameOf(view)}.${column}`;

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
    this.#state = { ...index.inputs, pins: index.pins, _seq: 1, _stop: 0 };
    this.#state._frame = {};
    this.#state._over_tau = {};
  }

  /** Makes a host that has its first answer. */
  static async of(store: Store): Promise<StaticHost> {
    const host = new StaticHost(store, store.index as unknown as Index);
    await host.#answer(host.#accepted, 1);
    return host;
  }

  /** The model that is shown. */
  get model(): ModelIndex {
    return entryOf(this.index.models, this.#accepted.shown_model) as ModelIndex;
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

  async #answer(inputs: Inputs, seq: number, error: string | null = null): Promise<void> {
    const isSame = inputs.shown_model === this.#accepted.shown_model;
    let found = isSame ? this.#found(inputs) : this.#ofOtherModel(inputs);
    if (!found) {
      error = NOT_HERE;
      found = this.#found(this.#accepted);
    }
    if (!found) throw new Error(NOT_HERE);
    const pin = readPins(this.#state.pins).find(({ ghost }) => ghost) ?? null;
    const ghostly = pin && this.#found(this.#inputsOf(pin));
    try {
      await this.store.load([...columnsOf(found), ...(ghostly ? columnsOf(ghostly) : [])]);
    } catch (fault) {
      if (error || found.inputs === this.#accepted) throw fault;
      return this.#answer(this.#accepted, seq, NOT_INFLATED);
    }
    if (seq < this.#seq || seq < (seqOf(this.#state._frame) ?? 0)) return;
    this.#accepted = found.inputs;
    found = { ...found, inputs: nearestOf(found) };
    const over = this.#overTau(found, pin !== null);
    const base = this.#base(found, seq, pin !== null);
    let frame = this.#at(base, readOverTau(over), found, pin !== null);
    if (pin) frame = this.#withGhost(frame, pin, ghostly, found);
    if (error) frame = { ...frame, meta: { ...(frame.meta as Raw), error } };
    for (const [name, value] of Object.entries(found.inputs)) this.#state[name] = value;
    this.#state._about = found.model.about;
    this.#state._over_tau = over;
    this.#state._frame = frame;
    for (const name of ["_about", "_over_tau", "_frame"])
      for (const listener of this.#listeners.get(`change:${name}`) ?? []) listener(null);
  }

  #inputsOf({ state }: Pin): Inputs {
    const model = entryOf(this.index.models, state.shown_model ?? "");
    return inputsOf({ ...model?.code.initial, ...state });
  }

  /** What the page holds for the inputs; null where it lacks a view. */
  #found(inputs: Inputs): Found | null {
    const model = entryOf(this.index.models, inputs.shown_model);
    const cohort = model?.cohorts.find(
      (one) =>
        sameRows(one, inputs) &&
        one.anchor === inputs.anchor &&
        one.tail === inputs.tail &&
        one.groups === inputs.groups &&
        one.time === inputs.time &&
        JSON.stringify(one.held) === JSON.stringify(inputs.held),
    );
    if (!model || !cohort) return null;
    const entries: Record<string, Entry> = {};
    for (const [view, names] of Object.entries(model.reads)) {
      const key = JSON.stringify(names.map((name) => inputs[name]));
      const entry = entryOf(entryOf(cohort.entries, view) ?? {}, key);
      if (entry) entries[view] = entry;
      else if (!isPart(view)) return null;
    }
    return { model, cohort, entries, inputs };
  }

  /** What the page holds of another model that a reader chose, as near to the inputs as it can be. */
  #ofOtherModel(inputs: Inputs): Found | null {
    const { shown_model, tau, stress_feature, stress_category, feature, compare_with } = inputs;
    const model = entryOf(this.index.models, shown_model);
    if (!model) return null;
    // The model that was compared is shown now, so the one that was shown is compared.
    const swapped = compare_with === `model:${shown_model}`;
    const former = { compare_with: `model:${this.#accepted.shown_model}` };
    const own = inputsOf(model.inputs);
    const stress = { tau, stress_feature, stress_category };
    const nearest = [
      { ...inputs, ...(swapped && former) },
      { ...own, ...stress, feature },
      { ...own, ...stress },
      own,
    ];
    return nearest.map((one) => this.#found(one)).find((one) => one !== null) ?? null;
  }

  /** A frame at τ = 0; `hasPin` where a pin is drawn behind the views, in place of what they are compared with. */
  #base({ model, cohort, entries, inputs: at }: Found, seq: number, hasPin: boolean): Raw {
    const inputs = { ...at, tau: 0 };
    const meta: Raw = {
      final: true,
      rows: cohort.rows,
      in_groups: cohort.in_groups,
      cost: { calls: 0, rows: 0, seconds: 0 },
      total: model.total,
      progress: null,
      stopped: null,
      error: null,
      code: codeOf(model, inputs),
      ghost: null,
      ...(model.learner && { learner: model.learner }),
    };
    const frame = { schema: SCHEMA, seq, inputs, meta, cols: {} as Raw };
    const descriptions: Raw = {};
    const notes: unknown[] = [...model.sentences, ...cohort.sentences];
    for (const [view, entry] of Object.entries(entries)) {
      const content = entry.stressed?.[stressedOf(model, inputs)] ?? entry.content;
      this.#put(view, content, { meta, descriptions, cols: frame.cols, notes, inputs, hasPin });
    }
    meta.notes = [...new Set(notes)];
    meta.note_codes = (meta.notes as string[]).map((note) => entryOf(this.index.codes, note) ?? "");
    meta.cols = descriptions;
    return frame;
  }

  /** Puts a content into a frame: that of a view, or of a part of it, which is added to the others. */
  #put(view: string, content: Content, { meta, notes, inputs, hasPin, ...to }: Target): void {
    const { remarks, ...shown } = content.meta;
    const name = nameOf(view);
    const isShown = Object.keys(content.meta).length > 0;
    if (isPart(view) && !isShown) return;
    const before = isPart(view) && isRecord(meta[name]) ? meta[name] : {};
    const sentences = [before, shown].flatMap((one) => (one.sentences as string[]) ?? []);
    meta[name] = isShown
      ? {
          ...(NOTHING[name] as Raw),
          ...before,
          ...shown,
          ...(isPart(view) && { sentences }),
          stale: false,
        }
      : null;
    if (Array.isArray(remarks)) notes.push(...remarks);
    for (const [column, number] of Object.entries(content.columns)) {
      const isOfOther = column.startsWith(OF_OTHERS);
      if (isOfOther && hasPin) continue;
      const { dtype, shape, data } = this.store.column(number);
      const as = inFrame(view, column);
      to.descriptions[as] = { dtype, shape };
      to.cols[as] = data;
      if (isOfOther) meta.ghost = { note: shown.second, state: inputs, of: shown.of };
    }
  }

  /** What τ moves, as the kernel sends it. */
  #overTau({ model, cohort, entries, inputs }: Found, hasPin: boolean): Raw {
    const cols: Raw = {};
    const descriptions: Raw = {};
    const texts: Raw = {};
    const stressed = stressedOf(model, inputs);
    const levels = cohort.levels[stressed] ?? [];
    // The lines of what is stressed before it come first.
    const before = Object.keys(cohort.levels);
    const first = before
      .slice(0, before.indexOf(stressed))
      .reduce((sum, key) => sum + (cohort.levels[key] as number[]).length, 0);
    // The parts of a view are of the same level, so that τ moves all of them or none.
    const moves = ({ tracks }: Entry) =>
      (tracks ?? []).some((number) => {
        const [column, start = 0] = cohort.tracks[number]?.tau ?? [];
        if (column === undefined || levels.length === 0) return false;
        return !Number.isNaN(this.store.levels(column, first, 1, start, 1)[0]);
      });
    const still = new Set(
      Object.entries(entries)
        .filter(([view, entry]) => isPart(view) && !FIXED.has(view) && !moves(entry))
        .map(([view]) => nameOf(view)),
    );
    for (const [view, entry] of Object.entries(entries)) {
      for (const [name, of] of Object.entries(entry.texts?.[stressed] ?? {}))
        texts[`${view}.${name}`] = of;
      for (const number of levels.length && !still.has(nameOf(view)) ? (entry.tracks ?? []) : [])
        for (const [name, [column, start, n]] of Object.entries(cohort.tracks[number] ?? {})) {
          if (name.startsWith(OF_OTHERS) && hasPin) continue;
          const values = this.store.levels(column, first, levels.length, start, n);
          const put = (name: string, data: Float32Array) => {
            cols[inFrame(view, name)] = data;
            descriptions[inFrame(view, name)] = { dtype: "f4", shape: [levels.length, n] };
          };
          const end = { below: "low", above: "high" }[name];
          if (end) {
            const average = cols[`${view}.average`] as Float32Array;
            const sign = end === "low" ? -1 : 1;
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

  /** The frame at the level of the inputs, from that at τ = 0. */
  #at(base: Raw, over: OverTau | null, { model, entries, inputs }: Found, hasPin: boolean): Raw {
    const { tau } = inputs;
    const stressed = stressedOf(model, inputs);
    if (tau === 0) return base;
    const meta = base.meta as Raw;
    const code = codeOf(model, inputs);
    const level = over && nearest(over.levels, tau);
    if (over && level) {
      const at: Raw = { ...(frameAt(base, over, level) as Raw), inputs };
      const moved: Raw = { ...(at.meta as Raw), code };
      const cols = { ...(at.cols as Raw) };
      const descriptions = { ...(moved.cols as Raw) };
      const notes: string[] = [];
      const exact = Object.entries(entries).flatMap(([view, entry]) => {
        const is = entry.exact?.find((one) => one.tau === tau && one.stressed === stressed);
        return is ? [[view, is.content] as const] : [];
      });
      const target = { meta: moved, descriptions, cols, notes: [], inputs, hasPin };
      for (const [view] of exact) if (isPart(view) && !FIXED.has(view)) delete moved[nameOf(view)];
      for (const [view, content] of exact) this.#put(view, content, target);
      const views = new Set(exact.map(([view]) => view));
      for (const name of new Set(
        Object.keys(entries)
          .filter((one) => !views.has(one))
          .map(nameOf),
      ))
        if (!over.views.includes(name) && isRecord(moved[name])) {
          moved[name] = { ...moved[name], stale: true };
          const isShown = name !== "selection" || inputs.selection !== "";
          if (AT_ZERO[name] && isShown) notes.push(AT_ZERO[name]);
        } else if (name === "performance") notes.push(...notMoved(moved[name], over));
      Object.assign(moved, withNotes(notes, "shown-at-zero", moved));
      moved.cols = descriptions;
      return { ...at, meta: moved, cols };
    }
    return { ...base, inputs, meta: { ...meta, code, ...beyond(meta, entries, inputs, stressed) } };
  }

  /** A frame with what a pin shows behind it. */
  #withGhost(frame: Raw, pin: Pin, ghostly: Found | null, shown: Found): Raw {
    const meta = frame.meta as Raw;
    const descriptions = { ...(meta.cols as Raw) };
    const cols = { ...(frame.cols as Raw) };
    if (ghostly) {
      const over = this.#overTau(ghostly, true);
      const at = this.#at(this.#base(ghostly, 0, true), readOverTau(over), ghostly, true);
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
      this.#ghostProfile(at, shown, cols, descriptions);
    }
    const ghost = { note: pin.note, state: this.#inputsOf(pin) };
    return { ...frame, meta: { ...meta, ghost, cols: descriptions }, cols };
  }

  #ghostProfile(at: Raw, { model, inputs }: Found, cols: Raw, descriptions: Raw): void {
    const stressed = stressedOf(model, inputs);
    const stress = (at.meta as Raw).stress;
    const values = (at.cols as Raw)["stress.value"] as Float32Array | undefined;
    if (!isRecord(stress) || !values || !Array.isArray(stress.features)) return;
    const features = model.about.features as { name: string }[];
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

/** The inputs with the nearest τ of which the page has numbers. */
function nearestOf({ model, cohort, entries, inputs }: Found): Inputs {
  const stressed = stressedOf(model, inputs);
  const isExact = Object.values(entries).every(({ exact }) =>
    exact?.some((one) => one.tau === inputs.tau && one.stressed === stressed),
  );
  const level = nearest(cohort.levels[stressed] ?? [], inputs.tau);
  return isExact || level === null ? inputs : { ...inputs, tau: level };
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
function* columnsOf({ cohort, entries }: Found): Iterable<number> {
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
