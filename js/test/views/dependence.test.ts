import { afterEach, describe, expect, it, vi } from "vitest";
import { categoryRows } from "../../src/charts/categoryRows.ts";
import { curves } from "../../src/charts/curves.ts";
import { readFrame } from "../../src/session/frame.ts";
import { categoryChart } from "../../src/views/dependence/curveDetails/categories.ts";
import type { Dependence } from "../../src/views/dependence/reader.ts";
import { viewsNamed } from "../../src/views/index.ts";
import { aboutBinary, aboutMulti, aboutRegression, wireFrame } from "../fixtures.ts";
import { choose, clearPage, mount, openMore, press } from "../mount.ts";

const about = aboutBinary();

afterEach(clearPage);

const x = (element: Element | null | undefined, name: string) =>
  Number(element?.getAttribute(name));
const frameOf = (changes = {}, of = about) => readFrame(viewsNamed, wireFrame(of, 1, changes), of);

describe("dependence", () => {
  it("draws the average through every grid point, the band, and the ghost only under stress", () => {
    const chart = curves();
    const points = (path: Element | null) => path?.getAttribute("d")?.match(/[ML]/g)?.length ?? 0;
    const find = (name: string) => chart.element.querySelector(`.uq-clip > ${name}`);
    chart.update(frameOf().dependence as never, 500);
    expect(points(find(".uq-average"))).toBe(50);
    expect(find(".uq-band")?.getAttribute("d")).toMatch(/Z$/);
    expect(points(find(".uq-ghost"))).toBe(0);
    chart.update(frameOf({ tau: 0.5 }).dependence as never, 500, { stressed: true });
    expect(points(find(".uq-ghost"))).toBe(50);
    expect(chart.element.querySelectorAll(".uq-distribution rect")).toHaveLength(40);
  });

  it("says where a change is not clear from these rows", async () => {
    for (const isClear of [true, false]) {
      const frame = wireFrame(about, 1);
      const length = frame.meta.cols["dependence.low"].shape[0];
      const ends = (value: number) => new DataView(new Float64Array(length).fill(value).buffer);
      if (!isClear) {
        frame.cols["dependence.low"] = ends(-1);
        frame.cols["dependence.high"] = ends(2);
      }
      const { root } = await mount(about, frame);
      const text = root.querySelector(".uq-dependence figure > .uq-sr")?.textContent;
      expect(text?.includes("A change is not clear from these rows.")).toBe(!isClear);
      clearPage();
    }
  });

  it("leaves a gap where the average is missing", () => {
    const chart = curves();
    const data = frameOf().dependence;
    data?.average.fill(Number.NaN, 10, 20);
    chart.update(data as never, 500);
    expect(chart.element.querySelector(".uq-average")?.getAttribute("d")?.match(/M/g)).toHaveLength(
      2,
    );
  });

  it("draws categories as rows: points with bars beside their names, and shares of the rows", () => {
    const multi = aboutMulti();
    const chart = categoryRows();
    const data = frameOf({ feature: "site" }, multi).dependence as Dependence;
    const read = chart.update(data, 500, { stressed: true }, [0, 1, 2, 3]);
    const { element } = chart;
    expect(element.querySelectorAll(".uq-points:not(.uq-learner) circle")).toHaveLength(4);
    const texts = (name: string) =>
      [...element.querySelectorAll(name)].map(({ textContent }) => textContent);
    const [north, , east] = texts(".uq-row-name");
    expect([north, east]).toEqual(["north", "a very long name of a pla…"]);
    expect(texts("title")).toEqual(data.labels);
    expect(texts(".uq-row-share").every((text) => /^\d+ %$/.test(text ?? ""))).toBe(true);
    expect(read.isVertical).toBe(true);
    expect(read.positions).toEqual([...read.positions].sort((a, b) => a - b));
    expect(read.reading(1).title).toBe("site = south");
    expect(read.reading(1).rows.at(-1)).toEqual(["share of rows", texts(".uq-row-share")[1]]);
    const widths = [...(element.querySelector(".uq-distribution g")?.children ?? [])];
    const total = widths.reduce((sum, rect) => sum + x(rect, "width"), 0);
    expect(total).toBeLessThanOrEqual(64.5);
    expect(total).toBeGreaterThan(0);
  });

  it("is dotted where few rows are near, which the crosshair reads out", () => {
    const chart = curves();
    const data = frameOf().dependence;
    data?.near.fill(0, 40);
    const read = chart.update(data as never, 500);
    const points = (name: string) =>
      chart.element.querySelector(name)?.getAttribute("d")?.match(/[ML]/g)?.length ?? 0;
    expect(points(".uq-average")).toBe(40);
    expect(points(".uq-far")).toBe(50);
    expect(read.reading(39).rows.flat()).not.toContain("rows around it");
    expect(read.reading(40).rows.at(-1)).toEqual(["rows around it", "few"]);
    data?.near.fill(1);
    chart.update(data as never, 500);
    expect(points(".uq-far")).toBe(0);
  });

  it("draws a category of few rows as a hollow point", async () => {
    const multi = aboutMulti();
    const raw = wireFrame(multi, 1, { feature: "site" });
    new DataView(raw.cols["dependence.near"].buffer).setUint8(2, 0);
    const { root, one } = await mount(multi, raw);
    await openMore(one("uq-dependence-options"));
    const hollow = [...root.querySelectorAll(".uq-curves .uq-points:not(.uq-learner) circle")].map(
      (dot) => dot.classList.contains("uq-hollow"),
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
    chart.update(data as never, 500);
    expect(zero?.getAttribute("visibility")).toBeNull();
    const axis = chart.element.querySelector(".uq-axis-left")?.textContent;
    expect(axis).toContain("0.0");
    chart.update(frameOf().dependence as never, 500);
    expect(zero?.getAttribute("visibility")).toBe("hidden");
  });

  it("requests centred curves and derivatives by their checkboxes", async () => {
    const { one, lastRequest, receive } = await mount(about);
    await openMore(one("uq-dependence-options"));
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
    await receive(wireFrame(about, 4, { clip_lines: true }));
    choose(one<HTMLSelectElement>("uq-lines"), "9000");
    expect(lastRequest()).toEqual({ ice_lines: 5000 });
  });

  it("draws one line per row on the canvas, by weight and with a dash per class", () => {
    const drawn: { dash: number[]; alpha: number }[] = [];
    const clipped: number[] = [];
    const context = {
      globalAlpha: 1,
      dash: [] as number[],
      setLineDash(dash: number[]) {
        this.dash = dash;
      },
      stroke() {
        drawn.push({ dash: this.dash, alpha: this.globalAlpha });
      },
      rect(...box: number[]) {
        clipped.push(...box);
      },
      ...Object.fromEntries(
        [
          "setTransform",
          "clearRect",
          "save",
          "restore",
          "beginPath",
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
    chart.update(data as never, 500, { stressed: true });
    expect(drawn).toHaveLength(7);
    expect(drawn[1]?.alpha).toBeGreaterThan(drawn[0]?.alpha as number);
    expect(drawn[0]?.dash).not.toEqual(drawn[1]?.dash);
    expect(clipped).toHaveLength(4);
    expect(clipped.every(Number.isInteger)).toBe(true); // within parts of pixels it takes twice as long
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

describe("a constant feature", () => {
  it("is a point with its interval", () => {
    const chart = categoryRows();
    const data = frameOf().dependence as NonNullable<ReturnType<typeof frameOf>["dependence"]>;
    const one = (values: Float64Array) => values.slice(0, 1);
    const read = chart.update(
      {
        ...data,
        grid: Float64Array.of(2),
        isApart: true,
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
      {},
      [0],
    );
    const points = chart.element.querySelectorAll(".uq-points:not(.uq-learner) circle");
    expect(points).toHaveLength(1);
    expect(points[0]?.getAttribute("visibility")).toBeNull();
    expect(read.positions).toHaveLength(1);
  });
});

describe("many categories", () => {
  it("fold the rarest, and say their share; a button shows all", () => {
    const data = frameOf().dependence as Dependence;
    const chart = categoryChart(new AbortController().signal, () => draw());
    const labels = Array.from(data.grid, (_, i) => `site ${i}`);
    const counts = Float64Array.from(data.grid, (_, i) => (i + 1) / 1275);
    const apart = { ...data, labels, edges: null, categorical: true, isApart: true, bins: 50 };
    const draw = () => chart.update({ ...apart, counts, countsBase: counts }, 500, {});
    const shown = () =>
      [...chart.element.querySelectorAll(".uq-row-name")].map(({ textContent }) => textContent);
    draw();
    expect(shown()).toEqual(labels.slice(38));
    expect(chart.foot.textContent).toContain("+ 38 more values, 58 % of the rows");
    chart.foot.querySelector("button")?.click();
    expect(shown()).toEqual(labels);
    expect(chart.foot.textContent).toContain("show fewer");
  });

  it("stand in the order of their dtype, by the number of their rows, or by the average", () => {
    const data = frameOf().dependence as Dependence;
    const labels = ["low", "middle", "high"];
    const counts = Float64Array.of(0.3, 0.5, 0.2);
    const values = { base: Float64Array.of(2, 1, 3), average: Float64Array.of(2, 1, 3) };
    const sizes = { grid: Float64Array.of(0, 1, 2), bins: 3, counts, countsBase: counts };
    const apart = { ...data, labels, edges: null, categorical: true, isApart: true };
    const chart = categoryChart(new AbortController().signal, () => undefined);
    const shown = (order: string) => {
      chart.update({ ...apart, ...sizes, ...values } as Dependence, 500, { order });
      return [...chart.element.querySelectorAll(".uq-row-name")].map((one) => one.textContent);
    };
    expect(shown("")).toEqual(labels);
    expect(shown("count")).toEqual(["middle", "low", "high"]);
    expect(shown("value")).toEqual(["high", "low", "middle"]);
  });
});
