import { describe, expect, it } from "vitest";
import type { Look } from "../../src/charts/classes.ts";
import { opacity } from "../../src/charts/lines.ts";
import { manyLines } from "../../src/views/dependence/curveDetails/manyLines.ts";
import type { Dependence } from "../../src/views/dependence/reader.ts";

const [WIDTH, HEIGHT] = [60, 40];
const COLOURS = ["#0000ff", "#ff8000"];
const LOOKS = COLOURS.map((): Look => ({ className: "", colour: "", dash: [] }));

interface Lines {
  x: number[];
  heights: number[][];
  classes?: number[];
  weights?: number[];
  looks?: Look[];
  ratio?: number;
}

/** The image of lines whose heights are pixels of the page below the top of a plot at 10, 20. */
function drawn({ x, heights, classes = [], weights = [], looks = LOOKS, ratio = 1 }: Lines) {
  let image = { data: new Uint8ClampedArray(), width: 0, height: 0 };
  const corner: number[] = [];
  const context = {
    fillStyle: "",
    getTransform: () => ({ a: ratio }),
    createImageData: (width: number, height: number) => {
      image = { data: new Uint8ClampedArray(4 * width * height), width, height };
      return image;
    },
    putImageData: (_: unknown, ...at: number[]) => corner.push(...at),
  };
  const data = {
    ice: Float32Array.from(heights.flat()),
    iceClass: Int32Array.from(heights, (_, line) => classes[line] ?? 0),
    iceWeight: Float64Array.from(heights, (_, line) => weights[line] ?? 1),
    lineLooks: looks,
  };
  manyLines(context as never, COLOURS, data as unknown as Dependence, {
    x: x.map((place) => place + 10),
    y: (value) => value + 20,
    ...{ width: WIDTH, height: HEIGHT, left: 10, top: 20 },
    place: Number,
  });
  /** Red, green, blue and alpha; the image begins one pixel of the page beside the plot. */
  const pixel = (column: number, row: number) => {
    const at = 4 * ((row + ratio) * image.width + column + ratio);
    return Array.from(image.data.subarray(at, at + 4));
  };
  /** The depth, which the alpha of eight bits shows. */
  const depth = (column: number, row: number) =>
    Math.log(255 / (255 - (pixel(column, row)[3] as number)));
  const sum = (column: number) =>
    Array.from({ length: HEIGHT * ratio }, (_, row) => depth(column, row)).reduce((a, b) => a + b);
  return { pixel, depth, sum, corner, image };
}

const strength = (lines: number, weight = 1) => -Math.log(1 - opacity(weight, lines));
const across = [0, WIDTH];

