// The wire format: pytest writes a real frame to golden/frame.json, and this file reads it as the widget
// does. A change of the format on one side only fails one of the two tests.

import { afterEach, describe, expect, it } from "vitest";
import { readFrame } from "../../src/session/frame.ts";
import { readModelInfo } from "../../src/session/modelInfo.ts";
import { viewsNamed } from "../../src/views/index.ts";
import golden from "../golden/frame.json" with { type: "json" };
import { clearPage, mount } from "../mount.ts";

const bytes = (text: string) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const raw = {
  ...golden.frame,
  cols: Object.fromEntries(
    Object.entries(golden.frame.cols).map(([name, text]) => [
      name,
      new DataView(bytes(text).buffer),
    ]),
  ),
};

afterEach(clearPage);

describe("a frame written by Python", () => {
  const about = readModelInfo(golden.about);
  const frame = readFrame(viewsNamed, raw, about);

  it("has every part with consistent sizes", () => {
    const { importance, dependence, stress } = frame;
    expect(importance?.order.toSorted((a, b) => a - b)).toEqual(about.features.map((_, i) => i));
    expect(dependence?.ice).toHaveLength(
      (dependence?.grid.length ?? 0) * (dependence?.iceWeight.length ?? -1),
    );
    expect(stress?.taus).toContain(0);
    expect(frame.inputs.tau).toBeGreaterThanOrEqual(-1);
  });

  it("orders importance without stress, most important first", () => {
    const { order, base } = frame.importance as NonNullable<typeof frame.importance>;
    const values = order.map((i) => base[i] as number).filter(Number.isFinite);
    expect(values).toEqual(values.toSorted((a, b) => b - a));
  });

  it("has an interval around every average", () => {
    const { dependence } = frame;
    if (!dependence) throw new Error("no dependence in the golden frame");
    const { low, high, average } = dependence;
    for (let i = 0; i < average.length; i++) {
      expect(low[i]).toBeLessThanOrEqual(average[i] as number);
      expect(high[i]).toBeGreaterThanOrEqual(average[i] as number);
    }
  });

  it("has nonnegative weights, and shares that sum to one", () => {
    const { dependence } = frame;
    const sum = (values: ArrayLike<number> | undefined) =>
      Array.from(values ?? []).reduce((a, b) => a + b, 0);
    expect(sum(dependence?.counts)).toBeCloseTo(1, 6);
    expect(sum(dependence?.countsBase)).toBeCloseTo(1, 6);
    expect(Math.min(...(dependence?.iceWeight ?? []))).toBeGreaterThanOrEqual(0);
  });

  it("is painted", async () => {
    const { root, all, one } = await mount(about, raw);
    expect(root.dataset.seq).toBe(String(frame.seq));
    expect(all("uq-importance-row")).toHaveLength(about.features.length);
    expect(one("uq-error").hidden).toBe(frame.error === null);
    expect(root.querySelector(".uq-average, .uq-points circle")?.isConnected).toBe(true);
    expect(one("uq-footer").textContent).toContain("last change:");
  });
});
