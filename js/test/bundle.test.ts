import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clearPage } from "./mount.ts";

let folder = "";
const files: Record<string, string> = {};
const CORE = ["index.js", "styles.css"];
const script = (name: string) => files[name] ?? "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "uq-bundle-"));
  execFileSync(process.execPath, ["build.mjs", folder], { stdio: "pipe" });
  const parts = readdirSync(join(folder, "parts")).map((name) => `parts/${name}`);
  for (const name of [...CORE, ...parts]) files[name] = readFileSync(join(folder, name), "utf8");
}, 240_000);

afterAll(() => {
  clearPage();
  rmSync(folder, { recursive: true, force: true });
});

describe("the bundle", () => {
  const sizeOf = (names: string[]) => {
    const texts = names.map(script);
    const raw = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    return { raw, gzip: texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0) };
  };

  it("stays within 130 KB raw and 45 KB gzip, and each part within 30 and 10", () => {
    const { raw, gzip } = sizeOf(CORE);
    expect(raw).toBeGreaterThan(10_000);
    expect(raw).toBeLessThanOrEqual(130_000);
    expect(gzip).toBeLessThanOrEqual(45_000);
    const names = Object.keys(files).flatMap((name) => name.match(/^parts\/(\w+)\.js$/)?.[1] ?? []);
    expect(names).toContain("performance");
    for (const name of names) {
      const part = sizeOf([`parts/${name}.js`, `parts/${name}.css`]);
      expect(part.raw).toBeLessThanOrEqual(30_000);
      expect(part.gzip).toBeLessThanOrEqual(10_000);
    }
  });

  it.each([
    /\binnerHTML\b/,
    /\bouterHTML\b/,
    /\binsertAdjacentHTML\b/,
    /\bdocument\.write/,
    /\beval\b/,
    /\bnew Function\b/,
    /\bfetch\(/,
    /\bXMLHttpRequest\b/,
    /sourceMappingURL/,
    /@import/,
  ])("is free of %s", (pattern) => {
    for (const text of Object.values(files)) expect(text).not.toMatch(pattern);
  });

  it("imports nothing but the text of a part", () => {
    const imports = Object.values(files).flatMap((text) => text.match(/\bimport\b.{0,9}/g) ?? []);
    expect(imports).toHaveLength(1);
    expect(script("index.js")).toMatch(
      /(\w+)=URL\.createObjectURL\(.*import\(\1\).*URL\.revokeObjectURL\(\1\)/,
    );
  });

  it("has each part as a function of the modules of this core, without a copy of them", async () => {
    const text = script("parts/performance.js");
    const [, build] = text.match(/build:"(\w+)"/) ?? [];
    expect(script("index.js")).toContain(`build:"${build}"`);
    expect(text).not.toContain("createElement");
    const { default: part } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    const any = new Proxy({}, { get: () => () => undefined });
    const { performance } = part.make(new Proxy({}, { get: () => any }));
    expect(performance.name).toBe("performance");
    // The core gives every name that the part takes.
    const taken = [...text.matchAll(/\{([^{}]*)\}=\w+\["(src\/[^"]+)"\]/g)];
    expect(taken.length).toBeGreaterThan(5);
    for (const [, names = "", path] of taken) {
      const [, entries = ""] = script("index.js").match(`"${path}":{([^}]*)}`) ?? [];
      const of = (list: string) => list.split(",").map((item) => item.split(":")[0]);
      expect(of(entries)).toEqual(expect.arrayContaining(of(names)));
    }
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
    const exported = script("index.js").match(/export\s*\{([^}]*)\}/g) ?? [];
    expect(exported).toHaveLength(1);
    expect(exported[0]).toMatch(/^export\s*\{[\w$]+ as default\}$/);
  });
});
