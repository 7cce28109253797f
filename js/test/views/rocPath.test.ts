import { afterEach, describe, expect, it } from "vitest";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { clearPage, mount, painted } from "../mount.ts";

const info = {
  ...aboutBinary(),
  indicators: [
    { name: "tpr", label: "true positive rate of <b>yes</b>", unit: "" },
    { name: "fpr", label: "false positive rate of yes", unit: "" },
  ],
};
afterEach(clearPage);

function withRates(tau = 0) {
  const frame = wireFrame(info, 1, { tau, indicator: "tpr" });
  const length = frame.meta.cols["stress.end_taus"].shape[0] as number;
  for (const [name, slope] of [
    ["tpr", 0.4],
    ["fpr", 0.2],
  ] as const) {
    const rates = Float64Array.from({ length: 3 * length }, (_, i) => {
      const away = [0, -0.1, 0.2][Math.floor(i / length)] as number;
      return away + (slope * (i % length)) / (length - 1);
    });
    frame.cols[`stress.${name}`] = new DataView(rates.buffer);
    frame.meta.cols[`stress.${name}`] = { dtype: "f8", shape: [3, length] };
  }
  return frame;
}

describe("the ROC path", () => {
  it("is drawn with the dot of the present τ", async () => {
    const { one, root } = await mount(info, withRates(0.5));
    await painted();
    const panel = one("uq-roc");
    const path = panel.querySelector(".uq-roc-path")?.getAttribute("d") ?? "";
    const [first, last] = [path.slice(1).split("L")[0], path.split("L").at(-1)] as [string, string];
    const point = (text: string) => text.split(",").map(Number) as [number, number];
    const [[x0, y0], [x1, y1]] = [point(first), point(last)];
    const dot = panel.querySelector(".uq-now");
    expect((Number(dot?.getAttribute("cx")) - x0) / (x1 - x0)).toBeCloseTo(0.75, 1);
    expect((y0 - Number(dot?.getAttribute("cy"))) / (y0 - y1)).toBeCloseTo(0.75, 1);
    const bars = panel.querySelector(".uq-roc-interval")?.getAttribute("d") ?? "";
    const [left, row, right, column, top, bottom] = (bars.match(/[\d.]+/g) ?? []).map(Number);
    // The axes are 200 pixels long.
    expect([(right as number) - (left as number), row]).toEqual([
      expect.closeTo(60, 1),
      Number(dot?.getAttribute("cy")),
    ]);
    expect((top as number) - (bottom as number)).toBeCloseTo(60, 1);
    expect(column).toBeCloseTo(Number(dot?.getAttribute("cx")), 1);
    expect(panel.textContent).toContain("true positive rate of <b>yes</b>");
    expect(root.querySelector(".uq-roc b")).toBeNull();
  });

  it("is not there for another indicator", async () => {
    const { all } = await mount(info, wireFrame(info, 1));
    await painted();
    expect(all("uq-roc")).toEqual([]);
  });
});
