// The views of the page. A new view is a folder here and a line in this list; the kernel determines their order.
export { dependence } from "./dependence/index.ts";
export { importance } from "./importance/index.ts";
export { performance } from "./performance/index.ts";
export { stress } from "./stress/index.ts";
