// Builds the front end into the Python package (or the folder that is named) and refuses to grow beyond its budget: the
// bundle is copied into every widget instance and every saved notebook, so each kilobyte is paid for many times. The d3 modules are held at
// the last releases that ship one file per function: the flat files of later ones keep 20 KB that nothing here uses.
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const RAW_LIMIT = 130_000;
const GZIP_LIMIT = 45_000;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const target = process.argv[2] ?? here("../uqwidgets/static");

// A scale of d3 interpolates values of any type, colours among them. Ours are of numbers alone, so 10 KB can stay away.
const numbersOnly = {
  name: "scales of numbers only",
  setup({ onLoad }) {
    onLoad({ filter: /d3-interpolate[/\\]src[/\\]value\.js$/ }, () => ({
      contents: 'export { default } from "./number.js";',
    }));
  },
};

await build({
  plugins: [numbersOnly],
  entryPoints: [here("src/index.ts")],
  outdir: target,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022", "safari16.4"],
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});

await rename(join(target, "index.css"), join(target, "styles.css"));

let raw = 0;
let gzip = 0;
for (const name of ["index.js", "styles.css"]) {
  const bytes = await readFile(join(target, name));
  const packed = gzipSync(bytes, { level: 9 }).length;
  raw += bytes.length;
  gzip += packed;
  console.log(`${name}: ${bytes.length} bytes raw, ${packed} bytes gzip`);
}
console.log(`together: ${raw} of ${RAW_LIMIT} bytes raw, ${gzip} of ${GZIP_LIMIT} bytes gzip`);
if (raw > RAW_LIMIT || gzip > GZIP_LIMIT) {
  console.error("The bundle is over its budget: remove something before adding anything.");
  process.exitCode = 1;
}
