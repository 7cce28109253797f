import { afterEach, describe, expect, it } from "vitest";
import { aboutMulti, wireFrame } from "../fixtures.ts";
import { choose, clearPage, mount } from "../mount.ts";

const info = { ...aboutMulti(), views: [...aboutMulti().views, "small_curves"] };
afterEach(clearPage);

/** A frame with the small curves of a number and of two categories. */
function withCurves(coming: string[] = []) {
  const frame = wireFrame(info, 1, { small_curves: 4 });
  const average = [1, 2, 5, 3, 3];
  const columns = {
    places: [1, 3, 6, 0, 1],
    average,
    low: average.map((value) => value - 0.5),
    high: average.map((value) => value + 0.5),
  };
  for (const [name, values] of Object.entries(columns)) {
    frame.cols[`small_curves.${name}`] = new DataView(Float64Array.from(values).buffer);
    frame.meta.cols[`small_curves.${name}`] = { dtype: "f8", shape: [values.length] };
  }
  frame.meta.small_curves = {
    stale: false,
    features: ["<img src=x onerror=alert(1)>", "site"],
    sizes: [3, 2],
    categories: [null, ["north", "<b>south</b>"]],
    times: [false, false],
    coming,
    by_importance: true,
    label: "entropy",
    unit: "nats",
    n_rows: 143,
    level: 0.95,
  };
  return frame;
}

describe("small curves", () => {
  it("share one axis and pick their feature", async () => {
    const { all, one, lastRequest } = await mount(info, withCurves());
    const [number, category] = all("uq-small-curve");
    expect(all("uq-small-curve")).toHaveLength(2);
    expect(number?.querySelector(".uq-small-name")?.textContent).toBe(
      "<img src=x onerror=alert(1)>",
    );
    expect(number?.querySelector("img")).toBeNull();
    const heights = (number?.querySelector(".uq-small-line")?.getAttribute("d") ?? "")
      .slice(1)
      .split("L")
      .map((point) => Number(point.split(",")[1]));
    const dots = [...(category?.querySelectorAll("circle") ?? [])];
    expect(dots).toHaveLength(2);
    // 3 lies between 2 and 5 on the common axis.
    const [, two, five] = heights as [number, number, number];
    const three = Number(dots[0]?.getAttribute("cy"));
    expect((two - three) / (two - five)).toBeCloseTo(1 / 3, 2);
    expect(one("uq-small-axis").textContent).toMatch(/^entropy \(nats\), from .* in every chart/);
    category?.click();
    expect(lastRequest()).toEqual({ feature: "site" });
  });

  it("say what is clear from these rows and what is not", async () => {
    const { all } = await mount(info, withCurves());
    const [number, category] = all("uq-small-curve").map((one) => one.getAttribute("aria-label"));
    expect(number).toMatch(/1 to 5$/);
    expect(category).toMatch(/3 to 3; a change is not clear from these rows$/);
  });

  it("say which are still to come", async () => {
    const { one } = await mount(info, withCurves(["a", "b", "c", "d"]));
    expect(one("uq-small-coming").textContent?.replace(/[\u2068\u2069]/g, "")).toBe(
      "Still to come: a, b, c and 1 more.",
    );
  });

  it("are none until a number is chosen", async () => {
    const { all, one, lastRequest } = await mount(info, wireFrame(info, 1));
    expect(all("uq-small-curve")).toEqual([]);
    const select = one<HTMLSelectElement>("uq-small-curves");
    expect([...select.options].map(({ text }) => text)).toEqual(["none", "all 4"]);
    choose(select, "4");
    expect(lastRequest()).toEqual({ small_curves: 4 });
  });
});
