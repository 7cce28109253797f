import { INPUT_TYPES, type Inputs } from "../session/inputs.ts";

/** A content of a view: its plain values, and the numbers of its columns in the store. */
export interface Content {
  meta: Record<string, unknown>;
  columns: Record<string, number>;
}

/** What the page knows of a view for some values of the inputs that it reads. */
export interface Entry {
  content: Content;
  /** Contents by what is stressed, of a view that depends on it also at τ = 0. */
  stressed?: Record<string, Content>;
  /** Plain values at τ = -1 and 1 where such a level cannot be reached, by what is stressed. */
  beyond?: Record<string, [Record<string, unknown> | null, Record<string, unknown> | null]>;
  /** Contents at the levels of the views that the author saved, also of views that do not follow τ. */
  exact?: { stressed: string; tau: number; content: Content }[];
  /** Texts at each level, by what is stressed. */
  texts?: Record<string, Record<string, string[]>>;
  tracks?: number[];
}

/**
 * A part of a view at the levels of all that is stressed: for each column, the number of that of the store, the first
 * of the numbers there, and how many they are.
 */
export type StoredTrack = Record<string, [number, number, number]>;

export interface Cohort {
  name: string;
  ice_filter: Inputs["ice_filter"];
  complement: boolean;
  /** What a reader should know of these rows. */
  sentences: string[];
  anchor: string;
  tail: number;
  held: Inputs["held"];
  groups: string;
  time: string;
  rows: number;
  /** What the rows belong to, such as "30 patients". */
  in_groups: string | null;
  entries: Record<string, Record<string, Entry>>;
  tracks: StoredTrack[];
  /** The levels of τ of all that is stressed, in the order of the lines of the tracks. */
  levels: Record<string, number[]>;
}

/** A model of a page. */
export interface ModelIndex {
  about: Record<string, unknown>;
  /** What the page shows when the model is chosen. */
  inputs: Inputs;
  cohorts: Cohort[];
  /** Categories of each feature whose share can be moved; without a choice it is the first. */
  categories: Record<string, string[]>;
  /** Inputs that each view reads, and each part of a view, whose name has a dot; the page may lack parts. */
  reads: Record<string, (keyof Inputs)[]>;
  /** What the results of a learner are added to; null without one. */
  learner: Record<string, unknown> | null;
  /** The line of Python without the inputs, and the inputs that it leaves out. */
  code: { arguments: string[]; initial: Inputs };
  total: { calls: number; rows: number };
  /** What a reader should know of the page. */
  sentences: string[];
}

/** The index of a page; see `uqwidgets/widgets/page`. */
export interface Index {
  /** By their names, in the order in which they are offered. */
  models: Record<string, ModelIndex>;
  inputs: Inputs;
  pins: unknown[];
  /** The code of each remark in the page. */
  codes: Record<string, string>;
}

const NAMES = Object.keys(INPUT_TYPES) as (keyof Inputs)[];

/** Inputs without the values of other names. */
export const inputsOf = (state: Partial<Inputs>): Inputs =>
  Object.fromEntries(NAMES.map((name) => [name, state[name]])) as unknown as Inputs;

/** The entry of a name from the data, which may also be one that every object has, such as `constructor`. */
export const entryOf = <T>(entries: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(entries, name) ? entries[name] : undefined;

/** The text by which the page finds what is stressed: a feature, and the category whose share is moved. */
export function stressedOf(
  { categories }: ModelIndex,
  { stress_feature, stress_category }: Inputs,
) {
  const values = entryOf(categories, stress_feature);
  const isHere = values?.includes(stress_category);
  return JSON.stringify([stress_feature, isHere ? stress_category : (values?.[0] ?? null)]);
}

type Rows = Pick<Inputs, "ice_filter" | "complement">;

export const sameRows = (one: Rows, other: Rows) =>
  JSON.stringify(one.ice_filter) === JSON.stringify(other.ice_filter) &&
  (one.complement === other.complement || one.ice_filter.length === 0);
