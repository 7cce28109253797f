import { afterEach, describe, expect, it } from "vitest";
import { aboutBinary, aboutRegression, wireFrame } from "../fixtures.ts";
import { clearPage, mount } from "../mount.ts";

afterEach(clearPage);

const panelOf = (root: HTMLElement) => root.querySelector(".uq-performance") as HTMLElement;
const cells = (parent: ParentNode, selector: string) =>
  [...parent.querySelectorAll(selector)].map(({ textContent }) => textContent);

describe("the performance view", () => {
  it("lists each score with its interval and its value without stress", async () => {
    const about = aboutBinary();
    const { root } = await mount(about, wireFrame(about, 1, { tau: 0.5 }));
    const scores = panelOf(root).querySelector(".uq-scores") as HTMLElement;
    expect(cells(scores, "thead th")).toEqual(["score", "value", "95 % interval", "at τ = 0"]);
    expect(cells(scores, "tbody tr:first-child > *")).toEqual([
      "error rate",
      "0.08",
      "0.04 to 0.16",
      "0.08",
    ]);
    expect(cells(scores, "tbody tr:last-child td")).toEqual([
      "not available",
      "no interval",
      "not available",
    ]);
  });

  it("shows the confusion of classes as shares of the true class", async () => {
    const about = aboutBinary();
    const { root } = await mount(about, wireFrame(about, 1));
    const confusion = panelOf(root).querySelector(".uq-confusion") as HTMLElement;
    expect(cells(confusion, "tbody tr")).toEqual(["malignant90 %10 %", "benign10 %90 %"]);
    expect(panelOf(root).textContent).toContain("Probability that target is benign");
  });

  it("has a column for predicted labels that are none of the classes", async () => {
    const about = aboutBinary();
    const frame = wireFrame(about, 1);
    frame.meta.performance.labels = ["malignant", "benign", "unsure"];
    const share = new Float64Array([0.3, 0.1, 0.1, 0, 0.5, 0, 0, 0, 0]);
    frame.cols["performance.confusion"] = new DataView(share.buffer);
    frame.meta.cols["performance.confusion"].shape = [3, 3];
    const { root } = await mount(about, frame);
    const confusion = panelOf(root).querySelector(".uq-confusion") as HTMLElement;
    expect(cells(confusion, "thead th")).toEqual(["true class", "malignant", "benign", "unsure"]);
    expect(cells(confusion, "tbody tr")[0]).toBe("malignant60 %20 %20 %");
  });

  it("counts intervals that do not contain the prediction, and has a crosshair", async () => {
    const about = aboutBinary();
    const { root } = await mount(about, wireFrame(about, 1));
    // Of p and p², more than 0.1 apart for 8 of 10 points.
    expect(panelOf(root).textContent).toContain("8 of 10 intervals do not hold");
    const reader = panelOf(root).querySelector("[role=slider]") as HTMLElement;
    reader.dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
    expect(reader.getAttribute("aria-valuetext")).toContain("predicted 0.909");
  });

  it("shows the points of a regression, darker for larger weights", async () => {
    const about = aboutRegression();
    const frame = wireFrame(about, 1);
    const weights = new Float32Array(30).fill(0.5);
    weights[3] = 1.5;
    frame.cols["performance.weight"] = new DataView(weights.buffer);
    const { root } = await mount(about, frame);
    const dots = [...panelOf(root).querySelectorAll(".uq-dots circle")];
    expect(dots).toHaveLength(30);
    const opacity = dots.map((dot) => Number(dot.getAttribute("opacity")));
    expect(opacity[3]).toBeGreaterThan(opacity[2] as number);
    expect(panelOf(root).querySelector(".uq-confusion")).toBeNull();
  });

  it("is hidden without the true target", async () => {
    const about = { ...aboutBinary(), target: null, classes: [] };
    const frame = wireFrame(aboutBinary(), 1);
    frame.meta.performance = null;
    const { root } = await mount(about, frame);
    expect(panelOf(root).hidden).toBe(true);
  });

  it("shows names as text", async () => {
    const about = { ...aboutBinary(), classes: ["<b>yes</b>", "no"] };
    const { root } = await mount(about, wireFrame(about, 1));
    expect(panelOf(root).querySelector("b")).toBeNull();
    expect(panelOf(root).textContent).toContain("<b>yes</b>");
  });
});
