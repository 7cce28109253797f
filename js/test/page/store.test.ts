import { expect, test } from "vitest";
import { Store } from "../../src/page/store.ts";

/** Four columns at three levels as a product, two with a gap as scaled levels, lines of two rows, and flags, as Python stores them. */
const TEXTS = {
  "": "eNqtkkEOgyAQRe8yaxYi2qZexbgwiMWUQqMY0xrv3kHTYBtiXbgDMu/xZ2AEblR/1x1k+QiVfT4EZDBIowQQ6GTp9jklrCBg2kq0kMV43rzEvOCy1zcEjBYwkS1B4gV0h6BO1nTxIZKdRLKHODYkm+m2dJUIK1FbyCI8aa7SLj5eqkVo8WKs5LhjqBfauiv3NheHmrODOZJgZGaWxCef8RwYy6Yo+Haq0aI7lknXgS8+MI0Cif+4YpK6j1AjTbegnn5Bfsr0ZzjF9AbjFQoO",
  one: "eNrbks7AxMoQbcnAwGbJwOBrvcuSi+ssw/XrZxiUlc802NjY2k+4MV+RkY+BAQDj+QuJ",
  two: "eNoFwUEBADAIxLDWFT8mbdJmDG4JKFQB3NdnZl2TEFA/hd0KKQ==",
  lines: "eNrLF2q2ZmBgcHj++QvDF4YvL77wMDMyMjAyMDIz/gMAkUoJJw==",
};
const [PRODUCT, SCALED, LINES, FLAGS] = [5, 8, 12, 13];

const opened = async () => {
  const store = await Store.open(TEXTS);
  await store.load([PRODUCT, SCALED, LINES, FLAGS]);
  return store;
};

test("levels are read from a product to within the error of each column", async () => {
  const store = await opened();
  const read = store.lines(PRODUCT, 0, 3, 0, 4);
  const units = [0.01, 0.01, 0.1, 1];
  for (let level = 0; level < 3; level++)
    units.forEach((unit, k) => {
      const expected = (level + 1) * 10 ** k + k;
      expect(Math.abs((read[4 * level + k] as number) - expected)).toBeLessThan(unit);
    });
  expect([...store.lines(PRODUCT, 1, 2, 2, 1)]).toEqual([read[6], read[10]]);
});

test("scaled levels have gaps, and flags their values", async () => {
  const store = await opened();
  const rounded = [...store.lines(SCALED, 0, 3, 0, 2)].map((x) => Math.round(1e3 * x) / 1e3);
  expect(rounded).toEqual([0, 5, 1, Number.NaN, 2, 7]);
  expect([...store.lines(FLAGS, 1, 1, 0, 2)]).toEqual([1, 1]);
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
