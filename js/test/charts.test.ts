import { scaleLinear } from "d3-scale";
import { afterEach, describe, expect, it, vi } from "vitest";
import { labelWidth, ticksOf } from "../src/charts/axis.ts";
import { bars } from "../src/charts/bars.ts";
import { lookOf } from "../src/charts/classes.ts";
import { curves } from "../src/charts/curves.ts";
import { distribution } from "../src/charts/distribution.ts";
import { extent, SteadyScale } from "../src/charts/domain.ts";
import { opacity } from "../src/charts/lines.ts";
import { profile, valueAt } from "../src/charts/profile.ts";
import { decimals, isolated, isolatedIn, number, percent, seconds } from "../src/format.ts";
import { readFrame } from "../src/frame.ts";
import { aboutBinary, aboutMulti, aboutRegression, wireFrame } from "./fixtures.ts";
import { clearPage, mount, press } from "./mount.ts";

const about = aboutBinary();
/** The first point of a path. */
const startOf = (path: string) =>
  path
    .match(/[\d.]+/g)
    ?.slice(0, 2)
    .map(Number) as [number, number];

afterEach(clearPage);

const frameOf = (changes = {}, of = about) => readFrame(wireFrame(of, 1, changes), of);
const x = (element: Element | null | undefined, name: string) =>
  Number(element?.getAttribute(name));

describe("importance", () => {
  it("draws each value with its interval and the unstressed value as a tick", async () => {
    const raw = wireFrame(about, 1, { tau: 0.5 });
    const { root } = await mount(about, raw);
    const { importance } = readFrame(raw, about);
    const first = importance?.order[0] as number;
    const [nll, entropy] = [...root.querySelectorAll(".uq-bars")];
    const group = nll?.querySelector(".uq-bar");
    const [dot, whisker, ghost] = ["circle", ".uq-whisker", ".uq-ghost"].map((q) =>
      group?.querySelector(q),
    );
    const zero = x(nll?.querySelector(".uq-zero"), "x1");
    const scale = (x(dot, "cx") - zero) / (importance?.value[first] as number);
    expect(x(whisker, "x1") - zero).toBeCloseTo(scale * (importance?.low[first] as number), 0);
    expect(x(whisker, "x2") - zero).toBeCloseTo(scale * (importance?.high[first] as number), 0);
    expect(x(ghost, "x1") - zero).toBeCloseTo(scale * (importance?.base[first] as number), 0);
    expect(entropy?.querySelectorAll(".uq-bar")).toHaveLength(30);
  });

  it("has no tick for the unstressed value without stress", async () => {
    const { root } = await mount(about);
    const ghosts = [...root.querySelectorAll(".uq-bar .uq-ghost")];
    expect(ghosts.every((ghost) => ghost.getAttribute("visibility") === "hidden")).toBe(true);
  });

  it("draws no mark for a missing value and names it in the table", async () => {
    const raw = wireFrame(about, 1);
    new DataView(raw.cols["importance.value"].buffer).setFloat64(0, Number.NaN, true);
    const { root, all } = await mount(about, raw);
    const row = all("uq-importance-row").find(
      ({ dataset }) => dataset.feature === about.features[0]?.name,
    );
    expect(row?.getAttribute("aria-label")).toContain("Likelihood-PFI not available");
    const hidden = [...root.querySelectorAll(".uq-bar circle")].filter((dot) =>
      dot.getAttribute("visibility"),
    );
    expect(hidden).toHaveLength(1);
    expect(root.querySelector(".uq-bars")?.textContent).toContain("n/a");
  });

  it("dims stale results", async () => {
    const raw = wireFrame(about, 1);
    raw.meta.importance.stale = true;
    const { root } = await mount(about, raw);
    expect(root.querySelector<HTMLElement>(".uq-importance")?.dataset.stale).toBe("true");
    expect(root.querySelector<HTMLElement>(".uq-dependence")?.dataset.stale).toBeUndefined();
  });

  it("shows a single measure in one column", async () => {
    const raw = wireFrame(about, 1);
    raw.meta.importance.measures.length = 1;
    for (const part of ["value", "low", "high", "base"]) {
      const name = `importance.${part}`;
      raw.meta.cols[name].shape = [1, 30];
      raw.cols[name] = new DataView(raw.cols[name].buffer, 0, 240);
    }
    const { root } = await mount(about, raw);
    expect(root.querySelectorAll(".uq-bars")).toHaveLength(1);
  });
});

