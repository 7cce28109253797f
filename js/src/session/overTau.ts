import { Columns, Fields, isRecord, type Numbers, SCHEMA, WireError } from "./wire.ts";

/** A column of a frame, or a number of it, at every level. */
interface Moving {
  name: string;
  data: Numbers;
  /** Numbers per level. */
  length: number;
}

/** Everything that depends on τ at the levels of the slider, for inputs that differ in nothing else. */
export interface OverTau {
  inputs: unknown;
  /** The levels that are there, in ascending order. */
  levels: number[];
  /** Names of the views that it is a part of. */
  views: string[];
  columns: Moving[];
  /** Texts of the frame at each level. */
  texts: [string, string[]][];
}

const SUBJECT = "What the kernel sent for all levels of τ";

const broken = (why: string) => new WireError(`${SUBJECT} ${why}; run the cell again.`);

/** A key of the inputs without τ, and without those of a selected row, whose content does not depend on τ. */
export const apartFromTau = (inputs: unknown): string =>
  JSON.stringify(isRecord(inputs) ? { ...inputs, tau: null, row: null, what_if: null } : null);

/** Reads what the kernel sent for the levels; null where it sent nothing yet. */
export function readOverTau(raw: unknown): OverTau | null {
  if (!isRecord(raw) || Object.keys(raw).length === 0) return null;
  if (raw.schema !== SCHEMA || !isRecord(raw.meta) || !isRecord(raw.cols))
    throw broken("cannot be read");
  const meta = new Fields(SUBJECT, raw.meta);
  const columns = new Columns(raw.meta.cols, raw.cols);
  const levels = raw.meta.levels;
  if (!Array.isArray(levels) || !levels.every((tau) => typeof tau === "number"))
    throw broken("has no levels");
  const n = levels.length;
  const moving = meta.texts("columns").map((name) => {
    const column = columns.any(name);
    if (!column || column.shape[0] !== n) throw broken(`lacks levels of the column "${name}"`);
    return { name, data: column.data, length: column.data.length / n };
  });
  return {
    inputs: raw.inputs,
    levels,
    views: [...new Set(moving.map(({ name }) => name.split(".")[0] ?? ""))],
    columns: moving,
    texts: Object.entries(meta.record("texts").raw).map(([name, texts]) => {
      if (!Array.isArray(texts) || texts.length !== n) throw broken(`lacks texts of "${name}"`);
      return [name, texts.map(String)];
    }),
  };
}

/** Whether the numbers of a level are there. */
export const reaches = ({ levels }: OverTau, tau: number): boolean => levels.includes(tau);

/** A column at a level of τ; null where τ does not move it, or the level is not there. */
export function columnAt(over: OverTau, name: string, tau: number): Numbers | null {
  const column = over.columns.find((one) => one.name === name);
  return column && reaches(over, tau) ? valuesAt(column, over.levels.indexOf(tau)) : null;
}

const valuesAt = ({ data, length }: Moving, level: number): Numbers =>
  data.slice(level * length, (level + 1) * length);

const AS: Record<string, (values: Numbers) => Numbers> = {
  f8: (values) => Float64Array.from(values),
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

/** A raw frame at another level of τ; null where it does not fit. */
export function frameAt(raw: unknown, over: OverTau, tau: number): Raw | null {
  if (!isRecord(raw) || !isRecord(raw.meta) || !isRecord(raw.meta.cols) || !isRecord(raw.inputs))
    return null;
  const descriptions = raw.meta.cols;
  const cols: Raw = { ...(raw.cols as Raw) };
  const level = over.levels.indexOf(tau);
  let meta: unknown = raw.meta;
  for (const column of over.columns) {
    const values = valuesAt(column, level);
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
  for (const [name, texts] of over.texts) meta = replaced(meta, name.split("."), texts[level]);
  return { ...raw, inputs: { ...raw.inputs, tau }, meta, cols };
}
