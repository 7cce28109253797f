import { isRecord, type Numbers } from "../wire.ts";

/** A column of the store; see `uqwidgets/widgets/page/store.py`. */
interface Stored {
  dtype: string;
  shape: number[];
  chunk: string;
  /** How many bytes a number has, if it has bytes of its own: those follow the ones of the columns before it. */
  size?: number;
  /** The columns of a middle and of a half width, and whether this end of the band is below or above. */
  band?: [number, number];
  sign?: -1 | 1;
  /** The column of the steps that scaled values are stored in, and how often differences were taken of these. */
  scale?: number;
  order?: number;
  /**
   * The columns of a product of two matrices, (rank, orders, sides) and (rank, k). With a scale, the left one are the
   * first of the scores (scores, orders, sides) that several products share; with weights (scores, rank), combinations.
   */
  rank?: number;
  left?: number;
  left_scale?: number;
  /** The column of the scales of the sides. */
  sides?: number;
  right?: number;
  weights?: number;
  /** The column that says of each line of whole numbers how often differences along it were taken. */
  orders?: number;
  /** The columns of the knots of polylines, and which values are missing. */
  steps?: number;
  rises?: number;
  missing?: number | null;
  /** The offset, and the unit of which the sums are multiples. */
  center?: number;
  tolerance?: number;
  /** The column of polylines that these lines are a part of, and the first of them. */
  of?: number;
  start?: number;
  /** Whether the axes are stored in reverse order. */
  transposed?: boolean;
}

export interface StoredColumn {
  dtype: string;
  shape: number[];
  data: Numbers;
}

const UNKNOWN = -32768;
const UNSIGNED = { 2: Uint16Array, 4: Uint32Array } as const;

const count = (shape: number[]) => shape.reduce((product, n) => product * n, 1);

/** The digits of the text of a chunk by their character codes; see `uqwidgets/widgets/page/text.py`. */
const DIGITS = new Uint8Array(128);
let digit = 0;
for (let code = 0x20; code < 0x7f; code++)
  if (!'"&<\\'.includes(String.fromCharCode(code))) DIGITS[code] = digit++;

