// Builds the front end into the Python package (or the folder that is named), and refuses to grow beyond its budgets.
//
// The core (index.js, styles.css) is copied into every widget instance and every saved notebook, so each kilobyte is paid for
// many times. What `import(...)` names is a part: a file of its own in parts/, which a page loads once when it is needed
// (src/session/parts.ts). A part gets what it imports from the core as its parameter, so it holds no second copy of it.
import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { minify } from "terser";

const CORE_LIMITS = { raw: 122_000, gzip: 43_500 };
const PART_LIMITS = { raw: 30_000, gzip: 10_000 };
const LESSON_LIMITS = { raw: 75_000, gzip: 27_000 };

const here = fileURLToPath(new URL(".", import.meta.url));
const target = process.argv[2] ?? join(here, "../uqwidgets/static");
const CORE = join(here, "src/session/core.ts");

// A scale of d3 interpolates values of any type, colours among them, and formats the labels of ticks. Ours are of numbers
// alone and have labels of their own, so 15 KB can stay away.
// The d3 modules are held at the last releases that ship one file per function: the flat files of later ones keep 20 KB
// that nothing here uses.
const numbersOnly = {
  name: "scales of numbers only",
  setup({ onLoad }) {
    onLoad({ filter: /d3-interpolate[/\\]src[/\\]value\.js$/ }, () => ({
      contents: 'export { default } from "./number.js";',
    }));
    onLoad({ filter: /d3-scale[/\\]src[/\\]tickFormat\.js$/ }, () => ({
      contents: "export default () => {};",
    }));
  },
};

/** Bundles one file and returns its script, its style and the absolute paths of its sources. */
async function bundle(entry, ...plugins) {
  const { outputFiles, metafile } = await build({
    plugins: [numbersOnly, ...plugins],
    entryPoints: [entry],
    outdir: target,
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: ["es2022", "safari16.4"],
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  const text = (ending) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  const inputs = Object.keys(metafile.inputs).map((path) => resolve(here, path));
  return { script: text(".js"), style: text(".css").trim(), inputs: new Set(inputs) };
}

/** Puts the name of a part in the place of each `import(...)`, and adds the part's entry to `parts`. */
const importsOf = (parts) => ({
  name: "parts",
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined;
      const entry = resolve(resolveDir, path);
      const file = basename(entry, ".ts");
      const name = file === "index" ? basename(dirname(entry)) : file;
      if ((parts.get(name) ?? entry) !== entry) throw new Error(`Two parts are named ${name}.`);
      parts.set(name, entry);
      return { path: `part:${name}`, external: true };
    });
  },
});
const named = (script) => script.replace(/\bimport\("part:(\w+)"\)/g, '"$1"');

/** Leaves the modules of the core out of a part; `load` returns what stands in their place, or they stay imports. */
const withoutCore = (core, load) => ({
  name: "without the core",
  setup({ onResolve, onLoad, resolve: find }) {
    onResolve({ filter: /^[^/]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === "core" || kind === "dynamic-import") return undefined;
      const { path: file } = await find(path, { kind, resolveDir, pluginData: "core" });
      if (!core.has(file)) return undefined;
      if (file.endsWith(".css")) return { path: file, namespace: "empty" };
      const name = relative(here, file).replaceAll("\\", "/");
      return load ? { path: name, namespace: "core" } : { path: `core:${name}`, external: true };
    });
    onLoad({ filter: /./, namespace: "core" }, ({ path }) => ({ contents: load(path) }));
    onLoad({ filter: /./, namespace: "empty" }, () => ({ contents: "" }));
  },
});

/** What the parts take from the core: a name of a module ("src/widget/dom.ts h"), and its place in the list of all. */
const taken = new Map();

