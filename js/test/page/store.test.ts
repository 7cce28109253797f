import { expect, test } from "vitest";
import { Store } from "../../src/page/store.ts";

/** Four columns at three levels as a product, two with a gap as scaled levels, lines of two rows, and flags, as Python stores them. */
const TEXTS = {
  "": "eNqVkNEOgiAUht/lXHORhq14FeeFQwwXQUOcK+e7R1DmskjuOGzff77/DECV6M6yBZIPUJnrhQGBnivBAEHLy8ecp2hbIFC6YhpIav+bG3MPyjt5soCSDEYUCsDvgGRFQI3ndPEi8EoCxxOuomC1AbJBoJsjN16VlsK7GttJl5LaaRtT/dvtZlqmV5HVw4Tb5y1INvnvfuNL4yxsLBrJ2kjnf4zb+bTeT9aHUECXLGr7tclH12K8A1Ye5Ac=",
  one: "eNpjYmTwnMLAwMDAzscw4cZ8xbQJDAyMfAwMDMwMDAx+DC0NXPbWXFxnGa5fP8OgrHymwcbG1h4A/kcL3Q==",
  two: "eNpjuMAg8MCegZ1BfeMiBgYGhv//GRgYGBiZ8/OFhJqbrawYGBkYGBkBtYcIAg==",
  lines: "eNpj+MLAwPDlM8MLGwZGBgYGRkYG5m8MMPAfzmLMzxcSam62tgYA5lsIeg==",
};
const [PRODUCT, SCALED, LINES, FLAGS] = [4, 7, 10, 11];

const opened = async () => {
  const store = await Store.open(TEXTS);
  await store.load([PRODUCT, SCALED, LINES, FLAGS]);
  return store;
};

test("levels are read from a product to within the error of each column", async () => {
  const store = await opened();
  const read = store.levels(PRODUCT, 0, 3, 0, 4);
  const units = [0.01, 0.01, 0.1, 1];
  for (let level = 0; level < 3; level++)
    units.forEach((unit, k) => {
      const expected = (level + 1) * 10 ** k + k;
      expect(Math.abs((read[4 * level + k] as number) - expected)).toBeLessThan(unit);
    });
  expect([...store.levels(PRODUCT, 1, 2, 2, 1)]).toEqual([read[6], read[10]]);
});

test("scaled levels have gaps, and flags their values", async () => {
  const store = await opened();
  const rounded = [...store.levels(SCALED, 0, 3, 0, 2)].map((x) => Math.round(1e3 * x) / 1e3);
  expect(rounded).toEqual([0, 5, 1, Number.NaN, 2, 7]);
  expect([...store.levels(FLAGS, 1, 1, 0, 2)]).toEqual([1, 1]);
});

test("lines of rows are read in steps of their axis", async () => {
  const { shape, data } = (await opened()).column(LINES);
  expect(shape).toEqual([2, 5]);
  [0, 1, 2, 3, 4, 1, 1, 1, 3].forEach((value, i) => {
    expect(Math.abs((data[i] as number) - value)).toBeLessThan(0.0021);
  });
  expect(data[9]).toBeNaN();
});

test("a column that is not there is an error", async () => {
  const store = await opened();
  expect(() => store.column(99)).toThrow(/no column 99/);
});

test("no number is read from a chunk that fails its checksum", async () => {
  // Of the two last bytes of the Adler-32, one is another.
  const store = await Store.open({ ...TEXTS, lines: TEXTS.lines.replace(/eg==$/, "ew==") });
  expect(store.texts.lines).not.toBe(TEXTS.lines);
  await store.load([FLAGS]);
  await expect(store.load([LINES])).rejects.toThrow();
  expect(() => store.column(LINES)).toThrow(/not loaded/);
});
