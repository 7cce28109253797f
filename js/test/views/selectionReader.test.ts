// The part of a frame on the selected rows.
import { describe, expect, it } from "vitest";
import { Columns, Fields } from "../../src/session/wire.ts";
import { readSelection } from "../../src/views/selection/reader.ts";
import { aboutBinary } from "../fixtures.ts";

function wireOf(changes: unknown) {
  const columns: Record<string, [string, number[], ArrayBufferView<ArrayBuffer>]> = {
    listed: ["i4", [0], new Int32Array()],
    card: ["i4", [0], new Int32Array()],
    predicted: ["f8", [0], new Float64Array()],
    true: ["f8", [0], new Float64Array()],
    weight: ["f8", [0], new Float64Array()],
    measures: ["f8", [0, 0], new Float64Array()],
    rank: ["f4", [0, 0], new Float32Array()],
    numbers: ["f8", [0, 30], new Float64Array()],
    prediction: ["f8", [0, 0], new Float64Array()],
  };
  const fields = new Fields("The kernel's answer", {
    stale: false,
    n_selected: 0,
    measures: [],
    classes: null,
    span: [0, 1],
    labels: null,
    texts: [],
    what_if: { row: 0, changes, error: null },
  });
  return readSelection(
    fields,
    new Columns(
      Object.fromEntries(
        Object.entries(columns).map(([n, [dtype, shape]]) => [n, { dtype, shape }]),
      ),
      Object.fromEntries(
        Object.entries(columns).map(([n, [, , data]]) => [n, new DataView(data.buffer)]),
      ),
    ),
    aboutBinary(),
  );
}

describe("the changes of a row", () => {
  it("are numbers, texts and missing values", () => {
    const changes = [
      { feature: "a", value: 1.5 },
      { feature: "b", value: "north" },
      { feature: "c", value: null },
    ];
    expect(wireOf(changes).whatIf?.changes).toEqual(changes);
  });

  it.each([{ feature: "a", value: true }, { feature: 3, value: 1 }, { value: 1 }])(
    "are refused where they are anything else: %j",
    (change) => {
      expect(() => wireOf([change])).toThrow(/changes\[0\]/);
    },
  );
});
