import { describe, expect, it } from "vitest";
import { areaPath, linePath } from "../../src/charts/paths.ts";

const NONE = Number.NaN;

describe("paths", () => {
  it("of lines are interrupted at missing points, and a single point is a dot", () => {
    expect(linePath([0, 1, 2, 3, 4, 5], [1, 2, NONE, 4, NONE, NONE])).toBe(
      "M0.00,1.00L1.00,2.00M3.00,4.00Z",
    );
    expect(linePath([0, NONE, 2], [1, 2, 3])).toBe("M0.00,1.00ZM2.00,3.00Z");
    expect(linePath([0, 1], [NONE, Number.POSITIVE_INFINITY])).toBeNull();
    expect(linePath([], [])).toBeNull();
  });

  it("of areas go along the upper line and back along the lower one, where both are known", () => {
    expect(areaPath([0, 1, 2, 3], [1, 2, 3, NONE], [5, 6, 7, 8])).toBe(
      "M0.00,5.00L1.00,6.00L2.00,7.00L2.00,3.00L1.00,2.00L0.00,1.00Z",
    );
    expect(areaPath([0, 1, 2], [1, NONE, 3], [5, 6, 7])).toBe(
      "M0.00,5.00L0.00,1.00ZM2.00,7.00L2.00,3.00Z",
    );
    expect(areaPath([0], [NONE], [1])).toBeNull();
  });
});
