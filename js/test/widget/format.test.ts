import { scaleLinear } from "d3-scale";
import { afterEach, describe, expect, it } from "vitest";
import { ticksOf } from "../../src/charts/axis.ts";
import { opacity } from "../../src/charts/lines.ts";
import {
  decimals,
  isolated,
  isolatedIn,
  number,
  percent,
  rowsOf,
  seconds,
  worth,
} from "../../src/widget/format.ts";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { clearPage, mount } from "../mount.ts";

const about = aboutBinary();

afterEach(clearPage);
const x = (element: Element | null | undefined, name: string) =>
  Number(element?.getAttribute(name));

describe("numbers of rows", () => {
  it("name what the rows belong to", () => {
    expect(rowsOf(900, null)).toBe("900 rows");
    expect(rowsOf(900, "30 patients")).toBe("900 rows of 30 patients");
    expect(worth(51.2, 900)).toBe("worth about 51 of the 900 rows");
    expect(worth(51.2, 900, [12.6, "30 patients"])).toBe(
      "worth about 51 of the 900 rows and 13 of the 30 patients",
    );
  });
});

describe("numbers", () => {
  it("of ten million and more have exponents, also in columns and on axes", () => {
    const huge = 4.61e29;
    expect(decimals(huge)(huge)).toBe("4.61e+29");
    expect(decimals(huge)(0.5)).toBe("0.5");
    expect(decimals(9e6)(8_999_999)).toBe("8,999,999");
    const ticks = ticksOf(scaleLinear([0, huge], [0, 300]), 300, 60).map(({ label }) => label);
    expect(ticks[0]).toBe("0");
    expect(ticks.slice(1).every((label) => /^\d(\.\d)?e\+29$/.test(label))).toBe(true);
    expect(new Set(ticks).size).toBe(ticks.length);
  });

  it("are not reordered by a right-to-left name", () => {
    expect(isolated("mean radius")).toBe("mean radius");
    expect(isolated("גיל")).toBe("\u2068גיל\u2069");
    // Direction marks inside a name cannot end its isolate.
    expect(isolated("x\u2069\u202ey")).toBe("\u2068xy\u2069");
    expect(isolatedIn("from עמר = 3", "עמר")).toBe("from \u2068עמר\u2069 = 3");
  });

  it("of a bar have enough room", async () => {
    const raw = wireFrame(about, 1);
    for (const part of ["value", "low", "high"])
      new Float64Array(raw.cols[`importance.${part}`].buffer).fill(-4.6e29, 0, 30);
    const { root } = await mount(about, raw);
    const column = root.querySelector(".uq-bars") as Element;
    const text = column.querySelector(".uq-bar text") as Element;
    const left = x(text, "x") - 6.4 * (text.textContent?.length ?? 0);
    const ends = [...column.querySelectorAll(".uq-grid line")].map((line) => x(line, "x1"));
    expect(text.textContent).toBe("−4.6e+29");
    expect(Math.max(...ends, x(column.querySelector(".uq-zero"), "x1"))).toBeLessThan(left);
  });

  it.each([
    [14.127, "14.1"],
    [0.0712345, "0.0712"],
    [43043, "43,043"],
    [-0.5, "−0.5"],
    [0.0000123, "1.23e-5"],
    [0, "0"],
    [Number.NaN, "not available"],
    [null, "not available"],
  ])("%s reads %s", (value, text) => {
    expect(number(value)).toBe(text);
  });

  it("of a column have the same decimals, and zero has no sign", () => {
    const print = decimals(0.25);
    expect([0.15, -0.0001, -0.002, Number.NaN].map(print)).toEqual([
      "0.150",
      "0.000",
      "−0.002",
      "n/a",
    ]);
    expect(decimals(2500)(1234.5)).toBe("1,235");
    expect([0.5, 0.500004].map(decimals(4e-6))).toEqual(["0.50000000", "0.50000400"]);
    expect([5e-4, 5.0001e-4].map(decimals(1e-8))).toEqual(["5.00000e-4", "5.00010e-4"]);
    expect([0, -3e-6, 5e-6].map(decimals(8e-6))).toEqual(["0.0e+0", "−3.0e-6", "5.0e-6"]);
  });

  it("are short for shares and times", () => {
    expect([percent(0.614), percent(Number.NaN)]).toEqual(["61 %", "not available"]);
    expect([0.012, 4.2, 600].map(seconds)).toEqual(["12 ms", "4.2 s", "10 min"]);
  });

  it("of an opacity increase with the weight and decrease with the number of lines", () => {
    expect(opacity(1, 10)).toBeGreaterThan(opacity(1, 1000));
    expect(opacity(3, 100)).toBeGreaterThan(opacity(1, 100));
    expect(opacity(0, 100)).toBe(0);
    expect(opacity(1e6, 1)).toBeLessThanOrEqual(0.9);
  });
});