/** The bytes of a text: two characters hold 13 bits, a single one at the end 6. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const whole = text.length >> 1;
  const bytes = new Uint8Array((13 * whole + 6 * (text.length & 1)) >> 3);
  const at = (i: number) => DIGITS[text.charCodeAt(i)] as number;
  let [bits, held, next] = [0, 0, 0];
  for (let i = 0; i < text.length; i += 2) {
    const isPair = i + 1 < text.length;
    bits = isPair ? (bits << 13) | (91 * at(i) + at(i + 1)) : (bits << 6) | at(i);
    for (held += isPair ? 13 : 6; held >= 8 && next < bytes.length; ) {
      held -= 8;
      bytes[next++] = bits >> held;
    }
    bits &= (1 << held) - 1;
  }
  return bytes;
}

/** Inflates a chunk of a page. */
export async function inflate(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = bytesOf(text);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The columns of a page. A chunk of them is inflated when one of its columns is needed. */
export class Store {
  readonly #chunks = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #columns = new Map<number, StoredColumn>();
  /** Where the knots of each polyline begin. */
  readonly #knots = new Map<number, Int32Array>();
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
      const { scale, left, left_scale, sides, right, weights, orders, of } = stored;
      const { steps, rises, missing, center, tolerance, band = [] } = stored;
      for (const part of band) note(part);
      for (const part of [scale, left, left_scale, sides, right, weights, orders, of]) note(part);
      for (const part of [steps, rises, missing, center, tolerance]) if (part !== null) note(part);
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
    const { data, shape } = this.column(number);
    const each = count(shape.slice(1));
    return data.slice(first * each, last * each);
  }

  /** How many steps of τ there are from 0 to the end of a side. */
  steps(number: number): number {
    const { rank, shape } = this.stored[number] as Stored;
    return (rank === undefined ? (shape[1] ?? 1) : (shape[0] ?? 1)) - 1;
  }

  /** Averages at the levels of a side of τ, from 0 outwards; of the columns from `start` on, `k` of them. */
  side(number: number, side: number, start: number, k: number): Float32Array {
    const stored = this.stored[number] as Stored;
    return stored.rank === undefined
      ? this.#polylines(number, stored, side, start, k)
      : this.#product(stored, side, start, k);
  }

  #read(number: number): StoredColumn {
    const stored = this.stored[number];
    if (!stored) throw new Error(`there is no column ${number}`);
    const { dtype, shape } = stored;
    if (stored.band) {
      const [middle, half] = stored.band.map((part) => this.column(part).data) as [
        Numbers,
        Numbers,
      ];
      const data = Float32Array.from(
        middle,
        (value, i) => value + (stored.sign ?? 1) * (half[i] as number),
      );
      return { dtype, shape, data };
    }
    if (stored.of !== undefined) {
      const [lines = 0, g = 0] = shape;
      const data = this.side(stored.of, 0, stored.start ?? 0, lines);
      return transposed({ dtype, shape: [g, lines], data }, Float32Array);
    }
    const bytes = this.#bytes(stored);
    if (dtype === "whole") {
      const read = { dtype, shape, data: signed(bytes, stored) };
      const whole = stored.transposed ? transposed(read, Int32Array) : read;
      if (stored.orders !== undefined) addUp(whole, this.column(stored.orders).data);
      return whole;
    }
    if (stored.scale === undefined) {
      const Kind = { f8: Float64Array, f4: Float32Array, i4: Int32Array, u1: Uint8Array }[dtype] as
        | typeof Float32Array
        | undefined;
      if (!Kind) throw new Error(`column ${number} is of the unknown type ${dtype}`);
      return { dtype, shape, data: new Kind(bytes.buffer) };
    }
    const [scale, center] = [this.column(stored.scale).data, this.column(stored.center ?? -1).data];
    const values = Float32Array.from(sums(bytes, stored), (whole, i) =>
      whole === UNKNOWN
        ? Number.NaN
        : (center[i % center.length] as number) + whole * (scale[i % scale.length] as number),
    );
    const column = { dtype, shape, data: values };
    return stored.transposed ? transposed(column, Float32Array) : column;
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

  /** Polynomials at the nodes of a side; see `uqwidgets/widgets/page/low_rank.py`. */
  #product(stored: Stored, side: number, start: number, k: number): Float32Array {
    const { shape, rank = 0 } = stored;
    const [orders = 0, , all = 0] = shape;
    const part = (number: number | undefined) => this.column(number ?? -1).data;
    const [right, scale] = [part(stored.right), part(stored.scale)];
    const size = stored.sides === undefined ? 1 : (part(stored.sides)[side] as number);
    const left = this.#left(stored, side);
    const [center, tolerance] = [part(stored.center), part(stored.tolerance)];
    const values = new Float32Array(orders * k);
    const m = orders - 1;
    for (let j = 0; j < k; j++) {
      const coefficients = Array.from({ length: orders }, (_, order) => {
        let sum = 0;
        for (let r = 0; r < rank; r++)
          sum +=
            (left[r * orders + order] as number) *
            (right[r * all + start + j] as number) *
            (scale[r] as number);
        return size * sum;
      });
      for (let i = 0; i <= m; i++) {
        let sum = (center[start + j] as number) + (coefficients[0] as number);
        for (let order = 1; order <= m; order++)
          sum +=
            (coefficients[order] as number) *
            (Math.cos(order * Math.PI * (1 - i / m)) - (order % 2 ? -1 : 1));
        values[i * k + j] = sum * (tolerance[start + j] as number);
      }
    }
    return values;
  }

  /** The left matrix of a product at a side, (rank, orders). */
  #left({ left, left_scale, weights, rank = 0, shape }: Stored, side: number): Float64Array {
    const [orders = 0, sides = 0] = shape;
    const scores = this.column(left ?? -1).data;
    const scale = left_scale === undefined ? null : this.column(left_scale).data;
    const of = (r: number, order: number) =>
      (scores[(r * orders + order) * sides + side] as number) * (scale?.[r] ?? 1);
    const own = new Float64Array(rank * orders);
    if (weights === undefined) {
      for (let i = 0; i < own.length; i++) own[i] = of(Math.floor(i / orders), i % orders);
      return own;
    }
    const {
      data,
      shape: [n = 0],
    } = this.column(weights);
    for (let score = 0; score < n; score++)
      for (let order = 0; order < orders; order++) {
        const value = of(score, order);
        for (let r = 0; value && r < rank; r++)
          own[r * orders + order] =
            (own[r * orders + order] as number) + value * (data[score * rank + r] as number);
      }
    return own;
  }

  /** Polylines at all levels of a side; see `uqwidgets/widgets/page/polylines.py`. */
  #polylines(number: number, stored: Stored, side: number, start: number, k: number): Float32Array {
    const [sides = 0, levels = 0, all = 0] = stored.shape;
    const part = (column: number | undefined) => this.column(column ?? -1).data;
    const [steps, rises] = [part(stored.steps), part(stored.rises)];
    const [center, quantum] = [part(stored.center), part(stored.tolerance)];
    const missing = typeof stored.missing === "number" ? part(stored.missing) : null;
    let knots = this.#knots.get(number);
    if (!knots) {
      knots = firstKnots(steps, sides * all, levels - 1);
      this.#knots.set(number, knots);
    }
    const values = new Float32Array(levels * k);
    for (let j = 0; j < k; j++) {
      const line = side * all + start + j;
      let knot = knots[line] as number;
      const unit = quantum[line] as number;
      // Each line has one value more than it has steps.
      let height = rises[knot + line] as number;
      const put = (level: number, value: number) => {
        const isMissing = missing?.[(side * levels + level) * all + start + j];
        values[level * k + j] = isMissing
          ? Number.NaN
          : value * unit + (center[start + j] as number);
      };
      put(0, height);
      for (let level = 0; level < levels - 1; knot++) {
        const step = steps[knot] as number;
        const rise = rises[knot + line + 1] as number;
        for (let i = 1; i <= step; i++) put(level + i, height + (rise * i) / step);
        level += step;
        height += rise;
      }
    }
    return values;
  }
}

