// The views of the page. A new one is a folder here and a line in this list; the kernel says in which order they stand.
export { dependence } from "./dependence/index.ts";
export { importance } from "./importance/index.ts";
export { performance } from "./performance/index.ts";
export { stress } from "./stress/index.ts";
