import { afterEach, describe, expect, it } from "vitest";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { clearPage, mount, painted } from "../mount.ts";

const about = aboutBinary();
const info = { ...about, views: [...new Set([...about.views, "slices"])] };
afterEach(clearPage);

const CONDITIONS = [
  [{ feature: "income", low: 1, high: null }],
  [{ feature: "site", values: ["<i>north</i>"] }],
];

function withSlices(numbers: Record<string, number[]>, inputs = {}) {
  const frame = wireFrame(info, 1, inputs);
  const n = Object.values(numbers)[0]?.length ?? 0;
  for (const [name, values] of Object.entries(numbers)) {
    frame.cols[`slices.${name}`] = new DataView(Float64Array.from(values).buffer);
    frame.meta.cols[`slices.${name}`] = { dtype: "f8", shape: [n] } as never;
  }
  frame.meta.slices = {
    stale: false,
    measure: "nll",
    label: "loss",
    unit: "nats",
    choices: [
      { name: "nll", label: "loss" },
      { name: "entropy", label: "entropy" },
    ],
    slices: ["income ≥ 1", "site = <i>north</i>"].slice(0, n).map((text, i) => ({
      text,
      same: i ? "" : "age ≥ 30",
      rows: 12,
      conditions: CONDITIONS[i],
    })),
    tested: "100 candidates compared",
    n_rows: 40,
    level: 0.95,
  } as never;
  return frame;
}

const TWO = {
  value: [2, 3],
  elsewhere: [1, 1],
  difference: [1, 2],
  low: [0.5, -0.1],
  high: [2, 4],
  p_adjusted: [0.001, 0.08],
};

describe("where is it worst", () => {
  it("lists slices as text; a click filters all panels", async () => {
    const { all, root, model } = await mount(info, withSlices(TWO));
    await painted();
    const [first, second] = all("uq-slices-filter");
    expect(second?.textContent).toBe("site = <i>north</i> · 12 rows");
    expect(root.querySelector(".uq-slices i")).toBeNull();
    expect(first?.getAttribute("title")).toContain("age ≥ 30");
    // Under stress one of them is no longer clear, which a hollow dot shows.
    const bars = [...root.querySelectorAll(".uq-slices .uq-bar")];
    expect(bars.map((bar) => bar.classList.contains("uq-unclear"))).toEqual([false, true]);
    first?.click();
    expect(model.get("ice_filter")).toEqual(CONDITIONS[0]);
  });

  it("shows all rows again at another click, and then compares with nothing", async () => {
    const inputs = { ice_filter: CONDITIONS[0], compare_with: "rest" };
    const { all, lastRequest } = await mount(info, withSlices(TWO, inputs), inputs);
    await painted();
    const [first] = all("uq-slices-filter");
    expect(first?.getAttribute("aria-pressed")).toBe("true");
    first?.click();
    expect(lastRequest()).toEqual({ ice_filter: [], compare_with: "" });
  });

  it("keeps a slice as a cohort, and compares it with the other rows", async () => {
    const { all, model } = await mount(info, withSlices(TWO));
    await painted();
    all("uq-slices-cohort")[1]?.click();
    expect(model.get("cohorts")).toEqual([
      { name: "site = <i>north</i>", ice_filter: CONDITIONS[1], complement: false },
    ]);
    clearPage();
    const other = await mount(info, withSlices(TWO));
    await painted();
    other.all("uq-slices-compare")[1]?.click();
    expect(other.lastRequest()).toMatchObject({ ice_filter: CONDITIONS[1], compare_with: "rest" });
  });

  it("says that there is none, and offers other measures", async () => {
    const none = Object.fromEntries(Object.keys(TWO).map((name) => [name, []]));
    const { root, one, model } = await mount(info, withSlices(none));
    await painted();
    expect(root.querySelector(".uq-slices .uq-empty")?.textContent).toBe(
      "In no slice is the loss clearly higher than elsewhere.",
    );
    const measure = one("uq-slices-measure") as HTMLSelectElement;
    measure.value = "entropy";
    measure.dispatchEvent(new Event("change"));
    expect(model.get("slices_of")).toBe("entropy");
  });
});
