import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "happy-dom",
    include: ["test/**/*.test.ts"],
    restoreMocks: true,
    // A slow machine is no fault of the widget.
    testTimeout: 30_000,
    pool: "threads",
    isolate: false,
    unstubGlobals: true,
  },
});
