import { afterEach, describe, expect, it } from "vitest";
import { stepOf } from "../src/controls/range.ts";
import type { Condition } from "../src/frame.ts";
import { aboutBinary, aboutMulti, wireFrame } from "./fixtures.ts";
import { choose, clearPage, mount, painted, slide } from "./mount.ts";

const about = aboutBinary();
afterEach(clearPage);

const filtered = (ice_filter: Condition[]) => wireFrame(about, 1, { ice_filter });
const range = (low: number | null, high: number | null): Condition => ({
  feature: "mean radius",
  low,
  high,
});

function type(input: HTMLInputElement, value: string): void {
  input.value = value;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

describe("a condition", () => {
  it("on a numeric feature starts with its whole range", async () => {
    const { one, asked, receive } = await mount(about);
    choose(one("uq-filter-add"), "mean radius");
    expect(asked()).toEqual({ ice_filter: [range(1, 3)] });
    expect(one<HTMLSelectElement>("uq-filter-add").value).toBe("");
    await receive(wireFrame(about, 2, { ice_filter: [range(1, 3)] }));
    expect(one("uq-filter-item").dataset.feature).toBe("mean radius");
  });

  it("follows its number fields, which may be empty", async () => {
    const { one, asked } = await mount(about, filtered([range(1, 3)]));
    type(one("uq-filter-low"), "1.7");
    expect(asked()).toEqual({ ice_filter: [range(1.7, 3)] });
    const { one: other, asked: wanted } = await mount(about, filtered([range(1, 3)]));
    type(other("uq-filter-high"), "");
    expect(wanted()).toEqual({ ice_filter: [range(1, null)] });
  });

  it("takes a number on Enter, which a notebook keeps from the browser", async () => {
    const { one, asked } = await mount(about, filtered([range(1, 3)]));
    const low = one<HTMLInputElement>("uq-filter-low");
    low.value = "1.4";
    low.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    expect(asked()).toEqual({ ice_filter: [range(1.4, 3)] });
  });

  it("never crosses its ends: the moved one stops at the other", async () => {
    const { one, asked } = await mount(about, filtered([range(1, 2)]));
    type(one("uq-filter-low"), "2.5");
    expect(asked()).toEqual({ ice_filter: [range(2, 2)] });
    expect(one<HTMLInputElement>("uq-filter-low").value).toBe("2");
  });

  it("follows its sliders, which reach the very ends", async () => {
    const { one, asked } = await mount(about, filtered([range(1, 2)]));
    const sliders = one("uq-filter-item").querySelectorAll<HTMLInputElement>("input[type=range]");
    const high = sliders[1] as HTMLInputElement;
    slide(high, Number(high.max));
    expect(asked()).toEqual({ ice_filter: [range(1, 3)] });
  });

  it("on the class of y is a choice of classes", async () => {
    const { one, all, asked, receive } = await mount(about);
    choose(one("uq-filter-add"), "class of y");
    const both = { feature: null, values: ["malignant", "benign"] };
    expect(asked()).toEqual({ ice_filter: [both] });
    await receive(wireFrame(about, 2, { ice_filter: [both] }));
    const boxes = all<HTMLInputElement>("uq-filter-class");
    expect(boxes.map(({ checked }) => checked)).toEqual([true, true]);
    boxes[1]?.click();
    expect(asked()).toEqual({ ice_filter: [{ feature: null, values: ["malignant"] }] });
  });

  it("on a categorical feature is a choice of values", async () => {
    const multi = aboutMulti();
    const { one, all, asked } = await mount(
      multi,
      wireFrame(multi, 1, { ice_filter: [{ feature: "site", values: ["north", "west"] }] }),
    );
    expect(one("uq-filter-item").textContent).toContain("a very long name");
    all<HTMLInputElement>("uq-filter-value")[0]?.click();
    expect(asked()).toEqual({ ice_filter: [{ feature: "site", values: ["west"] }] });
  });

  it("can be removed, the others stay", async () => {
    const { all, asked } = await mount(
      about,
      filtered([range(1, 2), { feature: null, values: ["benign"] }]),
    );
    all("uq-filter-remove")[0]?.click();
    expect(asked()).toEqual({ ice_filter: [{ feature: null, values: ["benign"] }] });
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

  it("on a name that looks like markup is text", async () => {
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

it("the rows that are left are counted", async () => {
  const frame = wireFrame(about, 1);
  frame.meta.importance.n_rows = 87;
  const { one } = await mount(about, frame);
  expect(one("uq-rows").textContent).toBe("87 of 143 rows");
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
    unstressable: null,
  };
  expect(stepOf(feature)).toBeCloseTo(step);
});
