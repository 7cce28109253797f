import { afterEach, describe, expect, it } from "vitest";
import { labelWidth, ticksOf } from "../../src/charts/axis.ts";
import { bars } from "../../src/charts/bars.ts";
import { curves } from "../../src/charts/curves.ts";
import { extent, SteadyScale } from "../../src/charts/domain.ts";
import { readFrame } from "../../src/session/frame.ts";
import { viewsNamed } from "../../src/views/index.ts";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { clearPage, mount } from "../mount.ts";

const about = aboutBinary();

afterEach(clearPage);

const frameOf = (changes = {}, of = about) => readFrame(viewsNamed, wireFrame(of, 1, changes), of);

function ticksOfBars(low: number, high: number, width: number) {
  const chart = bars();
  const column = {
    measure: "entropy", value: [0.0009], low: [low], high: [high], base: [0.0009], height: 19,
    learner: null, stressed: false, picked: 0, ghost: null, origin: 0, range: [[low, high]],
    sight: [0, 1] as const,
  }; // biome-ignore format: one line of numbers
  chart.update(column, width);
  return [...chart.header.querySelectorAll("g.uq-axis g")].map((tick) => ({
    at: Number(/translate\(([^,]+)/.exec(tick.getAttribute("transform") ?? "")?.[1]),
    label: tick.textContent ?? "",
  }));
}

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
    [-1000, 4000, ["−1,000", "0", "1,000", "2,000", "3,000", "4,000"]],
    [-0.00002, 0.00004, ["0", "4e-5"]],
  ])(
    "of bars have labels that do not overlap or leave the column, from %f to %f",
    (low, high, labels) => {
      const ticks = ticksOfBars(low, high, low < -1 ? 400 : 146);
      expect(ticks.map(({ label }) => label)).toEqual(labels);
      const [first, second] = ticks as [(typeof ticks)[0], (typeof ticks)[0]];
      const widths = labelWidth([first.label]) + labelWidth([second.label]);
      expect(second.at - first.at).toBeGreaterThan(widths / 2);
      expect(first.at).toBeGreaterThanOrEqual(labelWidth([first.label]) / 2 - 1);
    },
  );

  it("of bars have space between their labels at every width", () => {
    for (const end of [0.0062, 0.0069, 0.013, 0.62, 650])
      for (let width = 160; width < 420; width += 6) {
        const ticks = ticksOfBars(-end, 0.97 * end, width);
        ticks.slice(1).forEach(({ at, label }, i) => {
          const before = ticks[i] as (typeof ticks)[0];
          const room = at - before.at - (labelWidth([label]) + labelWidth([before.label])) / 2;
          expect(room, `${before.label} ${label} at ${width}`).toBeGreaterThan(2);
        });
      }
  });

  it("of bars in a narrow column leave out the labels that would touch", () => {
    let left = 0;
    for (const end of [0.0062, 0.021, 0.62])
      for (let width = 60; width < 160; width += 4) {
        const ticks = ticksOfBars(-end, 0.97 * end, width);
        const shown = ticks.filter(({ label }) => label);
        expect(shown.length).toBeGreaterThan(0);
        expect(shown.at(-1)).toBe(ticks.at(-1));
        left += ticks.length - shown.length;
        shown.slice(1).forEach(({ at, label }, i) => {
          const before = shown[i] as (typeof shown)[0];
          const room = at - before.at - (labelWidth([label]) + labelWidth([before.label])) / 2;
          expect(room, `${before.label} ${label} at ${width}`).toBeGreaterThan(2);
        });
      }
    expect(left).toBeGreaterThan(0);
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
    chart.update(data as never, 500, { bounds: [0, 1] });
    expect(Math.min(...labels(chart))).toBe(0);
    chart.update({ ...data, center: true } as never, 500, { bounds: [0, 1] });
    expect(Math.min(...labels(chart))).toBeLessThan(0);
    chart.update({ ...data, feature: "other" } as never, 500);
    expect(Math.min(...labels(chart))).toBeLessThan(0);
  });

  it("is left alone where the axis follows the average, and single lines are cut", () => {
    const data = frameOf().dependence;
    data?.ice.fill(40, 0, 5);
    const chart = curves();
    chart.update(data as never, 500);
    expect(Math.max(...labels(chart))).toBeGreaterThanOrEqual(40);
    chart.update(data as never, 500, { clips: true });
    const [low, high] = [Math.min(...(data?.low ?? [])), Math.max(...(data?.high ?? []))];
    expect(Math.max(...labels(chart))).toBeLessThan(high + (high - low));
  });

  it("limit the axis of an indicator", async () => {
    const bounded = {
      ...about,
      indicators: about.indicators.map((one) => ({ ...one, bounds: [0, 1] as const })),
    };
    const raw = wireFrame(bounded, 1);
    const ends = new Float64Array(raw.cols["stress.ends"].buffer);
    ends.fill(-2).fill(3, ends.length / 2);
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
