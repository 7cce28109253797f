// The order of the rooms, the lowest first; a room imports values only from itself and from those below.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { expect, it } from "vitest";

const ROOMS = [
  "styles",
  "widget",
  "session",
  "charts",
  "controls",
  "help",
  "pins",
  "cohorts",
  "saving",
  "views",
  "page",
  "teach",
  "index.ts",
];
const SRC = join(import.meta.dirname, "../src");
const roomOf = (path: string) => ROOMS.indexOf(relative(SRC, path).split(sep)[0] ?? "");
const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => join(SRC, name));

/** The paths of the files that a file imports, without those of which it takes types alone. */
function imports(path: string): string[] {
  const found = readFileSync(path, "utf8").matchAll(
    /^(?:import|export)\s+(?!type\b)(?:[^;"]*?from )?"(\.[^"]+)"|import\("(\.[^"]+)"\)/gm,
  );
  return [...found].map(([, once, later]) => join(dirname(path), once ?? later ?? ""));
}

it("has each file in a room, and no import of a higher room but for types", () => {
  expect(files.filter((path) => roomOf(path) < 0)).toEqual([]);
  const upward = files.flatMap((path) =>
    imports(path)
      .filter((other) => roomOf(other) > roomOf(path))
      .map((other) => `${relative(SRC, path)} imports ${relative(SRC, other)}`),
  );
  expect(files.flatMap(imports).length).toBeGreaterThan(200);
  expect(upward).toEqual([]);
});
