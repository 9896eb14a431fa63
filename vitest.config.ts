import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["test/agents/**", "node_modules/**", "dist/**"],
    // Many tests wait for programs that they started, on a machine that may be slow: only what hangs meets a limit.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
    // A test that logs is a test that nobody reads.
    silent: "passed-only",
  },
});

export default config;
