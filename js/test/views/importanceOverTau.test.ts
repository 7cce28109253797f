import { afterEach, describe, expect, it } from "vitest";
import { type OverTau, readOverTau } from "../../src/session/overTau.ts";
import { LEVELS, linesOf } from "../../src/views/importance_over_tau/reader.ts";
import { aboutBinary, inputsOf, wireFrame } from "../fixtures.ts";
import { clearPage, mount, painted } from "../mount.ts";

const binary = aboutBinary();
const about = { ...binary, views: [...binary.views, "importance_over_tau"] };
const P = about.features.length;
const M = 2;
afterEach(clearPage);

/**
 * Levels of importance: feature i has the value (i + 1) * (1 + τ) of the first measure, without levels below 0. The
 * upper ends of the first level are higher by `far`.
 */
function levels(inputs: object, below = 0, far = 0) {
  const taus: number[] = LEVELS.filter((tau) => tau >= 0 || below > 0);
  const count = taus.length;
  const column = (shift: number) =>
    Float32Array.from({ length: count * M * P }, (_, k) => {
      const tau = taus[Math.floor(k / (M * P))] ?? 0;
      return ((k % P) + 1) * (1 + tau) + shift;
    });
  const cols = {
    "importance.value": column(0),
    "importance.low": column(-1),
    "importance.high": column(1).map((v, k) => (k < M * P ? v + far : v)),
  };
  const described = Object.keys(cols).map((name) => [name, { dtype: "f4", shape: [count, M, P] }]);
  return {
    schema: wireFrame(about, 1).schema,
    seq: 1,
    inputs,
    meta: {
      cols: Object.fromEntries(described),
      levels: taus,
      columns: Object.keys(cols),
      texts: {},
    },
    cols: Object.fromEntries(
      Object.entries(cols).map(([name, v]) => [name, new DataView(v.buffer)]),
    ),
  };
}

const frame = (changes = {}, why: string | null = null) => {
  const raw = wireFrame(about, 1, { views: ["importance_over_tau"], ...changes });
  raw.meta.importance_over_tau = { stale: false, at: 0, label: "nll", unit: "nats", why };
  return raw;
};

/** The heights of all points of some paths, in pixels from the top of the chart. */
const heightsOf = (root: ParentNode, paths: string): number[] =>
  [...root.querySelectorAll(paths)].flatMap((path) =>
    [...(path.getAttribute("d") ?? "").matchAll(/,(-?[\d.]+)/g)].map(([, y]) => Number(y)),
  );

describe("lines of importance over τ", () => {
  it("keep a third of the height where a band is far wider than the others", async () => {
    const { root, model } = await mount(about, frame());
    const heights = async (far: number) => {
      model.receive(
        "_over_tau",
        levels(inputsOf(about, { views: ["importance_over_tau"] }), 0, far),
      );
      await painted();
      const numbers = heightsOf(root, ".uq-feature-lines path");
      return Math.max(...numbers) - Math.min(...numbers);
    };
    expect(await heights(0)).toBeGreaterThan(100);
    expect(await heights(1e4)).toBeGreaterThan(170 / 3 - 17);
  });

  it("are those of the leading features and of the picked one, without levels that cannot be reached", () => {
    const over = readOverTau(levels({})) as OverTau;
    const lines = linesOf(over, 0, P, 0);
    expect(lines.map(({ row }) => row)).toEqual([0, P - 5, P - 4, P - 3, P - 2, P - 1]);
    const [first] = lines;
    LEVELS.forEach((tau, i) => {
      if (tau < 0) expect(first?.value[i]).toBeNaN();
      else {
        expect(first?.value[i]).toBeCloseTo(1 + tau, 5);
        expect(first?.high[i]).toBeCloseTo(2 + tau, 5);
      }
    });
  });

  it("leave most bands whole, also where these are wider than the lines are apart", async () => {
    const { root, model } = await mount(about, frame());
    const over = levels(inputsOf(about, { views: ["importance_over_tau"] }));
    for (const [name, shift] of [
      ["value", 0],
      ["low", -1e3],
      ["high", 1e3],
    ] as const) {
      const view = over.cols[`importance.${name}`] as DataView;
      new Float32Array(view.buffer).forEach((_, i, all) => {
        all[i] = shift;
      });
    }
    model.receive("_over_tau", over);
    await painted();
    const heights = heightsOf(root, ".uq-feature-bands path");
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(22);
    expect(Math.max(...heights)).toBeLessThanOrEqual(192);
    expect(Math.max(...heights) - Math.min(...heights)).toBeGreaterThan(100);
  });

  it("are drawn with their names, which pick their features", async () => {
    const { root, model, all, lastRequest } = await mount(about, frame());
    model.receive("_over_tau", levels(inputsOf(about, { views: ["importance_over_tau"] })));
    await painted();
    const lines = [...root.querySelectorAll(".uq-feature-lines path")];
    const names = all("uq-over-tau-name");
    expect(names).toHaveLength(6);
    expect(lines).toHaveLength(6);
    expect(new Set(lines.map((line) => line.getAttribute("class"))).size).toBe(6);
    expect(names[0]?.getAttribute("aria-pressed")).toBe("true");
    names[5]?.click();
    expect(lastRequest()).toEqual({ feature: about.features[P - 1]?.name });
    const reader = root.querySelector('.uq-importance_over_tau [role="slider"]');
    expect(reader?.getAttribute("aria-label")).toBe("Read nll (nats) along τ");
  });

  it("say why there are none", async () => {
    const { root, receive } = await mount(about, frame({}, "No differences."));
    const empty = () => root.querySelector(".uq-importance_over_tau .uq-empty:not([hidden])");
    expect(empty()?.textContent).toBe("No differences.");
    await receive(frame({ stress_feature: "" }));
    expect(empty()?.textContent).toContain("Choose a feature to stress");
  });

  it("are awaited where work was stopped before importance was known for all rows", async () => {
    const { root, model } = await mount(about, frame());
    const { meta, cols, ...rest } = levels(inputsOf(about, { views: ["importance_over_tau"] }));
    const [[, column] = []] = Object.entries(meta.cols);
    const others = { "stress.value": column };
    model.receive("_over_tau", {
      ...rest,
      meta: { ...meta, cols: others, columns: Object.keys(others) },
      cols: { "stress.value": cols["importance.value"] },
    });
    await painted();
    const empty = root.querySelector(".uq-importance_over_tau .uq-empty:not([hidden])");
    expect(empty?.textContent).toBe(
      "Importance is not known for all rows yet, so there is no line.",
    );
  });
});
