import { afterEach, describe, expect, it } from "vitest";
import { clarity } from "../../src/views/comparison/clarity.ts";
import { aboutBinary, aboutMulti, inputsOf, wireFrame } from "../fixtures.ts";
import { choose, clearPage, mount } from "../mount.ts";

afterEach(clearPage);

const about = () => ({
  ...aboutMulti(),
  others: ["<b>boosting</b>", "line"],
  views: [...aboutBinary().views, "comparison"],
});
const panelOf = (root: HTMLElement) => root.querySelector(".uq-comparison") as HTMLElement;

/** A frame with differences of two features by one measure, of a curve over categories, and of scores. */
function compared(info = about()) {
  const frame = wireFrame(info, 1, { compare_with: "model:line" });
  const units = info.features.map(({ name }) => name);
  const value = units.map((_, i) => i - 1);
  const curve = [0.5, Number.NaN];
  const stress = [-0.5, 0, 0.5];
  const columns = {
    importance: value,
    importance_low: value.map((v) => v - 0.5),
    importance_high: value.map((v) => v + 0.5),
    curve_grid: [0, 1],
    ...{ curve, curve_low: curve, curve_high: curve },
    stress_grid: [-1, 0, 1],
    ...{ stress, stress_low: stress, stress_high: stress },
  };
  for (const [name, values] of Object.entries(columns)) {
    frame.cols[`comparison.${name}`] = new DataView(Float64Array.from(values).buffer);
    const shape = name.startsWith("importance") ? [1, units.length] : [values.length];
    frame.meta.cols[`comparison.${name}`] = { dtype: "f8", shape };
  }
  frame.meta.comparison = {
    stale: false,
    first: "forest",
    second: "line",
    level: 0.95,
    scores: [
      {
        name: "error_rate",
        label: "error rate",
        unit: "",
        first: 0.1,
        second: 0.2,
        value: -0.1,
        low: -0.2,
        high: 0,
      },
      {
        name: "nll",
        label: "nll",
        unit: "nats",
        first: 1,
        second: null,
        value: null,
        low: null,
        high: null,
      },
    ],
    curve: { feature: "site", label: "probability", unit: "", labels: ["<b>a</b>", "b"] },
    stress: { feature: "petal length", label: "error rate", unit: "" },
    importance: [{ label: "likelihood loss", unit: "nats" }],
    units,
  };
  return frame;
}

