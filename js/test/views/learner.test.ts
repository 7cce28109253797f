import { afterEach, describe, expect, it } from "vitest";
import { curves } from "../../src/charts/curves.ts";
import { readFrame } from "../../src/session/frame.ts";
import { viewsNamed } from "../../src/views/index.ts";
import { aboutBinary, aboutMulti, besideLearner, wireFrame } from "../fixtures.ts";
import { clearPage, mount, press } from "../mount.ts";

const about = aboutBinary();
const shown = (changes = {}, learner = {}) => besideLearner(wireFrame(about, 1, changes), learner);
const legends = (root: HTMLElement) =>
  [...root.querySelectorAll(".uq-legend")].map((legend) =>
    [...legend.querySelectorAll<HTMLElement>(":scope > .uq-key")]
      .filter(({ hidden }) => !hidden)
      .map(({ textContent }) => textContent),
  );
const openTable = (root: HTMLElement, panel: string) => {
  const details = root.querySelector(`${panel} .uq-twin`) as HTMLDetailsElement;
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
  return [...details.querySelectorAll("tr")].map((row) =>
    [...row.children].map(({ textContent }) => textContent),
  );
};

afterEach(clearPage);

describe("a learner", () => {
  it("is read with the shapes of the model's own panels", () => {
    const { learner } = readFrame(viewsNamed, shown(), about);
    expect(learner?.n_refits).toBe(15);
    expect(learner?.averages.importance?.value).toHaveLength(60);
    expect(learner?.averages.dependence?.high).toHaveLength(50);
    const short = shown();
    short.meta.cols["learner.dependence.low"] = { dtype: "f8", shape: [25, 2] };
    const broken = readFrame(viewsNamed, short, about);
    expect(broken.faults).toEqual([expect.stringContaining("learner.dependence.low")]);
    expect(broken.learner).toBeNull();
    expect(broken.importance).not.toBeNull();
    expect(readFrame(viewsNamed, wireFrame(about, 1), about).learner).toBeNull();
  });

  it("has a mark of another shape below the model's in every row", async () => {
    const { root } = await mount(about, shown());
    const columns = [...root.querySelectorAll(".uq-bars")];
    expect(columns).toHaveLength(2);
    for (const column of columns) {
      const [model, learner] = [".uq-bar circle", ".uq-learner path"].map((mark) => [
        ...column.querySelectorAll(mark),
      ]);
      expect(model).toHaveLength(30);
      expect(learner).toHaveLength(30);
      const whiskers = column.querySelectorAll(".uq-learner line");
      expect([...whiskers].every((whisker) => whisker.hasAttribute("x1"))).toBe(true);
      const y = (group: Element | null) =>
        Number(group?.getAttribute("transform")?.match(/,(.+)\)/)?.[1]);
      const row = (i: number, of: string) => y(column.querySelectorAll(of)[i] as Element);
      expect(row(4, ".uq-learner") - row(4, ".uq-bar")).toBe(15);
      expect(row(5, ".uq-bar")).toBeGreaterThan(row(4, ".uq-learner"));
      expect(Number(column.getAttribute("height"))).toBe(30 * 37);
    }
  });

  it("changes nothing if it is absent", async () => {
    const { root } = await mount(about);
    expect(root.querySelectorAll(".uq-learner path, .uq-importance .uq-legend")).toHaveLength(0);
    expect(root.querySelector(".uq-bars")?.getAttribute("height")).toBe(`${30 * 22}`);
    expect(root.querySelector(".uq-learner-line")?.getAttribute("d")).toBeNull();
    expect(root.textContent).not.toContain("learner");
    expect(openTable(root, ".uq-importance")[0]).not.toContain("learner");
  });

  it("is named in both legends, which say that stress and filters do not apply to it", async () => {
    const { root, receive } = await mount(about, shown());
    const words = "learner, refitted 15 times";
    expect(legends(root).map((keys) => keys.includes(words))).toEqual([true, true]);
    expect(legends(root)[0]?.[0]).toBe("model");
    expect(legends(root)[1]?.[0]).toBe("model, average, 95 % interval");
    await receive(shown({ tau: 0.5 }));
    expect(legends(root)[0]).toContain(`${words} (unstressed)`);
    const ice_filter = [{ feature: "mean radius", low: 2, high: null }];
    await receive(shown({ tau: 0.5, ice_filter }));
    expect(legends(root)[1]).toContain(`${words} (all rows, unstressed)`);
  });

  it.each([
    ["pending", "learner: being computed"],
    ["stopped", "learner: stopped"],
    ["failed", "learner: not available"],
  ])("says why it is not there while %s", async (state, words) => {
    const nothing = { state, importance: false, dependence: false };
    const { root } = await mount(about, shown({}, nothing));
    expect(legends(root).map((keys) => keys.includes(words))).toEqual([true, true]);
    expect(root.querySelectorAll(".uq-learner path")).toHaveLength(0);
    expect(root.querySelectorAll(".uq-bar circle")).toHaveLength(60);
    const height = state === "failed" ? 22 : 37;
    expect(root.querySelector(".uq-bars")?.getAttribute("height")).toBe(`${30 * height}`);
  });

  it("is part of the text of every feature and summary for screen readers", async () => {
    const { root, all } = await mount(about, shown());
    const row = all("uq-importance-row")[0] as HTMLElement;
    expect(row.getAttribute("aria-label")).toMatch(
      /Likelihood-PFI 0\.12 nats \(.+ to .+\), learner 0\.108 nats \(.+ to .+\); Entropy-PFI/,
    );
    const summaries = [...root.querySelectorAll("figure > .uq-sr")].map((p) => p.textContent);
    expect(summaries[0]).toContain(", learner 0.108 nats (");
    expect(summaries[1]).toMatch(
      /That of the learner, mean of 15 refits, goes from 0\.8\d+ at 1 to /,
    );
    const reader = root.querySelector(".uq-dependence .uq-reader") as HTMLElement;
    press(reader, "Home");
    expect(reader.getAttribute("aria-valuetext")).toMatch(
      /, learner 0\.8\d+, its interval 0\.\d+ to /,
    );
  });

  it("is in the tables", async () => {
    const { root } = await mount(about, shown());
    const [head, first] = openTable(root, ".uq-importance");
    const each = ["low", "high", "at τ = 0", "learner", "learner low", "learner high"];
    expect(head).toEqual([
      "feature",
      "Likelihood-PFI (nats)",
      ...each,
      "Entropy-PFI (nats)",
      ...each,
    ]);
    expect(first?.[5]).toBe("0.108");
    const [curve, start] = openTable(root, ".uq-dependence");
    expect(curve?.slice(4)).toEqual([...each.slice(2), "rows around it"]);
    expect(start).toHaveLength(curve?.length as number);
  });

  it("has a curve with a band, and gaps where it is missing", () => {
    const chart = curves();
    const { dependence, learner } = readFrame(viewsNamed, shown(), about);
    learner?.averages.dependence?.value.fill(Number.NaN, 10, 20);
    chart.update(dependence as never, 500, { learner: learner?.averages.dependence ?? null });
    const path = (name: string) => chart.element.querySelector(name)?.getAttribute("d");
    expect(path(".uq-learner-line")?.match(/M/g)).toHaveLength(2);
    expect(path(".uq-learner-band")).toMatch(/Z$/);
    chart.update(dependence as never, 500);
    expect(path(".uq-learner-line")).toBeNull();
  });

  it("has a point below the model's in every category", async () => {
    const multi = aboutMulti();
    const seen = (root: Element) =>
      [...root.querySelectorAll(".uq-category-rows .uq-learner path")].filter(
        (mark) => !mark.hasAttribute("visibility"),
      );
    const { root } = await mount(multi, besideLearner(wireFrame(multi, 1, { feature: "site" })));
    expect(root.querySelectorAll(".uq-category-rows .uq-row-name")).toHaveLength(4);
    expect(seen(root)).toHaveLength(4);
    const { root: alone } = await mount(multi, wireFrame(multi, 1, { feature: "site" }));
    expect(seen(alone)).toHaveLength(0);
  });
});

