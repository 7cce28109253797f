/** What the parts import from the core, and the build that they belong to; build.mjs fills it. */
export const core: { build: string; exports: unknown[] } = { build: "", exports: [] };
