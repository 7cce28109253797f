import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clearPage } from "./mount.ts";

let folder = "";
const files: Record<string, string> = {};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "uq-bundle-"));
  execFileSync(process.execPath, ["build.mjs", folder], { stdio: "pipe" });
  for (const name of ["index.js", "styles.css"])
    files[name] = readFileSync(join(folder, name), "utf8");
}, 30_000);

afterAll(() => {
  clearPage();
  rmSync(folder, { recursive: true, force: true });
});

describe("the bundle", () => {
  it("stays within 130 KB raw and 45 KB gzip", () => {
    const all = Object.values(files);
    const raw = all.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const gzip = all.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
    expect(raw).toBeGreaterThan(10_000);
    expect(raw).toBeLessThanOrEqual(130_000);
    expect(gzip).toBeLessThanOrEqual(45_000);
  });

  it.each([
    /\binnerHTML\b/,
    /\bouterHTML\b/,
    /\binsertAdjacentHTML\b/,
    /\bdocument\.write/,
    /\beval\b/,
    /\bnew Function\b/,
    /\bimport\(/,
    /\bfetch\(/,
    /\bXMLHttpRequest\b/,
    /sourceMappingURL/,
    /@import/,
  ])("is free of %s", (pattern) => {
    for (const text of Object.values(files)) expect(text).not.toMatch(pattern);
  });

  it("names no address but the namespaces of SVG and XHTML", () => {
    const namespaces =
      /^http:\/\/www\.w3\.org\/(2000\/svg|1999\/xhtml|1999\/xlink|XML\/1998\/namespace|2000\/xmlns\/)$/;
    const addresses = Object.values(files).flatMap(
      (text) => text.match(/(?:https?:)?\/\/[\w.]+\.[a-z]+[^"'`)\s]*/g) ?? [],
    );
    expect(addresses.filter((address) => !namespaces.test(address))).toEqual([]);
  });

  it("exports a factory and nothing else", () => {
    const exported = files["index.js"]?.match(/export\s*\{([^}]*)\}/g) ?? [];
    expect(exported).toHaveLength(1);
    expect(exported[0]).toMatch(/^export\s*\{[\w$]+ as default\}$/);
  });
});
