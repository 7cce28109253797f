import { expect, test } from "vitest";
import { bytesOf } from "../src/page/store.ts";

test("bytes are read from their text as Python writes it", () => {
  const bytes = [...new TextEncoder().encode("page "), 0, 255];
  expect([...bytesOf("JR1lW6 1`")]).toEqual(bytes);
  expect(bytesOf("").length).toBe(0);
});
