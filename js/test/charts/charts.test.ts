import { afterEach, describe, expect, it } from "vitest";
import { lookOf, looksOf } from "../../src/charts/classes.ts";
import { distribution } from "../../src/charts/distribution.ts";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { clearPage, mount } from "../mount.ts";

const about = aboutBinary();

afterEach(clearPage);
const x = (element: Element | null | undefined, name: string) =>
  Number(element?.getAttribute(name));

describe("every chart", () => {
  it("has a name, a summary in words and its numbers as a table", async () => {
    const { root } = await mount(about, wireFrame(about, 1, { tau: 0.5 }));
    const figures = [...root.querySelectorAll<HTMLElement>("figure")].filter(
      ({ hidden }) => !hidden,
    );
    expect(figures).toHaveLength(4);
    const rows = [30, 50, 21, 10];
    for (const [i, figure] of figures.entries()) {
      expect(figure.getAttribute("aria-label")?.length).toBeGreaterThan(20);
      expect(figure.querySelector(".uq-sr")?.textContent?.length).toBeGreaterThan(20);
      expect(figure.querySelector("table")).toBeNull();
      const details = figure.querySelector(".uq-twin") as HTMLDetailsElement;
      details.open = true;
      details.dispatchEvent(new Event("toggle"));
      expect(figure.querySelectorAll("tbody tr")).toHaveLength(rows[i] as number);
      const heads = figure.querySelectorAll("thead th").length;
      expect(figure.querySelectorAll("tbody tr:first-child > *")).toHaveLength(heads);
    }
    expect(figures[2]?.querySelector("table")?.textContent).toContain("mean of mean radius");
  });
});

describe("classes", () => {
  const stylesOf = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const { colour, dash } = lookOf(i);
      return `${colour} ${dash.join(" ")}`;
    });

  it("differ in colour and dash: ten classes, and one style for the others", () => {
    expect(new Set(stylesOf(11)).size).toBe(11);
    // Where values stand apart, rows are ticks without a dash.
    expect(new Set(Array.from({ length: 10 }, (_, i) => lookOf(i).colour)).size).toBe(10);
    expect(new Set(Array.from({ length: 10 }, (_, i) => lookOf(i).className)).size).toBe(10);
    expect(lookOf(11)).toEqual(lookOf(300));
  });

  it("without their own style are one part of a stacked bar", () => {
    const shares = distribution();
    const counts = new Float64Array(300).fill(1 / 300);
    const spans: [number, number][] = [[0, 10]];
    shares.update(
      { counts, countsBase: counts, bins: 1, looks: looksOf(290), spans, ghost: false },
      0,
      90,
    );
    const parts = [...shares.element.querySelectorAll("rect")];
    expect(parts).toHaveLength(11);
    const heights = parts.map((part) => x(part, "height"));
    expect(heights.reduce((a, b) => a + b, 0)).toBeCloseTo(90, 0);
    expect(heights[10]).toBeCloseTo((290 / 300) * 90, 0);
  });
});
