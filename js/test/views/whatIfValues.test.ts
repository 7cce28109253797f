import { expect, test } from "vitest";
import { millisecondsOf, momentOf } from "../../src/views/selection/moments.ts";
import { nearest } from "../../src/views/selection/values.ts";

const DAY = 86_400_000;

test("a moment travels as milliseconds of the clock of its column and back", () => {
  expect(momentOf(1.5 * DAY)).toBe("1970-01-02T12:00:00.000");
  expect(millisecondsOf("1970-01-02T12:00:00.000")).toBe(1.5 * DAY);
  expect(millisecondsOf("1970-01-02T12:00:00+05:00")).toBe(1.5 * DAY);
  expect(millisecondsOf("1970-01-02")).toBe(DAY);
});

test("the slider of a value stands at the nearest place of the curve", () => {
  expect(nearest([0, 1, 4], 2.6, false)).toBe(2);
  expect(nearest(["a", "b", "c"], "b", false)).toBe(1);
  const days = [0, 10, 20].map((n) => momentOf(n * DAY));
  expect(nearest(days, "1970-01-17", true)).toBe(2);
  expect(nearest(days, "1970-01-12T23:00:00", true)).toBe(1);
});

test("a value that is missing or no category of the curve leaves the slider at its start", () => {
  expect(nearest([0, 1, 4], null, false)).toBe(0);
  expect(nearest(["a", "b"], "z", false)).toBe(0);
});
