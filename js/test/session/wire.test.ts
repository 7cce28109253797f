import { describe, expect, it } from "vitest";
import { readFrame, seqOf } from "../../src/session/frame.ts";
import { readModelInfo } from "../../src/session/modelInfo.ts";
import { Columns, WireError } from "../../src/session/wire.ts";
import { viewsNamed } from "../../src/views/index.ts";
import { aboutBinary, aboutMulti, wireFrame } from "../fixtures.ts";

const f8 = Float64Array.of(1.5, Number.NaN, -3);
const described = { x: { dtype: "f8", shape: [3] } };

/** The same bytes at an odd offset of a larger buffer. */
function shifted(by: number): ArrayBuffer {
  const buffer = new ArrayBuffer(f8.byteLength + by + 5);
  new Uint8Array(buffer).set(new Uint8Array(f8.buffer), by);
  return buffer;
}

describe("columns", () => {
  const forms: [string, unknown][] = [
    ["ArrayBuffer", f8.buffer],
    ["DataView", new DataView(f8.buffer)],
    ["Uint8Array", new Uint8Array(f8.buffer)],
    ["DataView at byte 3", new DataView(shifted(3), 3, f8.byteLength)],
    ["Uint8Array at byte 1", new Uint8Array(shifted(1), 1, f8.byteLength)],
    ["base64", btoa(String.fromCharCode(...new Uint8Array(f8.buffer)))],
  ];
  it.each(forms)("arrive as %s", (_, raw) => {
    expect([...new Columns(described, { x: raw }).get("x", [3])]).toEqual([1.5, Number.NaN, -3]);
  });

  it.each([
    ["f4", Float32Array.of(0.5, -2)],
    ["i4", Int32Array.of(-7, 70_000)],
    ["u1", Uint8Array.of(0, 255)],
  ] as const)("come in %s", (dtype, values) => {
    const columns = new Columns({ x: { dtype, shape: [2] } }, { x: new DataView(values.buffer) });
    expect([...columns.get<typeof values>("x", [2])]).toEqual([...values]);
  });

  it("may be empty", () => {
    const columns = new Columns({ x: { dtype: "f4", shape: [0, 50] } }, { x: new ArrayBuffer(0) });
    expect(columns.get("x", [0, 50])).toHaveLength(0);
  });

  const broken: [string, unknown, unknown, RegExp][] = [
    ["are missing", described, {}, /"x" that did not arrive as bytes/],
    ["are no bytes", described, { x: 5 }, /did not arrive as bytes/],
    ["are no base64", described, { x: "a text" }, /did not arrive as bytes/],
    [
      "are of an unknown type",
      { x: { dtype: "c16", shape: [3] } },
      { x: f8.buffer },
      /unknown type "c16"/,
    ],
    [
      "borrow a type from the prototype",
      { x: { dtype: "toString", shape: [3] } },
      { x: f8.buffer },
      /unknown type/,
    ],
    [
      "are too short",
      { x: { dtype: "f8", shape: [4] } },
      { x: f8.buffer },
      /holds 24 bytes where its shape asks for 32/,
    ],
    ["have no shape", { x: { dtype: "f8", shape: [-3] } }, { x: f8.buffer }, /has no shape/],
    ["are not described", { x: null }, { x: f8.buffer }, /is not described/],
    ["do not exist at all", null, null, /no columns/],
  ];
  it.each(broken)("that %s are named in a sentence", (_, descriptions, cols, message) => {
    const read = () => new Columns(descriptions, cols).get("x", [null]);
    expect(read).toThrow(message);
    expect(read).toThrow(WireError);
  });

  it("that are broken do not affect others", () => {
    const columns = new Columns({ ...described, y: null }, { x: f8.buffer });
    expect(columns.get("x", [3])).toHaveLength(3);
  });

  it("of a wrong shape are refused", () => {
    const columns = new Columns(described, { x: f8.buffer });
    expect(() => columns.get("x", [4])).toThrow(/"x" of shape \(3\) where \(4\) belongs/);
    expect(() => columns.get("y", [3])).toThrow(/lacks the column "y"/);
  });
});

