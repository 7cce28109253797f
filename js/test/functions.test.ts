import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const SOURCES = resolve("src");
const MOST_LINES = 65;

/** The number of lines of a function, of which other functions in it hold none. */
function ownLines(node: ts.Node, source: ts.SourceFile): number {
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const lines = new Set<number>();
  for (let k = lineOf(node.getStart(source)); k <= lineOf(node.end); k++) lines.add(k);
  const leaveOut = (child: ts.Node): void => {
    if (!ts.isFunctionLike(child)) {
      ts.forEachChild(child, leaveOut);
      return;
    }
    for (let k = lineOf(child.getStart(source)) + 1; k <= lineOf(child.end); k++) lines.delete(k);
  };
  ts.forEachChild(node, leaveOut);
  return lines.size;
}

test(`no function has more than ${MOST_LINES} lines of its own`, () => {
  const long: string[] = [];
  for (const name of readdirSync(SOURCES, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts")) continue;
    const text = readFileSync(join(SOURCES, name), "utf8");
    const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest);
    const visit = (node: ts.Node): void => {
      const lines = ts.isFunctionLike(node) ? ownLines(node, source) : 0;
      if (lines > MOST_LINES) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
        long.push(`${name}:${line + 1} has ${lines}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  expect(long).toEqual([]);
});
