import { afterEach, describe, expect, it } from "vitest";
import { featureList } from "../../src/controls/listbox.ts";
import { readFrame } from "../../src/session/frame.ts";
import type { Inputs } from "../../src/session/inputs.ts";
import type { ModelInfo } from "../../src/session/modelInfo.ts";
import { viewsNamed } from "../../src/views/index.ts";
import { distinct } from "../../src/widget/format.ts";
import { aboutBinary, wireFrame } from "../fixtures.ts";
import { choose, clearPage, mount, openMore, painted } from "../mount.ts";

afterEach(clearPage);

const about = aboutBinary();
const P = about.features.length;
const x = (element: Element | null | undefined, name: string) =>
  Number(element?.getAttribute(name));

/** A frame with the columns that are computed on request. */
function frameWith(
  changes: Partial<Inputs>,
  meta: Record<string, unknown> = {},
  numbers: Record<string, number[] | Int32Array> = {},
  info: ModelInfo = about,
) {
  const frame = wireFrame(info, 1, changes);
  Object.assign(frame.meta.importance, meta);
  for (const [name, values] of Object.entries(numbers)) {
    const column = values instanceof Int32Array ? values : Float64Array.from(values);
    const rows = frame.meta.importance.order.length;
    frame.cols[`importance.${name}`] = new DataView(column.buffer);
    frame.meta.cols[`importance.${name}`] = {
      dtype: values instanceof Int32Array ? "i4" : "f8",
      shape: column.length === rows ? [rows] : [column.length / rows, rows],
    };
  }
  return frame;
}

const rowsOf = (all: (id: string) => HTMLElement[]) =>
  all("uq-importance-row").map(({ dataset }) => dataset.feature);
const titlesOf = (root: HTMLElement) =>
  [...root.querySelectorAll(".uq-importance-head .uq-sort")].map(({ textContent }) => textContent);