describe("dependence", () => {
  it("draws the average through every grid point, the band, and the ghost only under stress", () => {
    const chart = curves();
    const points = (path: Element | null) => path?.getAttribute("d")?.match(/[ML]/g)?.length ?? 0;
    const find = (name: string) => chart.element.querySelector(`.uq-clip > ${name}`);
    chart.update(frameOf().dependence as never, 500, false);
    expect(points(find(".uq-average"))).toBe(50);
    expect(find(".uq-band")?.getAttribute("d")).toMatch(/Z$/);
    expect(points(find(".uq-ghost"))).toBe(0);
    chart.update(frameOf({ tau: 0.5 }).dependence as never, 500, true);
    expect(points(find(".uq-ghost"))).toBe(50);
    expect(chart.element.querySelectorAll(".uq-distribution rect")).toHaveLength(40);
  });

  it("leaves a gap where the average is missing", () => {
    const chart = curves();
    const data = frameOf().dependence;
    data?.average.fill(Number.NaN, 10, 20);
    chart.update(data as never, 500, false);
    expect(chart.element.querySelector(".uq-average")?.getAttribute("d")?.match(/M/g)).toHaveLength(
      2,
    );
  });

  it("draws categories as points with bars, each under its label", () => {
    const multi = aboutMulti();
    const chart = curves();
    const data = frameOf({ feature: "site" }, multi).dependence;
    const read = chart.update(data as never, 500, false);
    expect(chart.element.querySelectorAll(".uq-points circle")).toHaveLength(4);
    expect(chart.element.querySelector(".uq-average")?.getAttribute("d")).toBeNull();
    expect(chart.element.querySelector(".uq-axis-bottom")?.textContent).toContain("north");
    expect(read.reading(1).title).toBe("site = south");
  });

  it("is dotted where few rows are near, which the crosshair reads out", () => {
    const chart = curves();
    const data = frameOf().dependence;
    data?.near.fill(0, 40);
    const read = chart.update(data as never, 500, false);
    const points = (name: string) =>
      chart.element.querySelector(name)?.getAttribute("d")?.match(/[ML]/g)?.length ?? 0;
    expect(points(".uq-average")).toBe(40);
    expect(points(".uq-far")).toBe(50);
    expect(read.reading(39).rows.flat()).not.toContain("rows around it");
    expect(read.reading(40).rows.at(-1)).toEqual(["rows around it", "few"]);
    data?.near.fill(1);
    chart.update(data as never, 500, false);
    expect(points(".uq-far")).toBe(0);
  });

  it("draws a category of few rows as a hollow point", async () => {
    const multi = aboutMulti();
    const raw = wireFrame(multi, 1, { feature: "site" });
    new DataView(raw.cols["dependence.near"].buffer).setUint8(2, 0);
    const { root, one } = await mount(multi, raw);
    const hollow = [...root.querySelectorAll(".uq-curves .uq-points circle")].map((dot) =>
      dot.classList.contains("uq-hollow"),
    );
    expect(hollow).toEqual([false, false, true, false]);
    expect(root.querySelector(".uq-legend")?.textContent).toContain("hollow: hardly any data here");
    expect(one<HTMLInputElement>("uq-derivative").disabled).toBe(true);
    expect(one("uq-derivative").closest("label")?.title).toBe(
      "site is categorical, so its curve has no slope",
    );
  });

  it("draws the zero line for centred curves and derivatives only", () => {
    const chart = curves();
    const zero = chart.element.querySelector(".uq-zero");
    const data = frameOf({ center: true }).dependence;
    chart.update(data as never, 500, false);
    expect(zero?.getAttribute("visibility")).toBeNull();
    const axis = chart.element.querySelector(".uq-axis-left")?.textContent;
    expect(axis).toContain("0.0");
    chart.update(frameOf().dependence as never, 500, false);
    expect(zero?.getAttribute("visibility")).toBe("hidden");
  });

  it("requests centred curves and derivatives by their checkboxes", async () => {
    const { one, lastRequest, receive } = await mount(about);
    one<HTMLInputElement>("uq-center").click();
    expect(lastRequest()).toEqual({ center: true });
    await receive(wireFrame(about, 2, { center: true }));
    expect(one<HTMLInputElement>("uq-center").checked).toBe(true);
    one<HTMLInputElement>("uq-derivative").click();
    expect(lastRequest()).toEqual({ derivative: true });
    await receive(wireFrame(about, 3, { center: true, derivative: true }));
    expect(one<HTMLInputElement>("uq-derivative").checked).toBe(true);
    expect(one<HTMLInputElement>("uq-center").disabled).toBe(true);
    expect(one("uq-center").closest("label")?.title).toContain("the same wherever lines start");
    one<HTMLInputElement>("uq-clip").click();
    expect(lastRequest()).toMatchObject({ clip_lines: true });
  });

  it("draws one line per row on the canvas, by weight and with a dash per class", () => {
    const drawn: { dash: number[]; alpha: number }[] = [];
    const context = {
      globalAlpha: 1,
      dash: [] as number[],
      setLineDash(dash: number[]) {
        this.dash = dash;
      },
      stroke() {
        drawn.push({ dash: this.dash, alpha: this.globalAlpha });
      },
      ...Object.fromEntries(
        [
          "setTransform",
          "clearRect",
          "save",
          "restore",
          "beginPath",
          "rect",
          "clip",
          "moveTo",
          "lineTo",
        ].map((name) => [name, () => undefined]),
      ),
    };
    const chart = curves();
    vi.spyOn(chart.canvas, "getContext").mockReturnValue(context as never);
    const data = frameOf({ ice_lines: 8 }).dependence;
    data?.iceWeight.set([0, 1, 2, 1, 1, 1, 1, 1]);
    chart.update(data as never, 500, true);
    expect(drawn).toHaveLength(7);
    expect(drawn[1]?.alpha).toBeGreaterThan(drawn[0]?.alpha as number);
    expect(drawn[0]?.dash).not.toEqual(drawn[1]?.dash);
  });

  it("has a crosshair that moves along the grid by keyboard", async () => {
    const { root } = await mount(about, wireFrame(about, 1, { tau: 0.5 }));
    const reader = root.querySelector(".uq-dependence .uq-reader") as HTMLElement;
    expect(reader.getAttribute("role")).toBe("slider");
    press(reader, "Home");
    expect(reader.getAttribute("aria-valuetext")).toMatch(
      /^mean radius = 1, probability of benign 0\.9\d+, interval /,
    );
    press(reader, "ArrowRight");
    expect(reader.getAttribute("aria-valuenow")).toBe("1");
    press(reader, "End");
    expect(reader.getAttribute("aria-valuenow")).toBe("49");
    press(reader, "ArrowRight");
    expect(reader.getAttribute("aria-valuenow")).toBe("49");
    const card = root.querySelector<HTMLElement>(".uq-dependence .uq-tooltip");
    expect(card?.hidden).toBe(false);
    expect(card?.textContent).toContain("at τ = 0");
    press(reader, "Escape");
    expect(card?.hidden).toBe(true);
  });

  it("has a legend of its classes, and none without classes", async () => {
    const { root } = await mount(about);
    expect(root.querySelector(".uq-legend")?.textContent).toContain("malignant");
    clearPage();
    const regression = aboutRegression();
    const other = await mount(regression, wireFrame(regression, 1));
    expect(other.root.querySelector(".uq-legend")?.textContent).toContain("one line per row");
  });
});

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

