import { dependence } from "./dependence/index.ts";
import { importance } from "./importance/index.ts";
import { stress } from "./stress/index.ts";
import type { View } from "./view.ts";

/** The views in the order in which they stand on the page. A new one is a folder here, and a line in this list. */
// biome-ignore lint/suspicious/noExplicitAny: each view shows only what it has read itself
export const VIEWS: View<any>[] = [importance, dependence, stress];
