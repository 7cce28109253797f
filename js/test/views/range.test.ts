import { describe, expect, it } from "vitest";
import type { Column } from "../../src/session/modelInfo.ts";
import { rangeOf } from "../../src/views/selection/range.ts";
import type { LinePlot } from "../../src/views/view.ts";

const DAY = 86_400_000;
const start = Date.UTC(2020, 0, 1);

describe("a range of bars", () => {
  it("of dates has their ends as moments, and is open at the ends of the axis", () => {
    const edges = Float64Array.from([0, 1.5, 3, 4.5], (days) => start + days * DAY);
    const data = { edges, bins: 3, time: true, feature: "when" };
    const plot = { data, spans: [0, 1, 2].map((i) => [i, i + 1]) } as unknown as LinePlot;
    const column = { name: "when", dates: true, missing: 0 } as unknown as Column;
    expect(rangeOf(plot, column, 0, 1)?.condition).toEqual({
      feature: "when",
      low: null,
      high: "2020-01-04T00:00:00",
    });
    const range = rangeOf(plot, column, 1, 1);
    expect(range?.condition).toEqual({
      feature: "when",
      low: "2020-01-02T12:00:00",
      high: "2020-01-04T00:00:00",
    });
    expect(range?.text).toContain("from 2020-01-02 to 2020-01-04");
  });
});
