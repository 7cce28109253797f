/** What the parts import from the core, by file and name, and the build that they belong to; build.mjs fills it. */
export const core: { build: string; modules: Record<string, object> } = { build: "", modules: {} };
