import * as registered from "./registered.ts";
import type { View } from "./view.ts";

// biome-ignore lint/suspicious/noExplicitAny: each view shows only what it has read itself
const BY_NAME = new Map<string, View<any>>(Object.values(registered).map((v) => [v.name, v]));

/** Returns the views of these names in their order; unknown names are left out. */
export function viewsNamed(names: string[]) {
  return names.flatMap((name) => BY_NAME.get(name) ?? []);
}
export type ViewsNamed = typeof viewsNamed;