describe("frames", () => {
  const about = aboutBinary();

  it("are read completely", () => {
    const frame = readFrame(viewsNamed, wireFrame(about, 12, { tau: 0.5 }), about);
    expect(frame.seq).toBe(12);
    expect(frame.final).toBe(true);
    expect(frame.importance?.value).toHaveLength(60);
    expect(frame.dependence?.ice).toHaveLength(60 * 50);
    expect(frame.dependence?.bins).toBe(20);
    expect(frame.stress?.value).toHaveLength(30 * 21);
    expect(frame.stress?.now?.tau).toBe(0.5);
  });

  it("of a categorical feature need no edges: one bin per category", () => {
    const multi = aboutMulti();
    const frame = readFrame(viewsNamed, wireFrame(multi, 1, { feature: "site" }), multi);
    expect(frame.dependence?.edges).toBeNull();
    expect(frame.dependence?.bins).toBe(4);
    expect(frame.dependence?.labels?.[0]).toBe("north");
  });

  it("may lack any part", () => {
    const raw = wireFrame(about, 3);
    Object.assign(raw.meta, { importance: null, dependence: null, stress: null, cols: {} });
    raw.cols = {};
    const frame = readFrame(viewsNamed, raw, about);
    expect([frame.importance, frame.dependence, frame.stress]).toEqual([null, null, null]);
  });

  it("keep NaN in columns", () => {
    const frame = readFrame(viewsNamed, wireFrame(about, 1), about);
    expect(frame.stress?.value[3 * 21]).toBeNaN();
    expect(frame.stress?.status[3 * 21]).toBe(2);
  });

  it("of another schema are refused with advice", () => {
    expect(() => readFrame(viewsNamed, { ...wireFrame(about, 1), schema: 2 }, about)).toThrow(
      /version 2, this page reads version 1; restart the kernel/,
    );
    expect(() => readModelInfo({ ...about, schema: 9 })).toThrow(/version 9/);
  });

  it("without a required column are refused with its name", () => {
    const raw = wireFrame(about, 1);
    delete raw.cols["importance.low"];
    delete raw.meta.cols["importance.low"];
    const frame = readFrame(viewsNamed, raw, about);
    expect(frame.faults).toEqual([expect.stringMatching(/lacks the column "importance.low"/)]);
    expect(frame.importance).toBeNull();
  });

  it.each(["importance", "dependence", "stress"] as const)(
    "with a broken %s show the other parts, and of it what the frame before showed",
    (name) => {
      const before = readFrame(viewsNamed, wireFrame(about, 1), about);
      const raw = wireFrame(about, 2, { tau: 0.5 });
      for (const column of Object.keys(raw.cols))
        if (column.startsWith(`${name}.`)) delete raw.cols[column];
      const frame = readFrame(viewsNamed, raw, about, before);
      expect(frame.seq).toBe(2);
      expect(frame.faults).toHaveLength(1);
      expect(frame[name]).toBe(before[name]);
      for (const other of ["importance", "dependence", "stress"] as const)
        if (other !== name) expect(frame[other]).not.toBe(before[other]);
      expect(readFrame(viewsNamed, raw, about)[name]).toBeNull();
    },
  );

  it.each([
    ["importance", { measures: undefined }, /lacks "importance.measures"/],
    ["importance", { measures: [{ name: "nll" }] }, /lacks "importance.measures\[0\].label"/],
    ["importance", { order: ["first"] }, /has at "importance.order" no list of indices/],
    ["dependence", { label: 5 }, /has at "dependence.label" no text/],
    ["dependence", { n_rows: "many" }, /has at "dependence.n_rows" no number/],
    ["stress", { stale: "no" }, /has at "stress.stale" no truth value/],
    ["stress", { now: { feature: "a" } }, /lacks "stress.now.tau"/],
  ] as const)("with a scalar of %s that is wrong say which: %o", (name, change, sentence) => {
    const before = readFrame(viewsNamed, wireFrame(about, 1), about);
    const raw = wireFrame(about, 2);
    Object.assign(raw.meta[name], change);
    const frame = readFrame(viewsNamed, raw, about, before);
    expect(frame.faults).toEqual([expect.stringMatching(sentence)]);
    expect(frame[name]).toBe(before[name]);
  });

  it("with invalid inputs are refused", () => {
    const raw = wireFrame(about, 1);
    expect(() =>
      readFrame(viewsNamed, { ...raw, inputs: { ...raw.inputs, tau: "1" } }, about),
    ).toThrow(/unreadable reply/);
  });

  it("have a readable seq even if they are invalid", () => {
    expect(seqOf({ seq: 5, meta: "?" })).toBe(5);
    expect(seqOf({})).toBeNull();
    expect(seqOf(null)).toBeNull();
    expect(() => readFrame(viewsNamed, { seq: 5, meta: "?" }, about)).toThrow(/unreadable reply/);
  });

  it("about an unknown model are refused", () => {
    expect(() => readModelInfo({})).toThrow(/description of the model is missing/);
    const { features, ...rest } = about;
    expect(() => readModelInfo({ schema: 1, ...rest })).toThrow(/model lacks "features"/);
    const [first, ...others] = features;
    const nameless = [...others, { ...first, name: 7 }];
    expect(() => readModelInfo({ schema: 1, ...rest, features: nameless })).toThrow(
      /has at "features\[\d+\].name" no text; run the cell again/,
    );
  });
});
