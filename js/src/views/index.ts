import * as registered from "./registered.ts";
import type { View } from "./view.ts";

// biome-ignore lint/suspicious/noExplicitAny: each view shows only what it has read itself
const BY_NAME = new Map<string, View<any>>(Object.values(registered).map((v) => [v.name, v]));

/** The views of these names, in their order; a name that this page does not know is left out. */
export function viewsNamed(names: string[]) {
  return names.flatMap((name) => BY_NAME.get(name) ?? []);
}
