// The example view of docs/how_it_works.md: the distribution of a measure over the rows.

import { section, type View } from "../../../src/views/view.ts";
import { h, setText } from "../../../src/widget/dom.ts";
import { counted, number } from "../../../src/widget/format.ts";

interface Distribution {
  label: string;
  edges: Float64Array;
  counts: Float64Array;
}

export const distribution: View<Distribution> = {
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
