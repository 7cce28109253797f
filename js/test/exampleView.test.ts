// A new view takes one folder or file and one line in the list of views. This is the example of docs/how_it_works.md:
// the distribution of a measure over the rows.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { h, setText } from "../src/dom.ts";
import { counted, number } from "../src/format.ts";
import { readFrame } from "../src/frame.ts";
import { VIEWS } from "../src/views/index.ts";
import { section, type View } from "../src/views/view.ts";
import { aboutBinary, wireFrame } from "./fixtures.ts";
import { clearPage, mount } from "./mount.ts";

interface Distribution {
  label: string;
  edges: Float64Array;
  counts: Float64Array;
}

const distribution: View<Distribution> = {
  name: "distribution",
  read(fields, columns) {
    const counts = columns.get("counts", [null]);
    const edges = columns.get("edges", [counts.length + 1]);
    return { label: fields.text("label"), edges, counts };
  },
  panel() {
    const text = h("p", { "data-testid": "distribution" });
    const { element } = section("Distribution", "uq-distribution", [], text);
    return {
      element,
      update({ frame }) {
        const part = (frame as { distribution?: Distribution } | null)?.distribution;
        if (!part) return;
        const { label, edges, counts } = part;
        setText(text, `${label} from ${number(edges[0])}, ${counted(counts.length, "bin")}`);
      },
    };
  },
  summary: ({ label }) => `distribution of ${label}`,
};

const about = aboutBinary();

function frameWith(label: unknown) {
  const raw = wireFrame(about, 1);
  for (const [name, values] of [
    ["edges", [0, 0.5, 1]],
    ["counts", [0.25, 0.75]],
  ] as const) {
    raw.meta.cols[`distribution.${name}`] = { dtype: "f8", shape: [values.length] };
    raw.cols[`distribution.${name}`] = new DataView(Float64Array.from(values).buffer);
  }
  raw.meta.distribution = { label, stale: false };
  return raw;
}

beforeAll(() => void VIEWS.push(distribution));
afterAll(() => void VIEWS.splice(VIEWS.indexOf(distribution), 1));
afterEach(clearPage);

describe("a view in the list", () => {
  it("is read and shown beside the others", async () => {
    const { one, root } = await mount(about, frameWith("entropy"));
    expect(one("distribution").textContent).toBe("entropy from 0, 2 bins");
    expect([...root.querySelectorAll("h3")].map(({ textContent }) => textContent)).toEqual([
      "Importance",
      "Dependence",
      "Stress",
      "Distribution",
    ]);
  });

  it("that cannot be read leaves the others", () => {
    const frame = readFrame(frameWith(3), about);
    expect(frame.faults).toEqual([expect.stringMatching(/has at "distribution.label" no text/)]);
    expect(frame.importance).not.toBeNull();
  });

  it("that the kernel does not send is empty", async () => {
    const { one } = await mount(about, wireFrame(about, 1));
    expect(one("distribution").textContent).toBe("");
  });
});
