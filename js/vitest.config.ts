import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "happy-dom",
    include: ["test/**/*.test.ts"],
    restoreMocks: true,
    pool: "threads",
    isolate: false,
    unstubGlobals: true,
  },
});
