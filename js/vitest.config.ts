import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "happy-dom",
    include: ["test/**/*.test.ts"],
    restoreMocks: true,
    // A slow machine is no fault of the widget.
    testTimeout: 120_000,
    pool: "forks",
    // The pages of all files are young garbage: in small steps, to look for it takes a third of the time.
    execArgv: ["--max-semi-space-size=32"],
    isolate: false,
    unstubGlobals: true,
  },
});
