import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["test/agents/**", "node_modules/**", "dist/**"],
    testTimeout: 30_000,
    // Many tests wait for programs that they started.
    maxWorkers: 2,
    // A test that logs is a test that nobody reads.
    silent: "passed-only",
  },
});

export default config;