/** Where the steps of each line begin, if those of each add up to the last level. */
function firstKnots(steps: Numbers, lines: number, last: number): Int32Array {
  const first = new Int32Array(lines);
  let knot = 0;
  for (let line = 0; line < lines; line++) {
    first[line] = knot;
    for (let level = 0; level < last; knot++) {
      const step = steps[knot] as number;
      if (!(step > 0)) throw new Error("the lines of the page have no end");
      level += step;
    }
  }
  return first;
}

/** Whole numbers in zigzag encoding: the last bit is the sign. */
function signed(bytes: Uint8Array<ArrayBuffer>, { size }: Stored): Int32Array {
  const Kind = UNSIGNED[size as keyof typeof UNSIGNED];
  return Int32Array.from(new Kind(bytes.buffer), (n) => (n >>> 1) ^ -(n & 1));
}

/** Undoes differences along each line, as often as they were taken. */
function addUp({ data: values, shape }: StoredColumn, orders: Numbers): void {
  const [lines = 0, n = 0] = shape;
  for (let line = 0; line < lines; line++)
    for (let order = 0; order < (orders[line] as number); order++)
      for (let i = line * n + 1; i < (line + 1) * n; i++)
        values[i] = (values[i] as number) + (values[i - 1] as number);
}

/** Sums along the first axis, which undo the differences; they wrap around like these. */
function sums(bytes: Uint8Array<ArrayBuffer>, stored: Stored): Int16Array {
  const values = Int16Array.from(signed(bytes, stored));
  const each = count(stored.shape.slice(1));
  for (let order = 0; order < (stored.order ?? 1); order++)
    for (let i = each; i < values.length; i++)
      values[i] = (values[i] as number) + (values[i - each] as number);
  return values;
}

function transposed(
  { dtype, shape, data }: StoredColumn,
  Kind: typeof Float32Array | typeof Int32Array,
): StoredColumn {
  const [m = 0, n = 0] = shape;
  const exchanged = new Kind(data.length);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) exchanged[j * m + i] = data[i * n + j] as number;
  return { dtype, shape: [n, m], data: exchanged };
}
