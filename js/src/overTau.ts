import { Columns, Fields, isRecord, type Numbers, SCHEMA, WireError } from "./wire.ts";

/** A part of a view at some levels of τ, 0 among them; between these it is interpolated. */
interface Track {
  /** How many levels there are below and above 0; none where the side cannot be reached. */
  below: number;
  above: number;
  /** Whether the levels are evenly spaced, with straight lines between them; otherwise they are Chebyshev-Lobatto nodes. */
  straight: boolean;
  columns: Moving[];
}

/** A column of a frame, or a number of it, at every level. */
interface Moving {
  name: string;
  data: Numbers;
  /** Numbers per level. */
  length: number;
}

/** Everything that depends on τ, for inputs that differ in nothing else. */
export interface OverTau {
  inputs: unknown;
  /** Names of the views that it is a part of. */
  views: string[];
  tracks: Track[];
  /** Texts at τ = -1, between the ends, and at τ = 1. */
  texts: [string, string, string, string][];
  /** Columns that draw what a frame has over τ more finely. */
  fixed: [string, unknown, unknown][];
}

const SUBJECT = "What the kernel sent for all levels of τ";

const broken = (why: string) => new WireError(`${SUBJECT} ${why}; run the cell again.`);

/** A key of the inputs without τ, and without those of a selected row, whose content does not depend on τ. */
export const apartFromTau = (inputs: unknown): string =>
  JSON.stringify(isRecord(inputs) ? { ...inputs, tau: null, row: null, what_if: null } : null);

function readTrack(fields: Fields, columns: Columns): Track {
  const [below, above] = [fields.number("below"), fields.number("above")];
  if (![below, above].every((n) => Number.isInteger(n) && n >= 0 && n <= 1000))
    throw broken("has no number of levels");
  const levels = below + above + 1;
  return {
    below,
    above,
    straight: fields.flag("straight"),
    columns: fields.texts("columns").map((name) => {
      const column = columns.any(name);
      if (!column || column.shape[0] !== levels)
        throw broken(`lacks levels of the column "${name}"`);
      return { name, data: column.data, length: column.data.length / levels };
    }),
  };
}

/** Reads what the kernel sent for all levels; null where it sent nothing yet. */
export function readOverTau(raw: unknown): OverTau | null {
  if (!isRecord(raw) || Object.keys(raw).length === 0) return null;
  if (raw.schema !== SCHEMA || !isRecord(raw.meta) || !isRecord(raw.cols))
    throw broken("cannot be read");
  const meta = new Fields(SUBJECT, raw.meta);
  const columns = new Columns(raw.meta.cols, raw.cols);
  const { raw: descriptions } = meta.record("cols");
  const cols = raw.cols;
  const tracks = meta.records("tracks").map((track) => readTrack(track, columns));
  const names = tracks.flatMap((track) => track.columns.map(({ name }) => name));
  return {
    inputs: raw.inputs,
    views: [...new Set(names.map((name) => name.split(".")[0] ?? ""))],
    tracks,
    texts: Object.entries(meta.record("texts").raw).map(([name, texts]) => {
      if (!Array.isArray(texts) || texts.length !== 3) throw broken(`lacks texts of "${name}"`);
      return [name, ...texts.map(String)] as [string, string, string, string];
    }),
    fixed: meta.texts("fixed").map((name) => {
      if (!columns.any(name)) throw broken(`lacks the column "${name}"`);
      return [name, descriptions[name], cols[name]];
    }),
  };
}

/** Whether a level lies on a side that can be reached. */
export const reaches = ({ tracks }: OverTau, tau: number): boolean =>
  tracks.length > 0 &&
  tracks.every(({ below, above }) => (tau < 0 ? below : tau > 0 ? above : below + above) > 0);

/** Chebyshev-Lobatto nodes of [0, 1], from 0. */
const node = (j: number, m: number) => (1 - Math.cos((Math.PI * j) / m)) / 2;

