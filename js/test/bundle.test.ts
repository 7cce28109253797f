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

  it("stays within 122 KB raw and 43.5 KB gzip, and each part within 30 and 10", () => {
    const { raw, gzip } = sizeOf(CORE);
    expect(raw).toBeGreaterThan(10_000);
    expect(raw).toBeLessThanOrEqual(122_000);
    expect(gzip).toBeLessThanOrEqual(43_500);
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

  it("has each part as a function of what this core exports, without a copy of it", async () => {
    const text = script("index.js");
    const [, name, build] = text.match(/(\w+)=\{build:"(\w+)",exports:\[/) ?? [];
    const load = (source: string) =>
      import(`data:text/javascript,${encodeURIComponent(source)}`) as Promise<
        Record<string, Record<string, never>>
      >;
    const { core } = await load(`${text}export{${name} as core};`);
    const exported = core?.exports as unknown as unknown[];
    expect(exported).not.toContain(undefined);
    const names = Object.keys(files).filter((name) => /^parts.*js$/.test(name));
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) {
      expect(script(name)).not.toContain("createElement");
      const part = (await load(script(name))).default as unknown as {
        build: string;
        make(exported: unknown[]): object;
      };
      expect(part.build).toBe(build);
      // The core has every place that the part reads.
      const strict = new Proxy(exported, {
        get: (list, at) => (at in list ? list[Number(at)] : expect.fail(`${name}: ${String(at)}`)),
      });
      expect(Object.keys(part.make(strict))).not.toEqual([]);
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
