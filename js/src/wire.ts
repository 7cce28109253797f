/** The one schema this front end reads. */
export const SCHEMA = 1;

/** A frame that cannot be read; its message is a sentence for the person in front of the widget. */
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

/** Hosts deliver DataView, Uint8Array or ArrayBuffer, at any offset; typed arrays need an aligned one, hence the copy. */
function bytesOf(value: unknown): Uint8Array<ArrayBuffer> | null {
  // By tag, not by instanceof: the buffer may come from another frame of the page.
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

/** The columns of a frame by name, each of exactly the shape that is asked for; one that is broken harms no other. */
export class Columns {
  readonly #descriptions: Record<string, unknown>;
  readonly #cols: Record<string, unknown>;

  constructor(descriptions: unknown, cols: unknown) {
    if (!isRecord(descriptions) || !isRecord(cols))
      throw new WireError("The kernel's answer has no columns; run the cell again.");
    this.#descriptions = descriptions;
    this.#cols = cols;
  }

  #find(name: string): Column | null {
    return Object.hasOwn(this.#descriptions, name)
      ? column(name, this.#descriptions[name], this.#cols[name])
      : null;
  }

  /** A `null` in `shape` takes any length. */
  get<T extends Numbers = Float64Array>(name: string, shape: (number | null)[]): T {
    const found = this.#find(name);
    if (!found)
      throw new WireError(
        `The kernel's answer lacks the column "${name}"; the last result is still shown, run the cell again.`,
      );
    if (
      found.shape.length !== shape.length ||
      !shape.every((n, i) => n === null || n === found.shape[i])
    )
      throw new WireError(
        `The kernel's answer has a column "${name}" of shape (${found.shape.join(", ")}) where ` +
          `(${shape.map((n) => n ?? "any").join(", ")}) belongs; run the cell again.`,
      );
    return found.data as T;
  }

  /** Length of the first axis, 0 where the column is missing. */
  rows(name: string): number {
    return this.#find(name)?.shape[0] ?? 0;
  }
}