describe("the comparison", () => {
  it("says of which level of τ it is, and that it follows when τ rests", async () => {
    const info = about();
    for (const [tau, note] of [
      [0.25, "forest minus line at τ = 0.25"],
      [0.5, "forest minus line at τ = 0.25; other levels follow when τ rests"],
    ] as const) {
      const frame = compared(info);
      frame.inputs.tau = tau;
      frame.meta.comparison.tau = 0.25;
      const { root, model, receive } = await mount(info, frame);
      const panel = panelOf(root);
      const text = () =>
        panel.querySelector(".uq-note")?.textContent?.replace(/[\u2068\u2069]/g, "");
      expect(text()).toBe(note);
      Object.assign(model, { isStill: true });
      await receive({ ...frame, seq: 2 });
      const inPage = "this page holds no differences at this τ";
      expect(text()).toBe(note.replace("other levels follow when τ rests", inPage));
      expect(panel.dataset.stale).toBe(tau === 0.25 ? undefined : "true");
      clearPage();
    }
  });

  it("shows differences with their intervals, and names only as text", async () => {
    const info = about();
    const { root, one } = await mount(info, compared(info));
    const panel = panelOf(root);
    expect(panel.hidden).toBe(false);
    expect(panel.textContent).toContain("forest minus line");
    expect(panel.querySelectorAll(".uq-bar")).toHaveLength(info.features.length);
    expect(panel.querySelectorAll(".uq-difference-names > div")).toHaveLength(info.features.length);
    const dots = [...panel.querySelectorAll(".uq-difference-dots circle")];
    expect(dots.map((dot) => dot.getAttribute("visibility"))).toEqual([null, "hidden"]);
    const lines = [...panel.querySelectorAll(".uq-difference-line")];
    expect(lines.map((line) => line.getAttribute("d")?.match(/[ML]/g)?.length ?? 0)).toEqual([
      0, 3,
    ]);
    const cells = [...panel.querySelectorAll(".uq-difference-scores td")];
    expect(cells.map(({ textContent }) => textContent)).toEqual([
      ...["0.1", "0.2", "−0.1", "−0.200 to 0.000not clear"],
      ...["1", "not available", "not available", "no interval"],
    ]);
    // The second of the features has a difference around 0; its dot is hollow, and a line says why.
    const names = [...panel.querySelectorAll(".uq-difference-names > div")];
    const rows = [...panel.querySelectorAll(".uq-bar")];
    const hollow = names.filter((_, i) => rows[i]?.classList.contains("uq-unclear"));
    expect(hollow.map(({ textContent }) => textContent)).toEqual([info.features[1]?.name]);
    expect(one("uq-comparison-hollow").hidden).toBe(false);
    const captions = [...panel.querySelectorAll(".uq-difference-others .uq-caption")];
    expect(captions.map(({ textContent }) => textContent)).toEqual([
      "The difference is clearly above zero at 1 point.",
      "The difference is clearly above zero at 1 point, clearly below zero at 1 point, not clear from these rows at 1 point.",
    ]);
    // τ is marked in the line over τ alone.
    const rules = [...panel.querySelectorAll(".uq-rule")];
    expect(rules.map((rule) => rule.getAttribute("visibility"))).toEqual(["hidden", null]);
    expect(panel.querySelector("b")).toBeNull();
  });

  it("says what is clear, and that the others are not clear from these rows", () => {
    expect(clarity([1, -3, -1, Number.NaN], [2, -1, 1, 2], "feature")).toBe(
      "The difference is clearly above zero at 1 feature, clearly below zero at 1 feature, " +
        "not clear from these rows at 1 feature.",
    );
    expect(clarity([Number.NaN], [Number.NaN], "point")).toBe("The difference has no interval.");
    expect(clarity([0], [0], "point")).toContain("not clear from these rows at 1 point");
  });

  it("offers the other models, and asks for the one that is chosen", async () => {
    const info = about();
    const { one, lastRequest } = await mount(info, compared(info));
    const select = one<HTMLSelectElement>("uq-compare-with");
    expect([...select.options].map(({ value }) => value)).toEqual([
      "",
      "model:<b>boosting</b>",
      "model:line",
    ]);
    choose(select, "");
    expect(lastRequest()).toEqual({ compare_with: "" });
  });

  it("says that there are no differences yet, and is not there without another model", async () => {
    const info = about();
    const frame = wireFrame(info, 1, { compare_with: "model:line" });
    frame.meta.final = false;
    const { root } = await mount(info, frame);
    expect(panelOf(root).querySelector(".uq-empty")?.textContent).toBe("no differences yet");
    clearPage();
    const alone = { ...aboutBinary(), views: info.views };
    const other = await mount(alone, wireFrame(alone, 1));
    // Its code is not even loaded.
    expect(panelOf(other.root)).toBeNull();
    expect(inputsOf(alone).compare_with).toBe("");
  });

  it("offers the other rows, cohorts, classes and the learner, and says why nothing is compared", async () => {
    const measure = { name: "probability:<i>a</i>", label: "probability", unit: "" };
    const info = { ...about(), others: [], measures: [...about().measures, measure] };
    const ice_filter = [{ feature: "site", values: ["a"] }];
    const cohorts = [{ name: "<b>few</b>", ice_filter, complement: true }];
    const frame = wireFrame(info, 1, { compare_with: "rest", ice_filter, cohorts });
    frame.meta.comparison = {
      ...compared(info).meta.comparison,
      ...{ first: "", second: "", scores: [], curve: null, stress: null, importance: [] },
      sentences: ["all rows are <b>shown</b>"],
    };
    const { root, one } = await mount(info, frame);
    const select = one<HTMLSelectElement>("uq-compare-with");
    const values = [...select.options].map(({ value }) => value);
    expect(values).toContain("rest");
    expect(values).toContain("cohort:<b>few</b>");
    expect(values).toContain("class:<i>a</i>");
    expect(values).not.toContain("learner");
    expect(select.value).toBe("rest");
    expect(one("uq-comparison-sentences").textContent).toBe("all rows are <b>shown</b>");
    expect(panelOf(root).querySelector(".uq-panel-head .uq-note")?.textContent).toBe("");
  });

  it("with a broken column leaves the other panels", async () => {
    const info = about();
    const frame = compared(info);
    frame.meta.cols["comparison.curve"].shape = [3];
    const { root } = await mount(info, frame);
    expect(root.textContent).toContain("comparison.curve");
    expect(root.querySelectorAll(".uq-importance .uq-bar").length).toBeGreaterThan(0);
  });
});
