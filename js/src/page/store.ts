import { isRecord, type Numbers } from "../wire.ts";

/** A column of the store; see `uqwidgets/widgets/page/store.py`. */
interface Stored {
  dtype: string;
  shape: number[];
  chunk: string;
  /** Where its bytes begin in the inflated chunk, and how many bytes a number has. */
  at: number;
  size: number;
  /** The column of the multiples that scaled values are stored in. */
  scale?: number;
  /** The columns of a product of two matrices, (rank, lines) and (k, rank), and of what is added to it. */
  rank?: number;
  left?: number;
  right?: number;
  center?: number;
  /** What the whole numbers of the product, and of all, are multiples of. */
  step?: number;
  tolerance?: number;
  /** Whether the axes are stored in reverse order. */
  transposed?: boolean;
}

export interface StoredColumn {
  dtype: string;
  shape: number[];
  data: Numbers;
}

const UNKNOWN = -32768;
const ARRAYS = { 1: Uint8Array, 2: Int16Array, 4: Int32Array } as const;

const count = (shape: number[]) => shape.reduce((product, n) => product * n, 1);

async function inflate(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The columns of a page. A chunk of them is inflated when one of its columns is needed. */
export class Store {
  readonly #chunks = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #columns = new Map<number, StoredColumn>();

  private constructor(
    readonly texts: Record<string, string>,
    readonly index: Record<string, unknown>,
    readonly stored: Stored[],
  ) {}

  /** Reads the index; `texts` are the chunks in base64, of which `""` is the index. */
  static async open(texts: Record<string, string>): Promise<Store> {
    const index: unknown = JSON.parse(new TextDecoder().decode(await inflate(texts[""] ?? "")));
    if (!isRecord(index) || !Array.isArray(index.columns)) throw new Error("the index is no index");
    return new Store(texts, index, index.columns as Stored[]);
  }

  /** Inflates the chunks of these columns. */
  async load(numbers: Iterable<number>): Promise<void> {
    const names = new Set<string>();
    const note = (number: number | undefined) => {
      const stored = number === undefined ? undefined : this.stored[number];
      if (!stored) return;
      names.add(stored.chunk);
      for (const part of [stored.scale, stored.left, stored.right, stored.center, stored.tolerance])
        note(part);
    };
    for (const number of numbers) note(number);
    await Promise.all(
      [...names]
        .filter((name) => !this.#chunks.has(name))
        .map(async (name) => this.#chunks.set(name, await inflate(this.texts[name] ?? ""))),
    );
  }

  /** A column whose chunk is loaded. */
  column(number: number): StoredColumn {
    let column = this.#columns.get(number);
    if (!column) {
      column = this.#read(number);
      this.#columns.set(number, column);
    }
    return column;
  }

  /** Some lines of a column, from the first to before the last. */
  lines(number: number, first: number, last: number): Numbers {
    const stored = this.stored[number] as Stored;
    if (stored.rank === undefined) {
      const { data, shape } = this.column(number);
      const each = count(shape.slice(1));
      return data.slice(first * each, last * each);
    }
    return this.#product(stored, first, last);
  }

  #read(number: number): StoredColumn {
    const stored = this.stored[number];
    if (!stored) throw new Error(`there is no column ${number}`);
    const { dtype, shape } = stored;
    if (stored.rank !== undefined)
      return { dtype, shape, data: this.#product(stored, 0, shape[0] ?? 0) };
    const bytes = this.#bytes(stored);
    if (dtype === "whole") return { dtype, shape, data: sums(bytes, stored) };
    if (stored.scale === undefined) {
      const Kind = { f4: Float32Array, i4: Int32Array, u1: Uint8Array }[dtype] as
        | typeof Float32Array
        | undefined;
      if (!Kind) throw new Error(`column ${number} is of the unknown type ${dtype}`);
      return { dtype, shape, data: new Kind(bytes.buffer) };
    }
    const scale = this.column(stored.scale).data;
    const values = Float32Array.from(sums(bytes, stored), (whole, i) =>
      whole === UNKNOWN ? Number.NaN : whole * (scale[i % scale.length] as number),
    );
    return stored.transposed ? transposed(values, shape) : { dtype, shape, data: values };
  }

  /** The bytes of a column in the order of its numbers. */
  #bytes({ chunk, at, size, shape }: Stored): Uint8Array<ArrayBuffer> {
    const whole = this.#chunks.get(chunk);
    if (!whole) throw new Error(`the chunk ${chunk} is not loaded`);
    const n = count(shape);
    const bytes = new Uint8Array(n * size);
    for (let plane = 0; plane < size; plane++)
      for (let i = 0; i < n; i++) bytes[i * size + plane] = whole[at + plane * n + i] as number;
    return bytes;
  }

  /** Lines of a column that is stored as a product of two matrices. */
  #product(stored: Stored, first: number, last: number): Float32Array {
    const { shape, rank = 0, step = 1 } = stored;
    const [lines = 0, k = 0] = shape;
    const part = (number: number | undefined) => this.column(number ?? -1).data;
    const [left, right] = [part(stored.left), part(stored.right)];
    const [center, tolerance] = [part(stored.center), part(stored.tolerance)];
    const values = new Float32Array((last - first) * k);
    for (let i = first; i < last; i++)
      for (let j = 0; j < k; j++) {
        let sum = 0;
        for (let r = 0; r < rank; r++)
          sum += (left[r * lines + i] as number) * (right[j * rank + r] as number);
        values[(i - first) * k + j] =
          (sum * step + (center[j] as number)) * (tolerance[j] as number);
      }
    return values;
  }
}

/** Sums along the first axis, which undo the differences; they wrap around like these. */
function sums(bytes: Uint8Array<ArrayBuffer>, { size, shape }: Stored): Numbers {
  const Kind = ARRAYS[size as keyof typeof ARRAYS];
  const values = new Kind(bytes.buffer);
  const each = count(shape.slice(1));
  for (let i = each; i < values.length; i++)
    values[i] = (values[i] as number) + (values[i - each] as number);
  return values as Numbers;
}

function transposed(values: Float32Array, [m = 0, n = 0]: number[]): StoredColumn {
  const data = new Float32Array(values.length);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) data[j * m + i] = values[i * n + j] as number;
  return { dtype: "f4", shape: [n, m], data };
}
