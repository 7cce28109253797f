import { describe, expect, it } from "vitest";
import { type LineSpace, trace } from "../../src/charts/lines.ts";

type Step = [name: string, x: number, y: number];

const X = Array.from({ length: 49 }, (_, i) => 40 + 500 * (i / 48) ** 1.5);

/** What is drawn of the heights of a line, in pixels. */
function drawn(heights: number[]): Step[] {
  const steps: Step[] = [];
  const context = {
    moveTo: (x: number, y: number) => steps.push(["move", x, y]),
    lineTo: (x: number, y: number) => steps.push(["line", x, y]),
  };
  const space = { x: X, y: (value: number) => value } as LineSpace;
  // The line is the second of three, so that a neighbour's values would show.
  const far = X.map(() => 1e4);
  const values = Float32Array.from([...far, ...heights, ...far]);
  trace(context as never, values, 1, space);
  return steps;
}

/** The largest distance in height between the points of a line and what is drawn. */
function error(heights: number[], steps: Step[]): number {
  let largest = 0;
  X.forEach((x, i) => {
    const k = Math.max(
      1,
      steps.findIndex((step) => step[1] >= x),
    );
    const [[, x0, y0], [, x1, y1]] = [steps[k - 1] as Step, steps[k] as Step];
    const at = y0 + ((x - x0) / (x1 - x0)) * (y1 - y0);
    largest = Math.max(largest, Math.abs(at - (heights[i] as number)));
  });
  return largest;
}

const SMOOTH = X.map((x) => 250 / (1 + Math.exp((x - 250) / 40)));
const SLOW = X.map((x) => x ** 2 / 1e4);
const STEPS = X.map((_, i) => (i % 7 < 3 ? 20 : 180));
const ROUGH = X.map((_, i) => 100 + 90 * Math.sin(i ** 2));

describe("a single line", () => {
  it.each([
    ["smooth", SMOOTH, 40],
    ["slow", SLOW, 20],
    ["of steps", STEPS, 40],
    ["rough", ROUGH, 49],
  ])("that is %s has no more points than it needs", (_, heights, most) => {
    const steps = drawn(heights);
    expect(steps.map(([name]) => name).join(" ")).toMatch(/^move( line)+$/);
    expect(steps.length).toBeLessThanOrEqual(most);
    expect(steps[0]).toEqual(["move", X[0], expect.closeTo(heights[0] as number, 3)]);
    expect(steps.at(-1)).toEqual(["line", X[48], expect.closeTo(heights[48] as number, 3)]);
    expect(error(heights, steps)).toBeLessThan(0.5); // pixels
  });

  it("has gaps where values are missing", () => {
    const heights = X.map((_, i) => ([0, 10, 11, 30].includes(i) ? Number.NaN : i));
    const places = drawn(heights).map(([name, x]) => [name, X.indexOf(x)]);
    expect(places.filter(([name]) => name === "move")).toEqual([
      ["move", 1],
      ["move", 12],
      ["move", 31],
    ]);
    for (const end of [9, 29, 48]) expect(places).toContainEqual(["line", end]);
    expect(places.length).toBeLessThan(49);
    expect(drawn(X.map(() => Number.NaN))).toEqual([]);
  });
});
