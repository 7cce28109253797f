import { afterEach, describe, expect, it } from "vitest";
import { readFrame } from "../../src/session/frame.ts";
import { viewsNamed } from "../../src/views/index.ts";
import { profile, valueAt } from "../../src/views/stress/profile.ts";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { clearPage, mount, slide } from "../mount.ts";

const about = aboutBinary();
/** The first point of a path. */
const startOf = (path: string) =>
  path
    .match(/[\d.]+/g)
    ?.slice(0, 2)
    .map(Number) as [number, number];

afterEach(clearPage);

const frameOf = (changes = {}, of = about) => readFrame(viewsNamed, wireFrame(of, 1, changes), of);
const x = (element: Element | null | undefined, name: string) =>
  Number(element?.getAttribute(name));

describe("stress", () => {
  const state = (changes = {}, chosen: number | null = 0) => ({
    stress: frameOf(changes).stress as never,
    names: about.features.map(({ name }) => name),
    rows: 143,
    chosen,
    hovered: null,
  });

  it("draws a line per feature, the name of the stressed one, and the current τ", () => {
    const chart = profile();
    chart.update(state({ tau: 0.5 }), 500);
    expect(chart.element.querySelectorAll(".uq-others path")).toHaveLength(30);
    expect(chart.element.querySelector(".uq-label")?.textContent).toBe("mean radius");
    const rule = x(chart.element.querySelector(".uq-rule"), "x1");
    expect(x(chart.element.querySelector(".uq-now"), "cx")).toBe(rule);
    expect(chart.element.querySelector(".uq-means")?.textContent).toBe("1.33mean 22.67");
  });

  it("draws the interval of the stressed feature only, which leaves the lines their room", () => {
    const chart = profile();
    chart.update(state({}), 500);
    const band = () => chart.element.querySelector(".uq-stress-band")?.getAttribute("d");
    const box = chart.element.querySelector(".uq-stress-band")?.closest(".uq-clip");
    const points = (band()?.match(/[\d.-]+,[\d.-]+/g) ?? []).map(
      (point) => point.split(",").map(Number) as [number, number],
    );
    expect(points).toHaveLength(2 * 20); // both ends at all levels but the first
    const line = chart.element.querySelector(".uq-chosen")?.getAttribute("d") as string;
    const drawn = line
      .split(/[ML]/)
      .slice(1)
      .map((point) => point.split(",").map(Number));
    const [at, height] = drawn[1] as [number, number];
    const ends = points.filter(([px]) => Math.abs(px - at) < 0.1).map(([, py]) => py);
    expect(ends).toHaveLength(2);
    expect(Math.min(...ends)).toBeLessThan(height);
    expect(Math.max(...ends)).toBeGreaterThan(height);
    // An interval end nine times as high as its line is clipped.
    expect(Math.min(...points.map(([, py]) => py))).toBeLessThan(x(box, "y"));
    const heights = drawn.map(([, py]) => py as number);
    expect(Math.max(...heights) - Math.min(...heights)).toBeGreaterThan(x(box, "height") / 12);
    chart.update(state({}, null), 500);
    expect(band()).toBeFalsy();
  });

  it("ends a line where the mean cannot be reached", () => {
    const chart = profile();
    chart.update(state({}, 3), 500);
    expect(
      chart.element.querySelector(".uq-chosen")?.getAttribute("d")?.match(/[ML]/g),
    ).toHaveLength(18);
    expect(chart.element.querySelector(".uq-means")?.textContent).toContain("mean");
  });

  it("has a summary of the stressed feature, and none without one", () => {
    const read = profile().update(state({ tau: 0.5 }), 500);
    const facts = read.reading(15).rows;
    expect(facts.slice(0, 2)).toEqual([
      ["stressed", "mean radius"],
      ["error rate", expect.stringMatching(/^0\.0/)],
    ]);
    const hovered = profile().update({ ...state(), hovered: 7 }, 500);
    expect(hovered.reading(15).rows.filter(([name]) => name === "stressed")).toHaveLength(2);
    expect(profile().update(state({}, null), 500).reading(15).rows).toEqual([]);
  });

  it("selects the line nearest to the pointer", () => {
    const read = profile().update(state(), 500);
    const { positions } = read;
    expect(read.near(positions[10] as number, -500)).toBeNull();
    const chart = profile();
    chart.update(state({}, 7), 500);
    const path = chart.element.querySelector(".uq-chosen")?.getAttribute("d") as string;
    const [px, py] = startOf(path);
    expect(read.near(px, py)).toBe(7);
  });

  it("selects a feature by a click on its line", async () => {
    const { root, lastRequest } = await mount(about);
    const reader = root.querySelector(".uq-stress .uq-reader") as HTMLElement;
    const path = root.querySelectorAll(".uq-others path")[12]?.getAttribute("d") as string;
    const [clientX, clientY] = startOf(path);
    reader.dispatchEvent(new MouseEvent("click", { clientX, clientY }));
    expect(lastRequest()).toEqual({ stress_feature: about.features[12]?.name });
  });

  it("interpolates between levels, and not across a missing one", () => {
    const taus = Float64Array.of(-1, 0, 1);
    expect(valueAt(taus, Float64Array.of(2, 4, 8), 0.5)).toBe(6);
    expect(valueAt(taus, Float64Array.of(2, 4, 8), -1)).toBe(2);
    expect(valueAt(taus, Float64Array.of(Number.NaN, 4, 8), 0)).toBe(4);
    expect(valueAt(taus, Float64Array.of(Number.NaN, 4, 8), -0.5)).toBeNaN();
  });
});

