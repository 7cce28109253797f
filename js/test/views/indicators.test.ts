import { afterEach, describe, expect, it } from "vitest";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { clearPage, mount, painted } from "../mount.ts";

const about = aboutBinary();
const info = { ...about, views: [...new Set([...about.views, "indicators"])] };
afterEach(clearPage);

function withIndicators(values: number[][][], inputs = {}) {
  const frame = wireFrame(info, 1, inputs);
  const taus = Float64Array.of(-1, 0, 1);
  const value = Float32Array.from(values.flat(2));
  const add = (name: string, data: Float64Array | Float32Array, dtype: string, shape: number[]) => {
    frame.cols[`indicators.${name}`] = new DataView(data.buffer);
    frame.meta.cols[`indicators.${name}`] = { dtype, shape } as never;
  };
  add("taus", taus, "f8", [3]);
  add("value", value, "f4", [values.length, 2, 3]);
  frame.meta.indicators = {
    stale: false,
    indicators: ["error_rate", "entropy"],
    labels: ["error <i>rate</i>", "entropy"],
    units: ["", "nats"],
    features: values.map((_, i) => i),
    categories: values.map((_, i) => (i === 1 ? "red" : null)),
    n_lines: 9,
    n_indicators: 14,
    n_rows: 40,
  } as never;
  return frame;
}

const LINES = [
  [
    [0.1, 0.2, 0.3],
    [1, 0.5, 0],
  ],
  [
    [0.2, 0.2, 0.2],
    [0.5, 0.5, Number.NaN],
  ],
];

describe("all indicators", () => {
  it("have a chart each, where a line has one colour in all", async () => {
    const names = info.features.map(({ name }) => name);
    const { all, root, model } = await mount(
      info,
      withIndicators(LINES, { tau: 0.5, stress_feature: names[0] }),
    );
    await painted();
    const charts = all("uq-indicators-chart");
    expect(charts.map((one) => one.querySelector(".uq-small-name")?.textContent)).toEqual([
      "error <i>rate</i>",
      "entropy (nats)",
    ]);
    expect(root.querySelector(".uq-indicators i")).toBeNull();
    const looks = charts.map((chart) =>
      [...chart.querySelectorAll(".uq-feature-lines path")].map((path) =>
        [path.getAttribute("class")?.split(" ")[0], path.getAttribute("stroke-dasharray")].join(),
      ),
    );
    expect(looks[0]).toHaveLength(2);
    expect(looks[1]).toEqual(looks[0]);
    expect(new Set(looks[0]).size).toBe(2);
    // The rule stands at τ, at three quarters of the width.
    const rule = charts[0]?.querySelector(".uq-rule");
    const width = Number(charts[0]?.querySelector("svg")?.getAttribute("width"));
    expect((Number(rule?.getAttribute("x1")) - 5) / (width - 10)).toBeCloseTo(0.75, 5);
    expect(charts[1]?.getAttribute("aria-label")).toContain("from 0.00 to 1.00");

    all("uq-indicators-line")[1]?.click();
    expect(model.get("stress_feature")).toBe(names[1]);
    expect(model.get("stress_category")).toBe("red");
  });

  it("are picked by a click, and say what is left out", async () => {
    const { all, model, root } = await mount(info, withIndicators(LINES));
    await painted();
    all("uq-indicators-chart")[1]?.click();
    expect(model.get("indicator")).toBe("entropy");
    const panel = root.querySelector(".uq-indicators");
    expect(panel?.textContent).toContain("the 2 that move them most clearly, of 9");
    expect(panel?.textContent).toContain("12 more indicators in the stress view.");
    clearPage();
    const none = await mount(info, withIndicators([]));
    await painted();
    expect(none.root.querySelector(".uq-indicators .uq-empty")?.textContent).toBe(
      "no feature that can be stressed moves an indicator",
    );
  });
});