describe("the columns of importance", () => {
  it("are sorted by their titles, which say by which one", async () => {
    const { root, all, lastRequest, receive } = await mount(about, frameWith({}));
    expect(titlesOf(root)).toEqual(["Feature", "Likelihood-PFI\u00a0↓", "Entropy-PFI"]);
    const buttons = root.querySelectorAll<HTMLElement>(".uq-importance-head .uq-sort");
    buttons[2]?.click();
    expect(lastRequest()).toEqual({ sort: "entropy" });
    buttons[0]?.click();
    await receive(frameWith({ sort: "feature" }));
    const names = about.features.map(({ name }) => name);
    expect(rowsOf(all)).toEqual([...names].sort());
    expect(buttons[0]?.getAttribute("aria-pressed")).toBe("true");
  });

  it("have rows without a number last", async () => {
    const base = Array.from({ length: 2 * P }, (_, i) => (i === P ? Number.NaN : -(i % P)));
    const { all } = await mount(about, frameWith({ sort: "entropy" }, {}, { base }));
    const rows = rowsOf(all);
    expect(rows[0]).toBe(about.features[1]?.name);
    expect(rows.at(-1)).toBe(about.features[0]?.name);
  });

  it("start at one for a ratio", async () => {
    const value = Array.from({ length: 2 * P }, (_, i) => 1 + (i % P) / 10);
    const numbers = { value, low: value, high: value, base: value };
    const { root } = await mount(
      about,
      frameWith({ compare: "ratio" }, { compare: "ratio" }, numbers),
    );
    const zero = Number(root.querySelector(".uq-bars .uq-zero")?.getAttribute("x1"));
    const starts = [...root.querySelectorAll(".uq-bar rect:first-child")].map((bar) =>
      Number(bar.getAttribute("x")),
    );
    expect(new Set(starts)).toEqual(new Set([zero]));
  });

  it("print numbers that can be told apart beside one interval that is far longer", async () => {
    const value = Array.from({ length: 2 * P }, (_, i) => (0.9 * ((i % P) + 1)) / P);
    const low = value.map((one, i) => (i % P === 0 ? -7000 : one - 0.05));
    const high = value.map((one, i) => (i % P === 0 ? 15000 : one + 0.05));
    const numbers = { value, low, high, base: value };
    const { root, receive } = await mount(about, frameWith({}, {}, numbers));
    const printed = () =>
      [...root.querySelectorAll(".uq-bar text")].map(({ textContent }) => textContent);
    expect(new Set(printed())).toEqual(new Set(value.map((one) => one.toFixed(2))));
    // Equal values say nothing of the decimals.
    const zero = value.map(() => 0);
    await receive(frameWith({}, {}, { value: zero, low, high, base: zero }));
    expect(new Set(printed())).toEqual(new Set(["0.00"]));
  });

  it("are at most four and at least one", async () => {
    const info = {
      ...about,
      measures: [...about.measures, { name: "brier", label: "Brier score", unit: "" }],
    };
    const { one, all, lastRequest, receive } = await mount(info, frameWith({}, {}, {}, info));
    expect(all("uq-column-nll")).toEqual([]);
    await openMore(one("uq-importance-options"));
    const box = (name: string) => one<HTMLInputElement>(`uq-column-${name}`);
    const four = ["nll", "entropy", "accuracy", "brier"];
    await receive(frameWith({ importance_of: four }, {}, {}, info));
    expect([box("prediction").disabled, box("nll").disabled]).toEqual([true, false]);
    await receive(frameWith({ importance_of: ["nll"] }, {}, {}, info));
    expect([box("prediction").disabled, box("nll").disabled]).toEqual([false, true]);
    await receive(frameWith({}, {}, {}, info));
    expect([box("nll").checked, box("accuracy").checked]).toEqual([true, false]);
    box("accuracy").click();
    expect(lastRequest()).toEqual({ importance_of: ["nll", "entropy", "accuracy"] });
  });

  it("say the verdict in a word, and its sentence in the title of the row", async () => {
    const verdicts = [
      { verdict: "informative", sentence: "predictions get worse" },
      { verdict: "not used", sentence: "the model makes no use of it" },
    ];
    const verdict = Int32Array.from({ length: P }, (_, i) => i % 2);
    const redundancy = Array.from({ length: 3 * P }, (_, i) => (i % P) / P);
    const { root, all } = await mount(
      about,
      frameWith({ verdict: true, redundancy: true }, { verdicts }, { verdict, redundancy }),
    );
    expect(titlesOf(root).slice(-2)).toEqual(["redundancy", "verdict"]);
    const first = all("uq-importance-row").find(
      ({ dataset }) => dataset.feature === about.features[1]?.name,
    );
    expect(first?.title).toContain("not used: the model makes no use of it");
    expect(first?.getAttribute("aria-label")).toContain("redundancy 0.0333");
    expect(root.querySelector(".uq-words")?.textContent).toContain("informative");
  });

  it("are of groups where these move together, and a group has no curve", async () => {
    const info = {
      ...about,
      features: about.features.map((f, i) => (i < 2 ? { ...f, group: "both" } : f)),
    };
    const units = ["both", ...about.features.slice(2).map(({ name }) => name)];
    const numbers = Object.fromEntries(
      ["value", "low", "high", "base"].map((name) => [name, Array(2 * units.length).fill(1)]),
    );
    const order = units.map((_, i) => i);
    const { all, model, one } = await mount(
      info,
      frameWith({ grouped: true }, { units, order }, numbers, info),
    );
    expect(rowsOf(all)).toEqual(units);
    const saved = model.saved.length;
    all("uq-importance-row")[0]?.click();
    expect(model.saved).toHaveLength(saved);
    await openMore(one("uq-importance-options"));
    expect(one<HTMLInputElement>("uq-grouped").checked).toBe(true);
  });
});

describe("the names of the list", () => {
  it("are cut before the last word of a name, which tells apart names that begin alike", () => {
    const names = ["mean fractal dimension", "feature number 0", "unbrokenname1234", "short name"];
    const list = featureList(names, () => {}, new AbortController().signal);
    list.update(
      names.map((_, feature) => ({ feature, text: "" })),
      "",
      null,
    );
    const parts = [...list.element.querySelectorAll(".uq-name")].map(({ children }) =>
      [...children].map(({ textContent }) => textContent),
    );
    expect(parts).toEqual([
      ["mean fractal", " dimension"],
      ["feature number", " 0"],
      ["unbroken", "name1234"],
      ["short name"],
    ]);
  });
});

describe("a bar on the other side", () => {
  it("says what it means where one is clear", async () => {
    const about = aboutBinary();
    const high = new Float64Array(2 * about.features.length).fill(1);
    const frame = wireFrame(about, 1);
    frame.cols["importance.high"] = new DataView(high.slice().buffer);
    const { root } = await mount(about, frame);
    const words = () =>
      [...root.querySelectorAll(".uq-importance-head .uq-column-title")].map((t) => t.textContent);
    expect(words()[2]).toContain("how much less sure");
    expect(words()[2]).not.toContain("left of 0");
    high[about.features.length + 4] = -0.001;
    const next = wireFrame(about, 2);
    next.cols["importance.high"] = new DataView(high.buffer);
    const second = await mount(about, next);
    const titles = [...second.root.querySelectorAll(".uq-importance-head .uq-column-title")];
    expect(titles[2]?.textContent).toContain("how much less sure; left of 0: more sure");
    expect(titles[1]?.textContent).not.toContain("left of 0");
  });
});