describe("every chart", () => {
  it("has a name, a summary in words and its numbers as a table", async () => {
    const { root } = await mount(about, wireFrame(about, 1, { tau: 0.5 }));
    const figures = [...root.querySelectorAll("figure")];
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

describe("axes", () => {
  it("keep their domain while the data are inside, and reset it for another measure", () => {
    const steady = new SteadyScale();
    const domain = (key: string, range: [number, number]) =>
      steady.fit(key, range, [0, 100]).domain();
    expect(domain("nll", [0, 0.93])).toEqual([0, 1]);
    expect(domain("nll", [0.1, 0.8])).toEqual([0, 1]);
    expect(domain("nll", [0, 1.9])).toEqual([0, 2]);
    expect(domain("nll", [0, 0.4])).toEqual([0, 0.4]);
    expect(domain("entropy", [0.1, 0.39])).toEqual([0.1, 0.4]);
    expect(domain("flat", [3, 3])[0]).toBeLessThan(3);
    expect(domain("zero", [0, 0])).toEqual([0, 1]);
  });

  it("have no overlapping labels, and keep zero", () => {
    const scale = new SteadyScale().fit("x", [-0.1, 0.2], [0, 60]);
    const ticks = ticksOf(scale, 60, 60);
    const gap = (ticks[1]?.at ?? 0) - (ticks[0]?.at ?? 0);
    expect(gap).toBeGreaterThanOrEqual(20);
    expect(ticks.map(({ label }) => label)).toContain("0.0");
  });

  it.each([
    [-0.0004, 0.0009, 90, 58],
    [-0.00012, 0.00087, 92, 58],
    [0.04, 0.43, 92, 58],
    [-1, 1, 60, 58],
    [0.1, 0.13, 120, 58],
    [3, 19, 70, 58],
  ])("have two ticks at least, from %f to %f", (low, high, pixels, spacing) => {
    const scale = new SteadyScale().fit("x", [low, high], [0, pixels]);
    const ticks = ticksOf(scale, pixels, spacing);
    expect(ticks.length).toBeGreaterThanOrEqual(2);
    expect(new Set(ticks.map(({ label }) => label)).size).toBe(ticks.length);
  });

  it.each([
    [-0.003, 0.003, ["−0.002", "0.002"]],
    [-0.0029, 0.0061, ["0", "0.005"]],
  ])("of bars have labels that do not overlap, from %f to %f", (low, high, labels) => {
    const chart = bars();
    const column = {
      measure: "entropy", value: [0.0009], low: [low], high: [high], base: [0.0009], height: 19,
      learner: null, stressed: false, picked: 0, ghost: null, origin: 0, range: [[low, high]],
      sight: [0, 1] as const,
    }; // biome-ignore format: one line of numbers
    chart.update(column, 146);
    const ticks = [...chart.header.querySelectorAll("g.uq-axis g")].map((tick) => ({
      at: Number(/translate\(([^,]+)/.exec(tick.getAttribute("transform") ?? "")?.[1]),
      label: tick.textContent ?? "",
    }));
    expect(ticks.map(({ label }) => label)).toEqual(labels);
    const [first, second] = ticks as [(typeof ticks)[0], (typeof ticks)[0]];
    const widths = labelWidth([first.label]) + labelWidth([second.label]);
    expect(second.at - first.at).toBeGreaterThan(widths / 2);
  });

  it("ignore NaN", () => {
    expect(extent([Number.NaN, 2, 1, Number.POSITIVE_INFINITY])).toEqual([1, 2]);
    expect(extent([Number.NaN])).toBeNull();
  });
});

describe("the bounds of a measure", () => {
  const labels = (chart: { element: Element }) =>
    [...chart.element.querySelectorAll(".uq-axis-left text")].map(({ textContent }) =>
      Number(textContent?.replace("−", "-")),
    );

  it("limit the axis of a curve, but not of a centred curve", () => {
    const data = frameOf().dependence;
    data?.low.fill(-2);
    const chart = curves();
    chart.update(data as never, 500, false, null, [0, 1]);
    expect(Math.min(...labels(chart))).toBe(0);
    chart.update({ ...data, center: true } as never, 500, false, null, [0, 1]);
    expect(Math.min(...labels(chart))).toBeLessThan(0);
    chart.update({ ...data, feature: "other" } as never, 500, false);
    expect(Math.min(...labels(chart))).toBeLessThan(0);
  });

  it("is left alone where the axis follows the average, and single lines are cut", () => {
    const data = frameOf().dependence;
    data?.ice.fill(40, 0, 5);
    const chart = curves();
    chart.update(data as never, 500, false);
    expect(Math.max(...labels(chart))).toBeGreaterThanOrEqual(40);
    chart.update(data as never, 500, false, null, [null, null], null, true);
    const [low, high] = [Math.min(...(data?.low ?? [])), Math.max(...(data?.high ?? []))];
    expect(Math.max(...labels(chart))).toBeLessThan(high + (high - low));
  });

  it("limit the axis of an indicator", async () => {
    const bounded = {
      ...about,
      indicators: about.indicators.map((one) => ({ ...one, bounds: [0, 1] as const })),
    };
    const raw = wireFrame(bounded, 1);
    new Float64Array(raw.cols["stress.low"].buffer).fill(-2);
    new Float64Array(raw.cols["stress.high"].buffer).fill(3);
    const { root } = await mount(bounded, raw);
    const shown = labels({ element: root.querySelector(".uq-profile") as Element });
    expect(Math.min(...shown)).toBe(0);
    expect(Math.max(...shown)).toBeLessThanOrEqual(1);
  });

  it("leave room beside a constant at a bound", () => {
    const scale = new SteadyScale().fit("share", [1, 1], [0, 100], [0, 1]);
    expect(scale.domain()[0]).toBeLessThan(1);
    expect(scale.domain()[1]).toBe(1);
  });
});

describe("classes", () => {
  const looksOf = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const { colour, dash } = lookOf(i);
      return `${colour} ${dash.join(" ")}`;
    });

  it("differ in colour or dash: ten classes, and one style for the others", () => {
    expect(new Set(looksOf(11)).size).toBe(11);
    expect(new Set(Array.from({ length: 10 }, (_, i) => lookOf(i).className)).size).toBe(10);
    expect(lookOf(11)).toEqual(lookOf(300));
  });

  it("without their own style are one part of a stacked bar", () => {
    const shares = distribution();
    const counts = new Float64Array(300).fill(1 / 300);
    const spans: [number, number][] = [[0, 10]];
    shares.update({ counts, countsBase: counts, bins: 1, spans, ghost: false }, 0, 90);
    const parts = [...shares.element.querySelectorAll("rect")];
    expect(parts).toHaveLength(11);
    const heights = parts.map((part) => x(part, "height"));
    expect(heights.reduce((a, b) => a + b, 0)).toBeCloseTo(90, 0);
    expect(heights[10]).toBeCloseTo((290 / 300) * 90, 0);
  });
});

describe("a constant feature", () => {
  it("is a point with its interval", () => {
    const chart = curves();
    const data = frameOf().dependence as NonNullable<ReturnType<typeof frameOf>["dependence"]>;
    const one = (values: Float64Array) => values.slice(0, 1);
    const read = chart.update(
      {
        ...data,
        grid: Float64Array.of(2),
        edges: Float64Array.of(1.5, 2.5),
        bins: 1,
        counts: Float64Array.of(0.5, 0.5),
        countsBase: Float64Array.of(0.5, 0.5),
        average: one(data.average),
        low: one(data.low),
        high: one(data.high),
        base: one(data.base),
        near: data.near.slice(0, 1),
        ice: data.ice.slice(0, data.iceWeight.length),
      },
      500,
      false,
    );
    const points = chart.element.querySelectorAll(".uq-points:not(.uq-learner) circle");
    expect(points).toHaveLength(1);
    expect(points[0]?.getAttribute("visibility")).toBeNull();
    expect(read.positions).toHaveLength(1);
  });
});

describe("many categories", () => {
  it("are labelled as far as there is room", () => {
    const chart = curves();
    const data = frameOf().dependence as NonNullable<ReturnType<typeof frameOf>["dependence"]>;
    const labels = Array.from(data.grid, (_, i) => `2020-01-${String(i).padStart(2, "0")}`);
    chart.update({ ...data, categorical: true, labels, edges: null } as never, 500, false);
    const shown = [...chart.element.querySelectorAll(".uq-axis-bottom text")].map(
      ({ textContent }) => textContent,
    );
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.length).toBeLessThan(8);
    for (const text of shown) expect(labels).toContain(text);
    for (let width = 480; width < 560; width += 7) {
      chart.update({ ...data, categorical: true, labels, edges: null } as never, width, false);
      const last = [...chart.element.querySelectorAll(".uq-axis-bottom > g")].at(-1);
      const at = Number(/translate\(([\d.]+)/.exec(last?.getAttribute("transform") ?? "")?.[1]);
      expect(at + 30, `${width} pixels`).toBeLessThanOrEqual(width);
    }
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
