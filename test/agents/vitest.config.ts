import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["test/agents/**/*.agents.test.ts"],
    // A conversation takes many starts of an agent; only one that hangs meets this limit.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
    globalSetup: ["test/sizes/services.ts"],
    silent: "passed-only",
  },
});

export default config;