describe("long names that are alike", () => {
  const of = (kind: string, k: number) =>
    `Gene expression of ENSG0000${k} ${kind} (log2 counts per million)`;
  const names = [...[1, 2].flatMap((k) => [of("isoform a", k), of("isoform b", k)]), "age"];

  it("lose the beginning and the end that they have in common, and not a part of a word", () => {
    expect(distinct(names)).toEqual([
      "…ENSG00001 isoform a…",
      "…ENSG00001 isoform b…",
      "…ENSG00002 isoform a…",
      "…ENSG00002 isoform b…",
      "age",
    ]);
    expect(distinct(["a name of more than 24 letters", "age"])[0]).toHaveLength(30);
  });

  it("show what was searched for", () => {
    const list = featureList(names, () => {}, new AbortController().signal);
    const rows = names.map((_, feature) => ({ feature, text: "" }));
    const first = () => list.element.querySelector(".uq-name")?.textContent;
    list.update(rows, "", null);
    expect(first()).toBe("…ENSG00001 isoform a…");
    list.update(rows, "", null, "log2 counts");
    expect(first()).toBe("…log2 counts per million)");
    list.update(rows, "", null, "isoform");
    expect(first()).toBe("…isoform a (log2 counts per million)");
    expect(list.element.querySelector("[role=option]")?.getAttribute("title")).toContain(names[0]);
  });
});

describe("many features", () => {
  it("are found by a part of their name", async () => {
    const { one, all } = await mount(about, frameWith({}));
    const search = one<HTMLInputElement>("uq-search");
    search.value = "CONCAVE";
    search.dispatchEvent(new Event("input"));
    await painted();
    expect(rowsOf(all).every((name) => name?.includes("concave points"))).toBe(true);
    expect(rowsOf(all)).toHaveLength(3);
  });

  it("are folded after the first", async () => {
    const { one, all, lastRequest, receive } = await mount(about, frameWith({ top: 5 }));
    expect(rowsOf(all)).toHaveLength(5);
    expect(one("uq-fold").textContent).toBe("show 25 more features");
    one("uq-fold").click();
    expect(lastRequest()).toEqual({ top: 0 });
    await receive(frameWith({ top: 0 }));
    expect(rowsOf(all)).toHaveLength(P);
    expect(one("uq-fold").hidden).toBe(true); // all of them are few
  });

  it("are drawn only where they are in sight", async () => {
    const features = Array.from({ length: 120 }, (_, i) => ({
      ...(about.features[0] as (typeof about.features)[0]),
      name: `feature ${i}`,
    }));
    const info = { ...about, features };
    const { root } = await mount(info, frameWith({ top: 0 }, {}, {}, info));
    const scroller = root.querySelector(".uq-importance-scroll") as HTMLElement;
    Object.defineProperty(scroller, "clientHeight", { value: 440 });
    scroller.scrollTop = 1100;
    scroller.dispatchEvent(new Event("scroll"));
    await painted();
    const bars = [...(root.querySelector(".uq-bars")?.querySelectorAll(".uq-bar") ?? [])];
    expect(bars.length).toBe(40);
    expect(bars[0]?.getAttribute("transform")).toBe("translate(0,891)");
  });

  it("are drawn again only after a few rows of scrolling, before those in sight run out", async () => {
    const features = Array.from({ length: 100 }, (_, i) => ({
      ...(about.features[0] as (typeof about.features)[0]),
      name: `feature ${i}`,
    }));
    const info = { ...about, features };
    const { root } = await mount(info, frameWith({ top: 0 }, {}, {}, info));
    const scroller = root.querySelector(".uq-importance-scroll") as HTMLElement;
    Object.defineProperty(scroller, "clientHeight", { value: 440 });
    const group = root.querySelector(".uq-bars") as Element;
    const top = (bar: Element | undefined) =>
      Number(bar?.getAttribute("transform")?.match(/,([\d.]+)/)?.[1]);
    let drawn = 0;
    let last = "";
    for (let at = 22; at <= 1100; at += 22) {
      scroller.scrollTop = at;
      scroller.dispatchEvent(new Event("scroll"));
      await painted();
      const bars = [...group.querySelectorAll(".uq-bar")];
      expect(top(bars[0])).toBeLessThanOrEqual(Math.max(11, at));
      expect(top(bars.at(-1)) + 22).toBeGreaterThanOrEqual(at + 440);
      const first = bars[0]?.getAttribute("transform") ?? "";
      if (first !== last) [drawn, last] = [drawn + 1, first];
    }
    // One in five of 50 events: after more than five rows.
    expect(drawn).toBeLessThanOrEqual(10);
  });
});