/** Levels, counted from 0 outwards, with their interpolation weights at a distance x from 0. */
export function shares(m: number, x: number, straight = false): [number, number][] {
  if (straight) {
    const j = Math.min(Math.floor(x * m), m - 1);
    const share = x * m - j;
    return share < 1e-9
      ? [[j, 1]]
      : [
          [j, 1 - share],
          [j + 1, share],
        ];
  }
  // The second barycentric formula (Berrut and Trefethen 2004).
  const weights: [number, number][] = [];
  let sum = 0;
  for (let j = 0; j <= m; j++) {
    const distance = x - node(j, m);
    if (Math.abs(distance) < 1e-14) return [[j, 1]];
    const weight = ((j % 2 ? -1 : 1) * (j === 0 || j === m ? 0.5 : 1)) / distance;
    weights.push([j, weight]);
    sum += weight;
  }
  return weights.map(([j, weight]) => [j, weight / sum]);
}

/** Levels of a track, with their interpolation weights at τ. */
function levelsAt({ below, above, straight }: Track, tau: number): [number, number][] {
  const side = tau < 0 || above === 0 ? -1 : 1;
  return shares(side < 0 ? below : above, Math.abs(tau), straight).map(
    ([level, share]): [number, number] => [below + side * level, share],
  );
}

/** A column at a level of τ; null where τ does not move it, or the level cannot be reached. */
export function columnAt(over: OverTau, name: string, tau: number): Float64Array | null {
  for (const track of over.tracks) {
    const column = track.columns.find((one) => one.name === name);
    if (column)
      return reaches({ ...over, tracks: [track] }, tau)
        ? valuesAt(column, levelsAt(track, tau))
        : null;
  }
  return null;
}

/** The numbers of a column at a level. */
function valuesAt({ data, length }: Moving, levels: [number, number][]): Float64Array {
  const values = new Float64Array(length);
  for (const [level, share] of levels) {
    const start = level * length;
    for (let i = 0; i < length; i++)
      values[i] = (values[i] as number) + share * (data[start + i] as number);
  }
  return values;
}

const AS: Record<string, (values: Float64Array) => Numbers> = {
  f8: (values) => values,
  f4: (values) => Float32Array.from(values),
  u1: (values) => Uint8Array.from(values, Math.round),
};

/** A copy of a record with one value replaced; everything beside the path to it is shared. */
function replaced(target: unknown, [first, ...rest]: string[], value: unknown): unknown {
  if (first === undefined) return value;
  if (Array.isArray(target))
    return target.map((item, i) => (String(i) === first ? replaced(item, rest, value) : item));
  if (!isRecord(target) || !Object.hasOwn(target, first)) return target;
  return { ...target, [first]: replaced(target[first], rest, value) };
}

type Raw = Record<string, unknown>;

/** A raw frame with the finer columns, and at another level of τ unless that is null; null where it does not fit. */
export function frameAt(raw: unknown, over: OverTau, tau: number | null): Raw | null {
  if (!isRecord(raw) || !isRecord(raw.meta) || !isRecord(raw.meta.cols) || !isRecord(raw.inputs))
    return null;
  const descriptions: Raw = { ...raw.meta.cols };
  const cols: Raw = { ...(raw.cols as Raw) };
  for (const [name, description, column] of over.fixed)
    [descriptions[name], cols[name]] = [description, column];
  let meta: unknown = { ...raw.meta, cols: descriptions };
  if (tau === null) return { ...raw, meta, cols };
  for (const track of over.tracks) {
    const levels = levelsAt(track, tau);
    for (const column of track.columns) {
      const values = valuesAt(column, levels);
      const description = descriptions[column.name];
      if (!isRecord(description)) {
        const value = values[0] as number;
        meta = replaced(meta, column.name.split("."), Number.isFinite(value) ? value : null);
        continue;
      }
      const size = (description.shape as number[]).reduce((product, n) => product * n, 1);
      const as = AS[String(description.dtype)];
      if (size !== values.length || !as) return null;
      cols[column.name] = as(values);
    }
  }
  for (const [name, below, between, above] of over.texts)
    meta = replaced(meta, name.split("."), tau === -1 ? below : tau === 1 ? above : between);
  return { ...raw, inputs: { ...raw.inputs, tau }, meta, cols };
}
