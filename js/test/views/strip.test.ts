import { afterEach, describe, expect, it } from "vitest";
import { aboutBinary, aboutRegression, wireFrame } from "../fixtures.ts";
import { clearPage, mount } from "../mount.ts";

afterEach(clearPage);

const about = aboutBinary();
const spans = (element: Element) =>
  [...element.querySelectorAll(":scope > span")].map(({ textContent }) => textContent);

describe("the strip under the title", () => {
  it("says how good the model is, its calibration, and the rows where they are not all", async () => {
    const { one, receive } = await mount(about, wireFrame(about, 1));
    const line = one("uq-strip-scores");
    const verdict = "Too sure above 0.5: predicted 0.7 on average, observed 0.5.";
    expect(spans(line)).toEqual(["error rate 0.070 (0.035 to 0.140)", verdict]);
    const filtered = wireFrame(about, 2);
    filtered.meta.performance.n_rows = 90;
    Object.assign(filtered.meta, { rows: 90, in_groups: "9 patients" });
    await receive(filtered);
    expect(spans(line).at(-1)).toBe("in 90 rows of 9 patients");
    await receive(wireFrame(about, 3, { tau: 0.5, stress_feature: "mean area" }));
    expect(spans(line)[0]).toBe("error rate 0.080 (0.040 to 0.160)");
    expect(spans(line).at(-1)).toContain("worth about");
  });

  it("is away where the page has neither scores nor notes", async () => {
    const frame = wireFrame(about, 1);
    frame.meta.performance = null as never;
    const { one } = await mount(about, frame);
    expect(one("uq-strip").hidden).toBe(true);
  });

  it("compares two models in a sentence that says which is better, and whether that is clear", async () => {
    const info = {
      ...aboutRegression(),
      others: ["line"],
      views: [...about.views, "comparison"],
    };
    const frame = wireFrame(info, 1, { compare_with: "model:line" });
    const of = { name: "nll", label: "nll", unit: "nats", first: 0.5, second: 0.47 };
    const compared = (value: number, low: number, high: number, seq: number) => {
      const scores = [{ ...of, value, low, high }];
      const rest = { curve: null, stress: null, importance: [], units: [] };
      const comparison = { stale: false, first: "forest", second: "line", level: 0.95, scores };
      return { ...frame, seq, meta: { ...frame.meta, comparison: { ...comparison, ...rest } } };
    };
    const { one, receive } = await mount(info, compared(0.0275, 0.021, 0.034, 1));
    const pair = one("uq-strip-pair");
    expect(spans(pair)).toEqual([
      "line:",
      "log loss (nats) 0.47",
      "line is better by 0.0210 to 0.0340 nats (log loss), clearly",
    ]);
    await receive(compared(-0.02, -0.03, -0.01, 2));
    expect(spans(pair)[2]).toContain("forest is better by 0.0100 to 0.0300 nats");
    await receive(compared(0.01, -0.01, 0.03, 3));
    expect(spans(pair)[2]).toContain("forest minus line is −0.0100 to 0.0300 nats");
    expect(spans(pair)[2]).toContain("not clear from these rows");
  });

  const noted = (notes: [string, string, unknown][], seq = 1) => {
    const frame = wireFrame(about, seq);
    Object.assign(frame.meta, {
      notes: notes.map(([text]) => text),
      note_codes: notes.map(([, code]) => code),
      note_inputs: notes.map(([, , inputs]) => inputs),
    });
    return frame;
  };
  const few = ["few groups", "few-groups", null] as [string, string, unknown];
  const alike = ["rows are alike", "rows-of-groups", { groups: "<b>patient" }] as typeof few;
  const other = ["memory", "memory-limit", null] as typeof few;

  it("has the notes that matter at the top, each once, and one click that mends it", async () => {
    const { one, all, lastRequest, receive } = await mount(about, noted([other, few, alike]));
    const list = one("uq-strip-remarks");
    expect([...list.children].map((item) => item.firstChild?.textContent)).toEqual([
      "Rows are alike",
      "Few groups",
    ]);
    expect(one("uq-notes").textContent).toBe("memory");
    const mend = one("uq-mend");
    expect(mend.textContent).toBe("Group rows by <b>patient");
    mend.focus();
    mend.click();
    expect(lastRequest()).toEqual({ groups: "<b>patient" });
    await receive(noted([other], 2));
    expect(all("uq-mend")).toEqual([]);
    expect(list.hidden).toBe(true);
    expect(document.activeElement).toBe(one("uq-strip"));
  });

  it("sets no input of another name or type", async () => {
    for (const inputs of [{ groups: 1 }, { _seq: 9 }, { groups: "a", model: "b" }, [], "x"]) {
      const { all } = await mount(about, noted([["alike", "rows-of-groups", inputs]]));
      expect(all("uq-strip-remarks")).toHaveLength(1);
      expect(all("uq-mend")).toEqual([]);
      clearPage();
    }
  });
});