describe("the bars of importance", () => {
  it("draws each value with its interval and the unstressed value as a tick", async () => {
    const raw = wireFrame(about, 1, { tau: 0.5 });
    const { root } = await mount(about, raw);
    const { importance } = readFrame(viewsNamed, raw, about);
    const first = importance?.order[0] as number;
    const [nll, entropy] = [...root.querySelectorAll(".uq-bars")];
    const group = nll?.querySelector(".uq-bar");
    const [dot, whisker, ghost] = ["circle", ".uq-whisker", ".uq-ghost"].map((q) =>
      group?.querySelector(q),
    );
    const zero = x(nll?.querySelector(".uq-zero"), "x1");
    const scale = (x(dot, "cx") - zero) / (importance?.value[first] as number);
    expect(x(whisker, "x1") - zero).toBeCloseTo(scale * (importance?.low[first] as number), 0);
    expect(x(whisker, "x2") - zero).toBeCloseTo(scale * (importance?.high[first] as number), 0);
    expect(x(ghost, "x1") - zero).toBeCloseTo(scale * (importance?.base[first] as number), 0);
    expect(entropy?.querySelectorAll(".uq-bar")).toHaveLength(30);
  });

  it("has no tick for the unstressed value without stress", async () => {
    const { root } = await mount(about);
    const ghosts = [...root.querySelectorAll(".uq-bar .uq-ghost")];
    expect(ghosts.every((ghost) => ghost.getAttribute("visibility") === "hidden")).toBe(true);
  });

  it("draws no mark for a missing value and names it in the table", async () => {
    const raw = wireFrame(about, 1);
    new DataView(raw.cols["importance.value"].buffer).setFloat64(0, Number.NaN, true);
    const { root, all } = await mount(about, raw);
    const row = all("uq-importance-row").find(
      ({ dataset }) => dataset.feature === about.features[0]?.name,
    );
    expect(row?.getAttribute("aria-label")).toContain("Likelihood-PFI not available");
    const hidden = [...root.querySelectorAll(".uq-bar circle")].filter((dot) =>
      dot.getAttribute("visibility"),
    );
    expect(hidden).toHaveLength(1);
    expect(root.querySelector(".uq-bars")?.textContent).toContain("n/a");
  });

  it("dims stale results", async () => {
    const raw = wireFrame(about, 1);
    raw.meta.importance.stale = true;
    const { root } = await mount(about, raw);
    expect(root.querySelector<HTMLElement>(".uq-importance")?.dataset.stale).toBe("true");
    expect(root.querySelector<HTMLElement>(".uq-dependence")?.dataset.stale).toBeUndefined();
  });

  it("shows a single measure in one column", async () => {
    const raw = wireFrame(about, 1);
    raw.meta.importance.measures.length = 1;
    for (const part of ["value", "low", "high", "base"]) {
      const name = `importance.${part}`;
      raw.meta.cols[name].shape = [1, 30];
      raw.cols[name] = new DataView(raw.cols[name].buffer, 0, 240);
    }
    const { root } = await mount(about, raw);
    expect(root.querySelectorAll(".uq-bars")).toHaveLength(1);
  });
});

