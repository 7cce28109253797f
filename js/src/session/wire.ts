/** The only schema that this front end reads. */
export const SCHEMA = 1;

/** The error of a frame that cannot be read; its message is a sentence for the user. */
export class WireError extends Error {}

export type Numbers = Float64Array | Float32Array | Int32Array | Uint8Array;

export interface Column {
  data: Numbers;
  shape: number[];
}

// The wire is little-endian, and so is every machine that runs a browser: no byte is swapped.
const ARRAYS = { f8: Float64Array, f4: Float32Array, i4: Int32Array, u1: Uint8Array } as const;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

/**
 * Hosts deliver DataView, Uint8Array or ArrayBuffer, at any offset; typed arrays need an aligned one, hence the copy.
 * Some hosts deliver base64.
 */
function bytesOf(value: unknown): Uint8Array<ArrayBuffer> | null {
  if (typeof value === "string") return decoded(value);
  // The tag is compared, not the class: the buffer may come from another frame of the page.
  if (Object.prototype.toString.call(value) === "[object ArrayBuffer]")
    return new Uint8Array(value as ArrayBuffer);
  if (!ArrayBuffer.isView(value)) return null;
  return new Uint8Array(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
}

function column(name: string, description: unknown, raw: unknown): Column {
  const broken = (why: string) =>
    new WireError(`The kernel's answer has a column "${name}" that ${why}; run the cell again.`);
  if (!isRecord(description)) throw broken("is not described");
  const { dtype, shape } = description;
  if (typeof dtype !== "string" || !Object.hasOwn(ARRAYS, dtype))
    throw broken(`is of the unknown type ${JSON.stringify(dtype)}`);
  if (!Array.isArray(shape) || !shape.every((n) => Number.isInteger(n) && n >= 0))
    throw broken("has no shape");
  const bytes = bytesOf(raw);
  if (!bytes) throw broken("did not arrive as bytes");
  const Kind = ARRAYS[dtype as keyof typeof ARRAYS];
  const length = shape.reduce((product: number, n: number) => product * n, 1);
  if (bytes.byteLength !== length * Kind.BYTES_PER_ELEMENT)
    throw broken(
      `holds ${bytes.byteLength} bytes where its shape asks for ${length * Kind.BYTES_PER_ELEMENT}`,
    );
  return { data: new Kind(bytes.buffer), shape };
}

type Raw = Record<string, unknown>;

const isWhole = (value: unknown): value is number => Number.isInteger(value);
const isText = (value: unknown): value is string => typeof value === "string";

/** Reads scalars of a record and checks their types. */
export class Fields {
  /** `subject` says what the record is a part of, and `path` where in it the record stands. */
  constructor(
    readonly subject: string,
    readonly raw: Raw,
    readonly path = "",
  ) {}

  #get<T>(name: string, kind: string, is: (value: unknown) => value is T): T {
    const value = this.raw[name];
    if (is(value)) return value;
    const where = `"${this.path}${name}"`;
    const why = value === undefined ? `lacks ${where}` : `has at ${where} no ${kind}`;
    throw new WireError(`${this.subject} ${why}; run the cell again.`);
  }

  number(name: string): number {
    return this.#get(name, "number", (value) => typeof value === "number");
  }

  text(name: string): string {
    return this.#get(name, "text", isText);
  }

  flag(name: string): boolean {
    return this.#get(name, "truth value", (value) => typeof value === "boolean");
  }

  texts(name: string): string[] {
    return this.#get(name, "list of texts", (value): value is string[] => isList(value, isText));
  }

  indices(name: string): number[] {
    return this.#get(name, "list of indices", (value): value is number[] => isList(value, isWhole));
  }

  record(name: string): Fields {
    const raw = this.#get(name, "record", isRecord);
    return new Fields(this.subject, raw, `${this.path}${name}.`);
  }

  records(name: string): Fields[] {
    const rows = this.#get(name, "list of records", (value): value is Raw[] =>
      isList(value, isRecord),
    );
    return rows.map((row, i) => new Fields(this.subject, row, `${this.path}${name}[${i}].`));
  }

  /** The result of `read`, or null where there is no value. */
  optional<T>(name: string, read: (fields: this) => T): T | null {
    return this.raw[name] === null || this.raw[name] === undefined ? null : read(this);
  }
}

const isList = <T>(value: unknown, is: (item: unknown) => item is T): value is T[] =>
  Array.isArray(value) && value.every(is);

/** Reads columns of a frame and checks their shapes; a broken column does not affect the others. */
export class Columns {
  readonly #descriptions: Raw;
  readonly #cols: Raw;

  constructor(
    descriptions: unknown,
    cols: unknown,
    readonly prefix = "",
  ) {
    if (!isRecord(descriptions) || !isRecord(cols))
      throw new WireError("The kernel's answer has no columns; run the cell again.");
    this.#descriptions = descriptions;
    this.#cols = cols;
  }

  /** The columns of one part of the frame, by their names within it. */
  of(part: string): Columns {
    return new Columns(this.#descriptions, this.#cols, `${this.prefix}${part}.`);
  }

  #find(name: string): Column | null {
    const whole = this.prefix + name;
    return Object.hasOwn(this.#descriptions, whole)
      ? column(whole, this.#descriptions[whole], this.#cols[whole])
      : null;
  }

  /** A column of any shape, or null where there is none. */
  any(name: string): Column | null {
    return this.#find(name);
  }

  /** A `null` in `shape` takes any length. */
  get<T extends Numbers = Float64Array>(name: string, shape: (number | null)[]): T {
    const stored = this.#find(name);
    if (!stored)
      throw new WireError(
        `The kernel's answer lacks the column "${this.prefix}${name}"; the last result stays, run the cell again.`,
      );
    if (
      stored.shape.length !== shape.length ||
      !shape.every((n, i) => n === null || n === stored.shape[i])
    )
      throw new WireError(
        `The kernel's answer has a column "${this.prefix}${name}" of shape (${stored.shape.join(", ")}) where ` +
          `(${shape.map((n) => n ?? "any").join(", ")}) belongs; run the cell again.`,
      );
    return stored.data as T;
  }

  /** Shares or weights; between levels of τ they are polynomials, which may fall a little below 0. */
  shares<T extends Numbers = Float64Array>(name: string, shape: number[]): T {
    return this.get<T>(name, shape).map((value) => Math.max(0, value)) as T;
  }

  /** Whether there is a column of this shape. */
  fits(name: string, shape: number[]): boolean {
    return String(this.#find(name)?.shape) === String(shape);
  }

  /** The column, or null where there is none. */
  optional(name: string, shape: (number | null)[]): Float64Array | null {
    return this.#find(name) ? this.get<Float64Array>(name, shape) : null;
  }

  /** Length of the first axis, 0 where the column is missing. */
  rows(name: string): number {
    return this.#find(name)?.shape[0] ?? 0;
  }
}