describe("τ", () => {
  it("changes by input, is explained in words, and is reset to 0", async () => {
    const { one, lastRequest, receive } = await mount(about);
    const tau = one<HTMLInputElement>("uq-tau");
    expect(tau).toMatchObject({ type: "range", min: "-1", max: "1", step: "0.05" });
    slide(tau, 0.5);
    expect(lastRequest()).toEqual({ tau: 0.5 });
    expect(tau.getAttribute("aria-valuetext")).toBe("τ 0.50, mean of mean radius 2.33");
    await receive(wireFrame(about, 2, { tau: 0.5 }));
    one("uq-tau-reset").click();
    expect(lastRequest()).toEqual({ tau: 0 });
    expect(tau.valueAsNumber).toBe(0);
    // A level from Python that is none of the slider's is shown as it is, until the slider moves.
    await receive(wireFrame(about, 3, { tau: 0.33 }));
    expect(tau.valueAsNumber).toBe(0.33);
    slide(tau, 0.36);
    expect(lastRequest()).toEqual({ tau: 0.35 });
    expect(tau.step).toBe("0.05");
  });

  it("follows the kernel except during a drag", async () => {
    const { one, receive } = await mount(about);
    const tau = one<HTMLInputElement>("uq-tau");
    await receive(wireFrame(about, 5, { tau: -0.25 }));
    expect(tau.valueAsNumber).toBe(-0.25);
    tau.dispatchEvent(new Event("pointerdown"));
    await receive(wireFrame(about, 6, { tau: 0.75 }));
    expect(tau.valueAsNumber).toBe(-0.25);
    tau.dispatchEvent(new Event("pointerup"));
    await receive(wireFrame(about, 7, { tau: 0.75 }));
    expect(tau.valueAsNumber).toBe(0.75);
  });

  it("returns to the accepted value if the kernel refuses one", async () => {
    const { one, receive } = await mount(about);
    slide(one("uq-tau"), 0.9);
    await receive(wireFrame(about, 2, { tau: 0 }));
    expect(one<HTMLInputElement>("uq-tau").valueAsNumber).toBe(0);
  });

  it("says what becomes of rows without a value, firm or not", async () => {
    const { root, receive } = await mount(about);
    for (const [seq, ess, place] of [
      [2, 140, ".uq-hint"],
      [3, 12, ".uq-caution"],
    ] as const) {
      const frame = wireFrame(about, seq, { tau: 0.5 });
      Object.assign(frame.meta.stress.now as object, { n_unmoved: 7, ess });
      await receive(frame);
      expect(root.querySelector(place)?.textContent).toContain(
        "7 rows without a value keep their weight.",
      );
    }
  });

  it("says what decides the weights at τ = 0", async () => {
    const { one, root, receive } = await mount(about);
    const hint = () => root.querySelector(".uq-hint")?.textContent;
    const scale = () => root.querySelector(".uq-tau-scale")?.textContent;
    expect(hint()).toContain("All rows count the same.");
    expect(scale()).toBe("loweras in the datahigher");
    for (const [seq, tau, words] of [
      [2, 0, "Above 0, rows with larger values of"],
      [3, 0.5, "Rows with larger values of"],
    ] as const) {
      const frame = wireFrame(about, seq, { tau });
      Object.assign(frame.meta.stress.now as object, { tau, start: "mean of <b>x1</b> held at 2" });
      await receive(frame);
      expect(one("uq-stress-readout").textContent).toContain("; mean of <b>x1</b> held at 2)");
      expect(hint()).toMatch(new RegExp(`^${words}`));
      expect(scale()).toBe("lowerat τ = 0higher");
    }
  });

  it("is disabled without a stressed feature, and marks nothing as stressed", async () => {
    const changes = { tau: 0.5, stress_feature: "" };
    const { one, root, receive } = await mount(about, wireFrame(about, 1, changes));
    const tau = one<HTMLInputElement>("uq-tau");
    expect(tau.disabled).toBe(true);
    expect(tau.title).toContain("Choose a feature");
    expect(root.querySelector(".uq-hint")?.textContent).toContain("Choose a feature");
    expect(root.querySelector<HTMLElement>(".uq-key-tick")?.hidden).toBe(true);
    await receive(wireFrame(about, 2, { tau: 0.5 }));
    expect(tau.disabled).toBe(false);
    expect(root.querySelector<HTMLElement>(".uq-key-tick")?.hidden).toBe(false);
  });

  it("says that no feature can be stressed", async () => {
    const still = {
      ...about,
      features: about.features.map((one) => ({ ...one, unstressable: "categorical" })),
    };
    const { root } = await mount(still, wireFrame(still, 1, { stress_feature: "" }));
    expect(root.querySelector(".uq-hint")?.textContent).toContain("No feature of this table");
  });

  it("gives the reason why no feature can be stressed once", async () => {
    const features = about.features.map((one, i) => ({
      ...one,
      unstressable: `missing or infinite in ${i + 3} of 1,200 rows`,
    }));
    const none = { ...about, features };
    const { root, one } = await mount(none, wireFrame(none, 1, { stress_feature: "" }));
    expect(root.querySelector(".uq-stress .uq-empty")?.textContent).toBe(
      "no feature can be stressed (missing or infinite)",
    );
    const select = one<HTMLSelectElement>("uq-stress-feature");
    expect(select.selectedOptions[0]?.textContent).toBe("no feature");
    expect(root.querySelector<HTMLElement>(".uq-meter")?.hidden).toBe(true);
  });

  it("has a readout of the mean, the effective sample size and the indicator", async () => {
    const { one } = await mount(about, wireFrame(about, 1, { tau: 0.5 }));
    expect(one("uq-stress-readout").textContent).toBe(
      "mean radius: 2 → 2.33 (τ 0.50), worth about 113 of the 143 rows, " +
        "error rate 0.07 → 0.08 (95 %: 0.04 to 0.16; a change is not clear from these rows)",
    );
  });

  it("says that a change is not clear only where the interval holds the value without stress", async () => {
    for (const [tau, base] of [
      [0.5, 0.01],
      [0, 0.08],
    ] as const) {
      const frame = wireFrame(about, 1, { tau });
      Object.assign(frame.meta.stress.now, { base, tau });
      const { one } = await mount(about, frame);
      expect(one("uq-stress-readout").textContent).not.toContain("not clear");
      clearPage();
    }
  });

  it.each([
    [
      { status: "ok", ess: 20, ess_share: 0.14 },
      /^Too few rows for firm numbers: worth about 20 of the 143 rows, error rate 0.04 to 0.16 \(95 % interval\)\.$/,
    ],
    [{ ess: 113, value: 0.08 }, /worth about 113 of the 143 rows/],
    [{ status: "edge" }, /at the edge of the data/],
    [{ status: "infeasible", value: null }, /outside the data/],
    [{ status: "constant", value: null }, /is constant, so/],
    [
      { status: "constant", value: null, n_rows: 9 },
      /is constant in the rows that meet the filter/,
    ],
    [{ status: "constant", value: null, n_rows: 1 }, /^Only one row meets the filter/],
    [{ status: "beyond quantile", value: null }, /already lies beyond the quantile/],
  ])("warns in words: %o", async (now, words) => {
    const frame = wireFrame(about, 1, { tau: 0.5 });
    Object.assign(frame.meta.stress.now, now);
    const { root } = await mount(about, frame);
    const caution = root.querySelector<HTMLElement>(".uq-caution");
    expect(caution?.hidden).toBe(false);
    expect(caution?.textContent).toMatch(words);
  });

  it.each([
    [{ ess: 2057, n_rows: 20000, ess_share: 0.1 }],
    [{ ess: 113, value: 0.3 }],
    [{ ess: 60, value: 0.13 }],
  ])("does not warn of a small share, nor of a narrow interval: %o", async (now) => {
    const frame = wireFrame(about, 1, { tau: 0.5 });
    Object.assign(frame.meta.stress.now, now);
    const { root } = await mount(about, frame);
    expect(root.querySelector<HTMLElement>(".uq-caution")?.hidden).toBe(true);
    expect(root.querySelector(".uq-meter")?.classList.contains("uq-low")).toBe(false);
  });
});
