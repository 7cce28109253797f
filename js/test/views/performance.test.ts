import { afterEach, describe, expect, it } from "vitest";
import { aboutBinary, aboutMulti, aboutRegression, wireFrame } from "../fixtures.ts";
import { clearPage, mount, painted } from "../mount.ts";

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

  it("writes the decimals of a score that its interval gives a meaning to", async () => {
    const about = aboutBinary();
    const frame = wireFrame(about, 1);
    const ends = { value: 0.04684, low: 0.03331, high: 0.06129 };
    const large = { value: 10.3987, low: 9.9312, high: 11.0004 };
    frame.meta.performance.scores = [ends, large].map((one) => ({
      ...{ label: "error rate", unit: "", base: null },
      ...one,
    }));
    const { root } = await mount(about, frame);
    expect(cells(panelOf(root), ".uq-scores tbody td")).toEqual([
      ...["0.047", "0.033 to 0.061"],
      ...["10.4", "9.9 to 11.0"],
    ]);
  });

  it("shows the confusion of classes as shares of the true class", async () => {
    const about = aboutBinary();
    const { root } = await mount(about, wireFrame(about, 1));
    const confusion = panelOf(root).querySelector(".uq-confusion") as HTMLElement;
    expect(cells(confusion, "tbody tr")).toEqual(["malignant90 %6010 %7", "benign10 %790 %60"]);
    expect(panelOf(root).textContent).toContain("Probability that target is benign");
  });

  it("shades errors alone, the most frequent one darkest", async () => {
    const about = aboutMulti();
    const frame = wireFrame(about, 1);
    const share = new Float64Array([0.3, 0.02, 0.01, 0, 0.33, 0, 0, 0, 0.34]);
    frame.cols["performance.confusion"] = new DataView(share.buffer);
    const { root } = await mount(about, frame);
    const shades = [...panelOf(root).querySelectorAll<HTMLElement>(".uq-confusion td")].map((td) =>
      td.style.getPropertyValue("--uq-share"),
    );
    expect(shades).toEqual(["12%", "85%", "43%", "", "12%", "", "", "", "12%"]);
  });

  it("selects the rows of a cell and watches the log-odds of both classes", async () => {
    const about = aboutBinary();
    const { root, model } = await mount(about, wireFrame(about, 1));
    const cell = panelOf(root).querySelectorAll<HTMLButtonElement>(".uq-confusion button");
    expect([...cell].map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1, -1]);
    cell[0]?.focus();
    cell[0]?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    expect([...cell].map(({ tabIndex }) => tabIndex)).toEqual([-1, 0, -1, -1]);
    expect(cell[1]?.getAttribute("aria-label")).toBe(
      "true malignant, predicted benign: 10 %, 7 rows",
    );
    cell[1]?.click();
    expect(model.get("selection")).toEqual([
      { feature: null, values: ["malignant"] },
      { predicted: ["benign"] },
    ]);
    expect(model.get("measure")).toBe("margin:benign:malignant");
    await painted();
    // What is watched has its place among the measures, though it is none of those that are offered.
    const watch = root.querySelector("[data-testid=uq-measure]") as HTMLSelectElement;
    expect(watch.value).toBe("margin:benign:malignant");
    cell[0]?.click();
    expect(model.get("measure")).toBe("margin:benign:malignant");
  });

  it("watches the log-odds in the map of pixels too, where there is one", async () => {
    const about = aboutBinary();
    const { root, model } = await mount(about, wireFrame(about, 1, { image_rows: 5 }));
    panelOf(root).querySelectorAll<HTMLButtonElement>(".uq-confusion button")[2]?.click();
    expect(model.get("importance_of")).toEqual(["margin:malignant:benign"]);
  });

  it("has a column for predicted labels that are none of the classes", async () => {
    const about = aboutBinary();
    const frame = wireFrame(about, 1);
    frame.meta.performance.labels = ["malignant", "benign", "unsure"];
    const share = new Float64Array([0.3, 0.1, 0.1, 0, 0.5, 0, 0, 0, 0]);
    frame.cols["performance.confusion"] = new DataView(share.buffer);
    frame.meta.cols["performance.confusion"].shape = [3, 3];
    frame.cols["performance.confusion_rows"] = new DataView(new Int32Array(9).fill(5).buffer);
    frame.meta.cols["performance.confusion_rows"].shape = [3, 3];
    const { root } = await mount(about, frame);
    const confusion = panelOf(root).querySelector(".uq-confusion") as HTMLElement;
    expect(cells(confusion, "thead th")).toEqual(["true class", "malignant", "benign", "unsure"]);
    expect(cells(confusion, "tbody tr")[0]).toBe("malignant60 %520 %520 %5");
  });

  it("says the verdict, names the points that miss, and has a crosshair", async () => {
    const about = aboutBinary();
    const { root } = await mount(about, wireFrame(about, 1));
    expect(cells(panelOf(root), ".uq-calibration-verdict")[0]).toMatch(/^Too sure above 0.5/);
    // Of p and p², more than 0.1 apart for 8 of 10 points.
    expect(panelOf(root).textContent).toContain("8 of 10 intervals miss their probability");
    expect(cells(panelOf(root), ".uq-missed text")).toHaveLength(8);
    expect(cells(panelOf(root), ".uq-missed text")[0]).toBe("0.18");
    const reader = panelOf(root).querySelector("[role=slider]") as HTMLElement;
    reader.dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
    expect(reader.getAttribute("aria-valuetext")).toContain("predicted 0.909");
  });

  it("stretches both ends of the calibration on request", async () => {
    const about = aboutBinary();
    const { root } = await mount(about, wireFrame(about, 1, { logit: true }));
    const labels = cells(panelOf(root), ".uq-axis-left text");
    expect(labels).toEqual(["0.1", "0.5", "0.9"]);
    const box = panelOf(root).querySelector("[data-testid=uq-logit]") as HTMLInputElement;
    expect(box.checked).toBe(true);
  });

  it("shows calibration and sharpness along a column, with few rows hollow", async () => {
    const about = aboutBinary();
    const frame = wireFrame(about, 1, { calibration_by: "mean radius" });
    const column = (
      name: string,
      dtype: string,
      values: Float64Array | Uint8Array | Int32Array,
    ) => {
      frame.cols[`performance.along_${name}`] = new DataView(values.buffer);
      frame.meta.cols[`performance.along_${name}`] = { dtype, shape: [values.length] };
    };
    frame.meta.performance.along = {
      by: "mean radius",
      names: ["1 to 2", "2 to 3"],
      event: "target is benign",
      of_sharpness: "probability of the most probable class",
      nominal: null,
      verdict: "Too high where mean radius is 2 to 3: predicted 80 % on average, observed 50 %.",
    };
    for (const [name, values] of Object.entries({
      predicted: [0.5, 0.8],
      observed: [0.5, 0.5],
      low: [0.3, 0.4],
      high: [0.7, 0.6],
      sharpness: [0.7, 0.9],
    }))
      column(name, "f8", Float64Array.from(values));
    column("rows", "i4", Int32Array.of(10, 133));
    column("outside", "u1", Uint8Array.of(0, 1));
    column("few", "u1", Uint8Array.of(1, 0));
    const { root } = await mount(about, frame);
    expect(cells(panelOf(root), ".uq-calibration-verdict")[1]).toContain(
      "Too high where mean radius is 2 to 3",
    );
    expect(panelOf(root).textContent).toContain("Hollow: fewer than 30 effective rows.");
    const chart = panelOf(root).querySelectorAll(".uq-figure")[1] as HTMLElement;
    expect(chart.querySelectorAll(".uq-hollow")).toHaveLength(1);
    expect([...chart.querySelectorAll(".uq-missed circle:not([visibility])")]).toHaveLength(1);
    expect(cells(chart, ".uq-row-name")).toEqual(["1 to 2", "2 to 3"]);
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