/** Bundles a part as a function from what parts take from the core to the module of the part. */
async function bundlePart(entry, core, ...plugins) {
  const first = await bundle(entry, ...plugins, withoutCore(core));
  const names = new Map();
  for (const [, list, path] of first.script.matchAll(/import\{([^}]*)\}from"core:([^"]+)"/g))
    for (const item of list.split(",")) {
      const [name] = item.split(" as ");
      const key = `${path} ${name}`;
      if (!taken.has(key)) taken.set(key, taken.size);
      names.set(path, (names.get(path) ?? new Map()).set(name, taken.get(key)));
    }
  const load = (path) =>
    Array.from(names.get(path), ([name, at]) => `export const ${name}=fromCore[${at}];`).join("");
  const { script, style } = await bundle(entry, ...plugins, withoutCore(core, load));
  // Any other form of export is a syntax error within the function.
  const body = script.replace(/export\{([^}]*)\};?\s*$/, (_, list) => {
    const pairs = list.split(",").map((item) => item.split(" as "));
    return `return{${pairs.map(([one, as = one]) => `${as}:${one}`)}}`;
  });
  return { make: `fromCore=>{${body}}`, style };
}

/** The module `src/session/core.ts` with what the parts take from the core. */
const filledCore = (build) => ({
  name: "core for parts",
  setup({ onLoad }) {
    const keys = [...taken.keys()].map((key) => key.split(" "));
    const imports = keys.map(([path, name], i) => `import{${name} as _${i}}from"./${path}";`);
    const members = keys.map((_, i) => `_${i}`);
    const contents = `${imports.join("")}export const core={build:"${build}",exports:[${members}]};`;
    onLoad({ filter: /[/\\]session[/\\]core\.ts$/ }, ({ path }) =>
      path === CORE ? { contents, resolveDir: here } : undefined,
    );
  },
});

/** A second pass over the script: its names and expressions pack 6 % smaller. */
async function smaller(script) {
  const { code } = await minify(script, { module: true, ecma: 2020, compress: { passes: 3 } });
  return `${code}\n`;
}

const entries = new Map();
const findParts = importsOf(entries);
const { inputs } = await bundle("src/index.ts", findParts);

const parts = new Map();
// The parts that parts name come to the end of the map while it is read.
for (const [name, entry] of entries) parts.set(name, await bundlePart(entry, inputs, findParts));

const { script } = await bundle("src/index.ts", findParts, filledCore(""));
const digest = createHash("sha256").update(JSON.stringify([script, [...parts]]));
const id = digest.digest("hex").slice(0, 12);
const core = await bundle("src/index.ts", findParts, filledCore(id));

function check(what, texts, limits) {
  const bytes = texts.map((text) => Buffer.from(text));
  const raw = bytes.reduce((sum, one) => sum + one.length, 0);
  const gzip = bytes.reduce((sum, one) => sum + gzipSync(one, { level: 9 }).length, 0);
  console.log(`${what}: ${raw} of ${limits.raw} bytes raw, ${gzip} of ${limits.gzip} bytes gzip`);
  if (raw <= limits.raw && gzip <= limits.gzip) return;
  console.error(`${what} is over its budget: remove something before adding anything.`);
  process.exitCode = 1;
}

async function write(name, text) {
  await writeFile(join(target, name), text);
  return text;
}

await rm(join(target, "parts"), { recursive: true, force: true });
await mkdir(join(target, "parts"), { recursive: true });
const files = [
  await write("index.js", await smaller(named(core.script))),
  await write("styles.css", `${core.style}\n`),
];
check("the core", files, CORE_LIMITS);
for (const [name, { make, style }] of parts) {
  const module = `export default{build:${JSON.stringify(id)},make:${named(make)}};`;
  const files = [
    await write(`parts/${name}.js`, await smaller(module)),
    await write(`parts/${name}.css`, `${style}\n`),
  ];
  check(`the part ${name}`, files, PART_LIMITS);
}

// The same front end with the host of a page without a kernel; a saved page holds it once, with all parts.
const page = await bundle("src/page/index.ts");
await write("page.js", await smaller(page.script));
await write("page.css", `${page.style}\n`);

// The lessons of uqwidgets.teach, widgets of their own, which need little of the core.
const lessons = await bundle("src/teach/index.ts");
check(
  "the lessons",
  [
    await write("teach.js", await smaller(lessons.script)),
    await write("teach.css", `${lessons.style}\n`),
  ],
  LESSON_LIMITS,
);

// A page of lessons without a kernel.
const lessonsPage = await bundle("src/teach/page.ts");
await write("lessons.js", await smaller(lessonsPage.script));
await write("lessons.css", `${lessonsPage.style}\n`);
