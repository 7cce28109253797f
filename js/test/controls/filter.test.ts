import { afterEach, describe, expect, it } from "vitest";
import { stepOf } from "../../src/controls/range.ts";
import type { Condition } from "../../src/session/condition.ts";
import { aboutBinary, aboutMulti, wireFrame } from "../fixtures.ts";
import { choose, clearPage, mount, painted, slide } from "../mount.ts";

const about = aboutBinary();
afterEach(clearPage);

const filtered = (ice_filter: Condition[]) => wireFrame(about, 1, { ice_filter });
const range = (low: number | null, high: number | null) => ({
  feature: "mean radius",
  low,
  high,
});

function type(input: HTMLInputElement, value: string): void {
  input.value = value;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

describe("a condition", () => {
  it("on a numeric feature starts without a limit, so that infinite values stay too", async () => {
    const { one, lastRequest, receive } = await mount(about);
    choose(one("uq-filter-add"), "mean radius");
    expect(lastRequest()).toEqual({ ice_filter: [range(null, null)] });
    expect(one<HTMLSelectElement>("uq-filter-add").value).toBe("");
    await receive(wireFrame(about, 2, { ice_filter: [range(null, null)] }));
    expect(one("uq-filter-item").dataset.feature).toBe("mean radius");
    expect(one<HTMLInputElement>("uq-filter-low").placeholder).toBe("1");
    expect(one<HTMLInputElement>("uq-filter-high").placeholder).toBe("3");
  });

  it("selects missing values until their checkbox is cleared", async () => {
    const some = {
      ...about,
      features: about.features.map((feature, i) => (i ? feature : { ...feature, missing: 12 })),
    };
    const { one, lastRequest, receive } = await mount(some);
    choose(one("uq-filter-add"), "mean radius");
    const fresh = { ...range(null, null), missing: true };
    expect(lastRequest()).toEqual({ ice_filter: [fresh] });
    await receive(wireFrame(some, 2, { ice_filter: [fresh] }));
    const box = one<HTMLInputElement>("uq-filter-missing");
    expect(box.checked).toBe(true);
    expect(one("uq-filter-item").textContent).toContain("missing (12 rows)");
    type(one("uq-filter-low"), "1.7");
    expect(lastRequest()).toEqual({ ice_filter: [{ ...range(1.7, null), missing: true }] });
    await receive(wireFrame(some, 3, { ice_filter: [{ ...range(1.7, null), missing: true }] }));
    box.click();
    expect(lastRequest()).toEqual({ ice_filter: [{ ...range(1.7, null), missing: false }] });
  });

  it("takes the values of its number fields, which may be empty", async () => {
    const { one, lastRequest } = await mount(about, filtered([range(1, 3)]));
    type(one("uq-filter-low"), "1.7");
    expect(lastRequest()).toEqual({ ice_filter: [range(1.7, 3)] });
    const { one: other, lastRequest: otherRequest } = await mount(about, filtered([range(1, 3)]));
    type(other("uq-filter-high"), "");
    expect(otherRequest()).toEqual({ ice_filter: [range(1, null)] });
  });

  it("takes a number on Enter", async () => {
    const { one, lastRequest } = await mount(about, filtered([range(1, 3)]));
    const low = one<HTMLInputElement>("uq-filter-low");
    low.value = "1.4";
    low.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    expect(lastRequest()).toEqual({ ice_filter: [range(1.4, 3)] });
  });

  it("limits a moved end to the other end", async () => {
    const { one, lastRequest } = await mount(about, filtered([range(1, 2)]));
    type(one("uq-filter-low"), "2.5");
    expect(lastRequest()).toEqual({ ice_filter: [range(2, 2)] });
    expect(one<HTMLInputElement>("uq-filter-low").value).toBe("2");
  });

  it("takes the values of its sliders, which reach both ends", async () => {
    const { one, lastRequest } = await mount(about, filtered([range(1, 2)]));
    const sliders = one("uq-filter-item").querySelectorAll<HTMLInputElement>("input[type=range]");
    const high = sliders[1] as HTMLInputElement;
    slide(high, Number(high.max));
    expect(lastRequest()).toEqual({ ice_filter: [range(1, null)] });
  });

  it("on the class of y is a list of classes", async () => {
    const { one, all, lastRequest, receive } = await mount(about);
    choose(one("uq-filter-add"), "class of y");
    const both = { feature: null, values: ["malignant", "benign"] };
    expect(lastRequest()).toEqual({ ice_filter: [both] });
    await receive(wireFrame(about, 2, { ice_filter: [both] }));
    const boxes = all<HTMLInputElement>("uq-filter-class");
    expect(boxes.map(({ checked }) => checked)).toEqual([true, true]);
    boxes[1]?.click();
    expect(lastRequest()).toEqual({ ice_filter: [{ feature: null, values: ["malignant"] }] });
  });

  it("on a categorical feature is a list of values", async () => {
    const multi = aboutMulti();
    const { one, all, lastRequest } = await mount(
      multi,
      wireFrame(multi, 1, { ice_filter: [{ feature: "site", values: ["north", "west"] }] }),
    );
    expect(one("uq-filter-item").textContent).toContain("a very long name");
    all<HTMLInputElement>("uq-filter-value")[0]?.click();
    expect(lastRequest()).toEqual({ ice_filter: [{ feature: "site", values: ["west"] }] });
  });

  it("distinguishes missing values from a category named missing", async () => {
    const multi = aboutMulti();
    const features = multi.features.map((feature) =>
      feature.name === "site"
        ? { ...feature, values: ["missing (1 row)", "north"], missing: 1 }
        : feature,
    );
    const gaps = { ...multi, features };
    const { one, all, lastRequest, receive } = await mount(gaps);
    choose(one("uq-filter-add"), "site");
    const every = { feature: "site", values: ["missing (1 row)", "north", null] };
    expect(lastRequest()).toEqual({ ice_filter: [every] });
    await receive(wireFrame(gaps, 2, { ice_filter: [every] }));
    const box = one<HTMLInputElement>("uq-filter-missing");
    expect(box.checked).toBe(true);
    expect(one("uq-filter-item").querySelector("em")?.textContent).toBe("missing (1 row)");
    all<HTMLInputElement>("uq-filter-value")[0]?.click();
    expect(lastRequest()).toEqual({ ice_filter: [{ feature: "site", values: ["north", null] }] });
    await receive(wireFrame(gaps, 3, { ice_filter: [{ feature: "site", values: ["north"] }] }));
    expect(one("uq-filter-missing"), "the same element, so that it keeps the focus").toBe(box);
    expect(box.checked).toBe(false);
    box.click();
    expect(lastRequest()).toEqual({ ice_filter: [{ feature: "site", values: ["north", null] }] });
  });

  it("can be removed, and the others stay", async () => {
    const { all, lastRequest } = await mount(
      about,
      filtered([range(1, 2), { feature: null, values: ["benign"] }]),
    );
    all("uq-filter-remove")[0]?.click();
    expect(lastRequest()).toEqual({ ice_filter: [{ feature: null, values: ["benign"] }] });
    await painted();
    expect(all("uq-filter-item")).toHaveLength(1);
  });

  it("keeps its elements while its numbers change", async () => {
    const { one, receive } = await mount(about, filtered([range(1, 2)]));
    const low = one("uq-filter-low");
    await receive(wireFrame(about, 2, { ice_filter: [range(1.5, 2)] }));
    expect(one("uq-filter-low")).toBe(low);
    expect((low as HTMLInputElement).value).toBe("1.5");
  });

  it("shows a name with markup as text", async () => {
    const multi = aboutMulti();
    const name = "<img src=x onerror=alert(1)>";
    const { one, root } = await mount(
      multi,
      wireFrame(multi, 1, { ice_filter: [{ feature: name, low: 0, high: 1 }] }),
    );
    expect(one("uq-filter-item").textContent).toContain(name);
    expect(root.querySelector("img")).toBeNull();
  });
});

it("the number of selected rows is shown", async () => {
  const frame = wireFrame(about, 1);
  frame.meta.rows = 87;
  const { one } = await mount(about, frame);
  expect(one("uq-rows").textContent).toBe("87 of 143 rows");
});

it("a filter without rows is reported in place of the warning, and the layout does not move", async () => {
  const { one, root, receive } = await mount(about, wireFrame(about, 1, { tau: 0.5 }));
  const facts = one("uq-stress-readout").textContent;
  const frame = wireFrame(about, 2, { tau: 0.5, ice_filter: [range(9, null)] });
  frame.meta.rows = 0;
  for (const panel of ["importance", "dependence", "stress"]) frame.meta[panel].stale = true;
  await receive(frame);
  expect(one("uq-rows").textContent).toBe("0 of 143 rows");
  const [caution, hint] = [".uq-caution", ".uq-hint"].map((name) =>
    root.querySelector<HTMLElement>(name),
  );
  expect(caution?.textContent).toBe("No row matches; the previous rows are still shown.");
  expect([caution?.hidden, hint?.hidden]).toEqual([false, true]);
  expect(one("uq-stress-readout").textContent).toBe(facts);
  expect(one("uq-error").hidden).toBe(true);
  expect(root.querySelectorAll('.uq-panel[data-stale="true"]')).toHaveLength(3);
});

it("the readout of the stress gives the number of filtered rows", async () => {
  const frame = wireFrame(about, 1, { tau: 0.5 });
  Object.assign(frame.meta.stress, { n_rows: 90 });
  Object.assign(frame.meta.stress.now, { n_rows: 90, ess: 82 });
  const { one, root } = await mount(about, frame);
  expect(one("uq-stress-readout").textContent).toContain("worth about 82 of the 90 rows");
  expect(root.querySelector(".uq-hint")?.textContent).toMatch(
    /^Rows with larger values of mean radius count more\. No row is invented/,
  );
});

it.each([
  [1, 3, false, 0.01],
  [0, 2500, false, 10],
  [1, 9, true, 1],
  [2, 2, false, 1],
])("a range from %d to %d moves in steps of a round hundredth", (min, max, integer, step) => {
  const feature = {
    name: "x",
    kind: "numeric" as const,
    min,
    max,
    integer,
    values: null,
    missing: 0,
    unstressable: null,
  };
  expect(stepOf(feature)).toBeCloseTo(step);
});
