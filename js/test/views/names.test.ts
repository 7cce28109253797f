import { afterEach, describe, expect, it } from "vitest";
import { entryOf, type ModelIndex, stressedOf } from "../../src/page/contents.ts";
import { readModelInfo } from "../../src/session/modelInfo.ts";
import { aboutMulti, inputsOf, wireFrame } from "../fixtures.ts";
import { choose, clearPage, mount } from "../mount.ts";

/** Names of properties that every object has, `__proto__` among them. */
const NAMES = Object.getOwnPropertyNames(Object.prototype);

const [numeric, , , categorical] = aboutMulti().features;
const about = {
  ...aboutMulti(),
  title: "constructor",
  target: "valueOf",
  classes: NAMES,
  features: NAMES.map((name, i) => ({
    ...(i % 2 ? { ...categorical, values: NAMES, unstressable: null } : numeric),
    name,
    group: NAMES[i ? 0 : 1],
  })),
  extra: [{ ...categorical, values: NAMES, name: "toString beside" }],
  models: NAMES,
  model: "constructor",
  others: NAMES,
} as ReturnType<typeof aboutMulti>;
const cohorts = NAMES.map((name, i) => ({
  name,
  ice_filter: [{ feature: name, values: [NAMES[i] ?? null] }],
  complement: false,
}));

afterEach(clearPage);

const valuesOf = (select: HTMLSelectElement) => [...select.options].map(({ value }) => value);

describe("names that every object has a property of", () => {
  it("are those of models, features, classes, categories, groups and cohorts", async () => {
    const { all, one, root, receive, lastRequest } = await mount(
      about,
      wireFrame(about, 1, { cohorts }),
      { cohorts },
    );
    expect(readModelInfo({ schema: 1, ...about }).features).toEqual(about.features);
    expect(all("uq-importance-row").map((row) => row.dataset.feature)).toHaveLength(NAMES.length);
    expect(valuesOf(one("uq-shown-model"))).toEqual(NAMES);
    expect(valuesOf(one("uq-cohort"))).toEqual(["", ...NAMES.map((name) => `=${name}`)]);
    let seq = 1;
    for (const name of NAMES) {
      choose(one("uq-feature"), name);
      if (name !== NAMES[0]) expect(lastRequest()).toEqual({ feature: name });
      seq += 1;
      const ice_filter = [
        { feature: name, values: [name] },
        { feature: null, values: [name] },
      ];
      const inputs = { feature: name, stress_feature: name, tau: 0.5, cohorts, ice_filter };
      await receive(wireFrame(about, seq, inputs));
      expect(root.dataset.seq).toBe(String(seq));
      expect(one("uq-error").hidden).toBe(true);
      expect(one<HTMLSelectElement>("uq-feature").value).toBe(name);
      expect(one<HTMLSelectElement>("uq-stress-feature").value).toBe(name);
      for (const box of all<HTMLInputElement>("uq-filter-value"))
        expect(box.checked).toBe(box.value === name);
    }
  });

  it("are no entries of a page without them", () => {
    const index = { categories: { a: ["b"] } } as unknown as ModelIndex;
    for (const name of NAMES) {
      expect(entryOf(index.categories, name)).toBeUndefined();
      const inputs = inputsOf(about, { stress_feature: name });
      expect(stressedOf(index, inputs)).toBe(JSON.stringify([name, null]));
      const own: ModelIndex["categories"] = JSON.parse(`{"${name}": ["b", "${name}"]}`);
      const chosen = { ...inputs, stress_category: name };
      expect(stressedOf({ ...index, categories: own }, chosen)).toBe(JSON.stringify([name, name]));
    }
  });
});

describe("names from right to left", () => {
  it("stand apart from the numbers and words beside them", async () => {
    const rtl = "\u202e\u05e9\u05dc\u05d5\u05dd 12";
    const shown = rtl.slice(1);
    const named = {
      ...aboutMulti(),
      classes: [rtl, "b"],
      target: rtl,
      features: NAMES.map((name, i) => ({
        ...(i ? categorical : numeric),
        name: i ? name : rtl,
        ...(i === 2 ? { values: null } : {}),
      })),
    } as ReturnType<typeof aboutMulti>;
    for (const tau of [0, 0.5]) {
      const { root } = await mount(named, wireFrame(named, 1, { feature: rtl, tau }));
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      let count = 0;
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = node.textContent ?? "";
        if (!text.includes(shown) || text === rtl) continue;
        count += 1;
        expect(text.replace(/\u2068[^\u2069]*\u2069/g, "")).not.toContain(shown);
      }
      expect(count).toBeGreaterThan(3);
      clearPage();
    }
  });
});
