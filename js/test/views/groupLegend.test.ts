import { describe, expect, it } from "vitest";
import { looksOf } from "../../src/charts/classes.ts";
import { groupLegend } from "../../src/views/dependence/curveDetails/legend.ts";
import { withRamp } from "../../src/views/dependence/curveDetails/ramp.ts";
import type { Dependence } from "../../src/views/dependence/reader.ts";

const data = (changes: Partial<Dependence> = {}): Dependence => {
  const groups = changes.groups ?? [];
  return {
    ...{ colorBy: "", groups, ramp: null, groupAverage: null, own: null, ownValue: null },
    ...{ looks: looksOf(groups.length), lineLooks: looksOf(groups.length), isApart: false },
    ...changes,
  } as Dependence;
};
const texts = (element: Element) => [...element.children].map(({ textContent }) => textContent);

describe("the legend of what is added to a curve", () => {
  it("says what dots and ticks are, and is hidden without any", () => {
    const legend = groupLegend();
    legend.update(data(), true);
    expect(legend.element.hidden).toBe(true);
    const own = Float64Array.of(1);
    legend.update(data({ own, ownValue: Float32Array.of(2) }), true);
    expect(legend.element.hidden).toBe(false);
    expect(texts(legend.element)).toEqual(["dots: each row at its own value", "ticks: own values"]);
    legend.update(data({ own }), false);
    expect(legend.element.hidden).toBe(true);
    // Categories have no rug.
    legend.update(data({ own, isApart: true }), true);
    expect(legend.element.hidden).toBe(true);
  });

  it("has the ends of a ramp, and the thirds only where they are averaged", () => {
    const legend = groupLegend();
    const groups = ["up to 1", "1 to 2", "above 2", "missing"];
    const ramp = { colorBy: "age", groups, ramp: ["0", "3"] };
    legend.update(withRamp(data(ramp)), false);
    const [lead, bar, missing, ...others] = texts(legend.element);
    expect(lead).toMatch(/^rows by .*age.*:$/);
    expect([bar, missing, others]).toEqual(["03", "missing", []]);
    expect(legend.element.querySelectorAll(".uq-color-ramp span")).toHaveLength(9);
    const average = { groupAverage: Float64Array.of(1, 2, 3, 4) };
    legend.update(withRamp(data({ ...ramp, ...average })), false);
    expect(texts(legend.element).slice(2)).toEqual(groups);
    const swatches = [...legend.element.querySelectorAll(".uq-swatch")];
    const classes = swatches.map((one) => one.getAttribute("class")?.split(" ").at(-1));
    expect(classes).toEqual(["uq-ramp-1", "uq-ramp-4", "uq-ramp-7", "uq-class-other"]);
  });
});
