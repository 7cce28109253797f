import { isRecord, type Numbers } from "../session/wire.ts";

/** A column of the store; see `uqwidgets/widgets/page/store.py`. */
interface Stored {
  dtype: string;
  shape: number[];
  chunk: string;
  /** How many bytes a number has, if it has bytes of its own: those follow the ones of the columns before it. */
  size?: number;
  /** The column of whole multiples of a step, and the step of each line; also the scale of each component of a product. */
  whole?: number;
  scale?: number;
  /** The columns of a product of two matrices, (rank, n) and (rank, lines), and the unit of each of its lines. */
  left?: number;
  right?: number;
  tolerance?: number;
  /** How often differences were taken along the lines of whole numbers. */
  order?: number;
}

export interface StoredColumn {
  dtype: string;
  shape: number[];
  data: Numbers;
}

const UNKNOWN = 1 << 24;
const UNSIGNED = { 2: Uint16Array, 4: Uint32Array } as const;

const count = (shape: number[]) => shape.reduce((product, n) => product * n, 1);

/** Inflates a chunk of a page. */
export async function inflate(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The columns of a page. A chunk of them is inflated when one of its columns is needed. */
export class Store {
  readonly #chunks = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #columns = new Map<number, StoredColumn>();
  /** Where the bytes of columns begin in their inflated chunks. */
  readonly #starts = new Map<Stored, number>();

  private constructor(
    readonly texts: Record<string, string>,
    readonly index: Record<string, unknown>,
    readonly stored: Stored[],
  ) {
    const ends = new Map<string, number>();
    for (const one of stored) {
      const start = ends.get(one.chunk) ?? 0;
      this.#starts.set(one, start);
      ends.set(one.chunk, start + (one.size ?? 0) * count(one.shape));
    }
  }

  /** Reads the index; `texts` are the chunks, of which `""` is the index. */
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
      const { whole, scale, left, right, tolerance } = stored;
      for (const part of [whole, scale, left, right, tolerance]) note(part);
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

  /** The lines from `start` on, `k` of them, at levels of τ from the first on, as numbers (levels, k). */
  levels(number: number, first: number, levels: number, start: number, k: number): Float32Array {
    const { shape, left, right, scale, tolerance } = this.stored[number] as Stored;
    const [lines = 0, n = 0] = shape;
    const part = (of: number | undefined) => this.column(of ?? -1).data;
    let at: (level: number, line: number) => number;
    if (left === undefined) {
      const data = part(number);
      at = (level, line) => data[line * n + level] as number;
    } else {
      const [scores, components] = [part(left), part(right)];
      const [sizes, units] = [part(scale), part(tolerance)];
      at = (level, line) => {
        let sum = 0;
        for (let r = 0; r < sizes.length; r++)
          sum +=
            (scores[r * n + level] as number) *
            (components[r * lines + line] as number) *
            (sizes[r] as number);
        return sum * (units[line] as number);
      };
    }
    const values = new Float32Array(levels * k);
    for (let i = 0; i < levels; i++)
      for (let j = 0; j < k; j++) values[i * k + j] = at(first + i, start + j);
    return values;
  }

  #read(number: number): StoredColumn {
    const stored = this.stored[number];
    if (!stored) throw new Error(`there is no column ${number}`);
    const { dtype, shape } = stored;
    if (stored.whole !== undefined) {
      const [whole, scale] = [this.column(stored.whole).data, this.column(stored.scale ?? -1).data];
      const n = shape[1] as number;
      const times = (multiple: number, i: number) =>
        multiple === UNKNOWN ? Number.NaN : multiple * (scale[Math.floor(i / n)] as number);
      return { dtype, shape, data: Float32Array.from(whole, times) };
    }
    const bytes = this.#bytes(stored);
    if (dtype === "whole") return { dtype, shape, data: addedUp(signed(bytes, stored), stored) };
    const Kind = { f8: Float64Array, f4: Float32Array, i4: Int32Array, u1: Uint8Array }[dtype] as
      | typeof Float32Array
      | undefined;
    if (!Kind) throw new Error(`column ${number} is of the unknown type ${dtype}`);
    return { dtype, shape, data: new Kind(bytes.buffer) };
  }

  /** The bytes of a column in the order of its numbers. */
  #bytes(stored: Stored): Uint8Array<ArrayBuffer> {
    const { chunk, size = 0, shape } = stored;
    const [whole, at = 0] = [this.#chunks.get(chunk), this.#starts.get(stored)];
    if (!whole) throw new Error(`the chunk ${chunk} is not loaded`);
    const n = count(shape);
    const bytes = new Uint8Array(n * size);
    for (let plane = 0; plane < size; plane++)
      for (let i = 0; i < n; i++) bytes[i * size + plane] = whole[at + plane * n + i] as number;
    return bytes;
  }
}

/** Whole numbers in zigzag encoding: the last bit is the sign. */
function signed(bytes: Uint8Array<ArrayBuffer>, { size }: Stored): Int32Array {
  const Kind = UNSIGNED[size as keyof typeof UNSIGNED];
  return Int32Array.from(new Kind(bytes.buffer), (n) => (n >>> 1) ^ -(n & 1));
}

/** Undoes differences along each line. */
function addedUp(values: Int32Array, { shape: [lines = 0, n = 0], order = 0 }: Stored): Int32Array {
  for (let times = 0; times < order; times++)
    for (let line = 0; line < lines; line++)
      for (let i = line * n + 1; i < (line + 1) * n; i++)
        values[i] = (values[i] as number) + (values[i - 1] as number);
  return values;
}