describe("what rows belong to", () => {
  const groups = [
    { name: "", text: null },
    { name: "patient", text: "30 patients" },
    { name: "constructor", text: "5 values of constructor" },
  ];
  const info = { ...about, groups };
  const inGroups = (of: Partial<Inputs>, in_groups: string | null) => {
    const frame = frameWith(of, {}, {}, info);
    Object.assign(frame.meta, { in_groups });
    return frame;
  };

  it("is chosen beside the kind of the intervals, and said with the rows", async () => {
    const { root, one, lastRequest, receive } = await mount(info, inGroups({}, null));
    const select = one<HTMLSelectElement>("uq-row-groups");
    expect([...select.options].map(({ textContent }) => textContent)).toEqual([
      "each row by itself",
      "30 patients",
      "5 values of constructor",
    ]);
    select.value = "patient";
    select.dispatchEvent(new Event("change"));
    expect(lastRequest()).toEqual({ groups: "patient", time: "" });
    await receive(inGroups({ groups: "patient" }, "30 patients"));
    expect(select.value).toBe("patient");
    const n = about.n_rows;
    expect(root.querySelector(".uq-importance .uq-note")?.textContent).toContain(
      `${n} rows of 30 patients`,
    );
    expect(root.querySelector(".uq-header")?.textContent).toContain(`${n} rows of 30 patients`);
    expect(one("uq-rows").textContent).toBe(`${n} of ${n} rows, 30 patients`);
  });

  it("is an order of the rows in its place", async () => {
    const day = { name: "day", text: "in the order of day", time: true };
    const ordered = { ...info, groups: [...groups, day] };
    const of = { groups: "", time: "day" };
    const { one, lastRequest, receive } = await mount(ordered, frameWith({}, {}, {}, ordered));
    const select = one<HTMLSelectElement>("uq-row-groups");
    choose(select, "time:day");
    expect(lastRequest()).toEqual(of);
    await receive({ ...frameWith(of, {}, {}, ordered), seq: 2 });
    expect(select.selectedOptions[0]?.textContent).toBe("in the order of day");
    choose(select, "patient");
    expect(lastRequest()).toEqual({ groups: "patient", time: "" });
  });

  it("is what the kind of interval is named after, unless it is blocks of time", async () => {
    // As the kernel sends it.
    const intervals = [{ name: "u-statistic", label: "new rows", accounts_for: "" }];
    const help = { tips: {}, panels: {}, tour: [], intervals } as unknown as ModelInfo["help"];
    const named = { ...info, help };
    const of = (in_groups: string | null, seq: number) => {
      const frame = { ...frameWith({}, {}, {}, named), seq };
      return { ...frame, meta: { ...frame.meta, in_groups } };
    };
    const { one, receive } = await mount(named, of("30 patients", 1));
    const label = () => one<HTMLSelectElement>("uq-interval").selectedOptions[0]?.textContent;
    expect(label()).toBe("new patients");
    await receive(of("16 blocks", 2));
    expect(label()).toBe("new rows");
    await receive(of(null, 3));
    expect(label()).toBe("new rows");
  });

  it("may be a column that is not offered, and is not asked where there is no other", async () => {
    const { one } = await mount(info, inGroups({ groups: "ward" }, "9 wards"));
    expect(one<HTMLSelectElement>("uq-row-groups").value).toBe("ward");
    clearPage();
    const alone = await mount(about, frameWith({}));
    const label = alone.one("uq-row-groups").closest("label");
    expect(label?.hidden).toBe(true);
  });
});

describe("levels of intervals", () => {
  it("hold one at a time or all at once", async () => {
    const { one, lastRequest, receive } = await mount(about, frameWith({}));
    const box = one<HTMLInputElement>("uq-simultaneous");
    expect(box.checked).toBe(false);
    box.click();
    expect(lastRequest()).toEqual({ simultaneous: true });
    await receive({ ...frameWith({ simultaneous: true }), seq: 2 });
    expect(box.checked).toBe(true);
  });

  it("are no choice on a page that holds one of them", async () => {
    const { one } = await mount({ ...about, simultaneous: [true] }, frameWith({}));
    expect(one("uq-simultaneous").closest("label")?.hidden).toBe(true);
  });
});

describe("the rows that would make an importance clear", () => {
  const row = about.features.length;
  const needed = (numbers: number[], of: Partial<Inputs> = {}) =>
    frameWith(
      of,
      {},
      { needed: Array.from({ length: 2 * row }, (_, i) => numbers[i] ?? Number.NaN) },
    );
  const titleOf = (all: (id: string) => HTMLElement[], name: string) =>
    all("uq-importance-row").find(({ dataset }) => dataset.feature === name)?.title ?? "";
  const [first, second, third] = about.features.map(({ name }) => name) as [string, string, string];

  it("are said where the pointer is, of rows or of what they belong to", async () => {
    const { all, receive } = await mount(about, needed([1234, Number.POSITIVE_INFINITY]));
    expect(titleOf(all, first)).toContain("clear of 0 with about 1,200 rows");
    expect(titleOf(all, second)).toContain("not clear with any number of rows");
    expect(titleOf(all, third)).not.toContain("clear");
    const grouped = { ...needed([52]), seq: 2 };
    Object.assign(grouped.meta, { in_groups: "30 patients" });
    await receive(grouped);
    expect(titleOf(all, first)).toContain("clear of 0 with about 52 patients");
  });
});