describe("many lines", () => {
  it("lie in the plot, on pixels of the screen", () => {
    for (const ratio of [1, 2]) {
      const { corner, image } = drawn({ x: across, heights: [[10, 10]], ratio });
      expect(corner).toEqual([9 * ratio, 19 * ratio]);
      expect([image.width, image.height]).toEqual([62 * ratio, 42 * ratio]);
    }
  });

  it("cover a part of each pixel that their width touches", () => {
    const { depth } = drawn({ x: across, heights: [[10.25, 10.25]] });
    for (const column of [0, 30, 59]) {
      expect(depth(column, 9)).toBeCloseTo(0.25 * strength(1), 2);
      expect(depth(column, 10)).toBeCloseTo(0.75 * strength(1), 2);
      expect([depth(column, 8), depth(column, 11)]).toEqual([0, 0]);
    }
  });

  it("are as wide at two pixels of the screen for one of the page", () => {
    const { depth } = drawn({ x: across, heights: [[10, 10]], ratio: 2 });
    expect([18, 19, 20, 21].map((row) => depth(100, row) > 0)).toEqual([false, true, true, false]);
    expect(depth(100, 19)).toBeCloseTo(strength(1), 1);
  });

  it("add their depths, by weight, in any order", () => {
    const heights = Array.from({ length: 12 }, () => [10.5, 10.5]);
    const weights = heights.map((_, line) => line / 10);
    const expected = weights.reduce((sum, weight) => sum + strength(12, weight), 0);
    const there = drawn({ x: across, heights, weights });
    const back = drawn({ x: across, heights, weights: [...weights].reverse() });
    expect(there.depth(30, 10)).toBeCloseTo(expected, 0);
    expect(back.image.data).toEqual(there.image.data);
  });

  it("are higher where they are steep, end at their points, and leave no gap", () => {
    const heights = Array.from({ length: 9 }, (_, line) => [
      1,
      3 + line,
      38 - line,
      5,
      35 - 3 * line,
    ]);
    const x = [0, 10, 22.3, 40, 60];
    for (const line of heights) {
      const { sum, depth } = drawn({ x, heights: [line], weights: [0.5] });
      for (let column = 0; column < WIDTH; column++) {
        let expected = 0;
        for (let j = 1; j < x.length; j++) {
          const [x0, x1] = [x[j - 1] as number, x[j] as number];
          const [left, right] = [Math.max(column, x0), Math.min(column + 1, x1)];
          if (left >= right) continue;
          const ends = [line[j - 1] as number, line[j] as number] as const;
          const slope = (ends[1] - ends[0]) / (x1 - x0);
          const middle = ends[0] + slope * ((left + right) / 2 - x0);
          const half = Math.sqrt(1 + slope ** 2) / 2;
          const upper = Math.max(middle - half, Math.min(...ends) - 0.5);
          const lower = Math.min(middle + half, Math.max(...ends) + 0.5);
          expected += strength(1, 0.5) * (right - left) * (lower - upper);
        }
        expect(Math.abs(sum(column) - expected)).toBeLessThan(0.02 * expected + 0.01);
      }
      // Rows of neighbouring columns touch.
      const rows = Array.from({ length: WIDTH }, (_, column) =>
        Array.from({ length: HEIGHT }, (_, row) => row).filter((row) => depth(column, row) > 0),
      );
      for (let column = 1; column < WIDTH; column++) {
        const [before, here] = [rows[column - 1] as number[], rows[column] as number[]];
        expect(Math.min(...here)).toBeLessThanOrEqual(Math.max(...before) + 1);
        expect(Math.max(...here)).toBeGreaterThanOrEqual(Math.min(...before) - 1);
      }
    }
  });

  it("mix the colours of their classes by depth", () => {
    const heights = [
      [10.5, 10.5],
      [10.5, 10.5],
      [20.5, 20.5],
      [30.5, 30.5],
    ];
    const { pixel } = drawn({ x: across, heights, classes: [0, 1, 1, 7] });
    expect(pixel(30, 20).slice(0, 3)).toEqual([255, 128, 0]);
    expect(pixel(30, 30).slice(0, 3)).toEqual([255, 128, 0]); // the last style is that of all others
    const [red, green, blue] = pixel(30, 10) as [number, number, number];
    for (const [value, expected] of [
      [red, 127],
      [green, 64],
      [blue, 127],
    ] as const)
      expect(Math.abs(value - expected)).toBeLessThanOrEqual(1);
  });

  it("have gaps where values are missing, and the dashes of their class", () => {
    const { depth } = drawn({ x: [0, 20, 40, 60], heights: [[10.5, 10.5, Number.NaN, 10.5]] });
    expect([5, 19, 20, 45].map((column) => depth(column, 10) > 0)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const looks = LOOKS.map((look) => ({ ...look, dash: [6, 3] }));
    for (const ratio of [1, 2]) {
      const dashed = drawn({ x: across, heights: [[10.5, 10.5]], looks, ratio });
      const on = Array.from(
        { length: 36 * ratio },
        (_, column) => dashed.depth(column, 10 * ratio) > 0,
      );
      expect(on.filter(Boolean)).toHaveLength(24 * ratio);
      const lines = drawn({ x: across, heights: Array(9).fill([10.5, 10.5]), looks, ratio });
      const all = Array.from({ length: 36 * ratio }, (_, column) =>
        lines.depth(column, 10 * ratio),
      );
      expect(Math.min(...all)).toBeGreaterThan(0.5 * Math.max(...all)); // no stripes
    }
  });

  it("end at the edge of the plot, and elsewhere leave it empty", () => {
    const { sum, depth } = drawn({
      x: across,
      heights: [
        [-500, 540],
        [-9, -9],
        [900, 900],
      ],
    });
    expect(depth(30, 20)).toBeGreaterThan(0);
    expect([0, 59].map(sum)).toEqual([0, 0]);
  });

  it("show points that are closer than a pixel by their share of it, and none of a single point", () => {
    const x = [0, 20.1, 20.2, 20.3, 60];
    const { depth, sum } = drawn({ x, heights: [[5.5, 5.5, 30.5, 9.5, 9.5]] });
    expect([depth(10, 5) > 0, depth(50, 9) > 0, depth(50, 30)]).toEqual([true, true, 0]);
    for (const row of [12, 18, 24]) expect(depth(20, row)).toBeGreaterThan(0);
    expect(sum(20)).toBeGreaterThan(2 * sum(10));
    expect(drawn({ x: [30], heights: [[10]] }).sum(30)).toBe(0);
  });
});
