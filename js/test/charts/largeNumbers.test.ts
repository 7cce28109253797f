import { afterEach, describe, expect, it, vi } from "vitest";
import type { Feature } from "../../src/session/modelInfo.ts";
import { aboutMulti, aboutRegression, wireFrame } from "../fixtures.ts";
import { clearPage, mount, slide } from "../mount.ts";

afterEach(clearPage);

/** A frame whose numbers have the sizes at both ends of what a float holds. */
function scaled(about: ReturnType<typeof aboutRegression>, size: number, changes = {}) {
  const raw = wireFrame(about, 1, changes);
  const scaledColumns =
    /\.(grid|edges|average|low|high|base|value|ends|reached|ice|predicted|true)$/;
  for (const [name, view] of Object.entries<DataView>(raw.cols)) {
    if (!scaledColumns.test(name)) continue;
    const isSingle = raw.meta.cols[name].dtype === "f4";
    const values = isSingle ? new Float32Array(view.buffer) : new Float64Array(view.buffer);
    const most = Math.max(...Array.from(values, (value) => Math.abs(value) || 0)) || 1;
    const at = isSingle ? Math.min(size, 3e38) : size;
    values.forEach((value, i) => {
      values[i] = (i % 2 ? -1 : 1) * (value / most) * at;
    });
    if (/grid|edges/.test(name)) values.sort();
  }
  return raw;
}

describe("numbers at the ends of what a float holds", () => {
  for (const size of [1.79e308, 9e307, 5e-324, 1e-310])
    it(`are drawn at ${size}`, async () => {
      for (const about of [aboutRegression(), aboutMulti()]) {
        const wide = {
          ...about,
          features: about.features.map((one) =>
            one.kind === "numeric" ? { ...one, min: -size, max: size } : one,
          ),
        };
        const { name } = wide.features[0] as Feature;
        const ice_filter = [{ feature: name, low: -size, high: size / 2 }];
        const { root, one, lastRequest } = await mount(
          wide,
          scaled(about, size, { tau: 0.5, ice_filter }),
        );
        expect(root.dataset.seq).toBe("1");
        await vi.waitFor(() => one("uq-filter-low"), 10_000);
        slide(root.querySelector(".uq-filter-list input[type=range]") as HTMLInputElement, 1);
        await vi.waitFor(() => expect(lastRequest()).not.toEqual({}));
        if (size > 1) expect(JSON.stringify(lastRequest())).not.toContain("null");
        const broken = [...root.querySelectorAll("*")].flatMap((element) =>
          [...element.attributes]
            .filter(({ value }) => /NaN|Infinity|undefined/.test(value))
            .map(({ name, value }) => `${element.localName} ${name}="${value.slice(0, 60)}"`),
        );
        expect([...new Set(broken)]).toEqual([]);
        expect(root.textContent).not.toMatch(/NaN|Infinity/);
        clearPage();
      }
    });
});