describe("importance", () => {
  it("says how values are replaced, and that grouped features are replaced one by one", async () => {
    const plain = await mount(about);
    expect(plain.root.querySelector(".uq-importance .uq-note")?.textContent).toBe(
      "values shuffled 10 times over 143 rows",
    );
    clearPage();
    const grouped = aboutBinary();
    (grouped.features[0] as (typeof grouped.features)[0]).group = "size";
    const { root, all } = await mount(grouped, wireFrame(grouped, 1, { n_repeats: 20 }));
    expect(root.querySelector(".uq-importance .uq-note")?.textContent).toBe(
      "values shuffled 10 of 20 times over 143 rows, groups one by one",
    );
    expect(all("uq-importance-row").map((row) => row.getAttribute("aria-label"))).toContainEqual(
      expect.stringMatching(/^mean radius.* in group size; /),
    );
  });

  it("says how many of the rows are evaluated so far", async () => {
    const frame = wireFrame(about, 1, {});
    Object.assign(frame.meta.importance as object, { n_rows_least: 50, n_rows_most: 100 });
    Object.assign(frame.meta.dependence as object, { n_rows_known: 50 });
    const { root } = await mount(about, frame);
    const note = (panel: string) => root.querySelector(`.uq-${panel} .uq-note`)?.textContent;
    expect(note("importance")).toBe("values shuffled 10 times over 50 to 100 of 143 rows so far");
    expect(note("dependence")).toBe("50 of 143 rows so far");
  });
});
