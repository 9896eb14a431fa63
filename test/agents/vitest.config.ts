import { defineConfig, type ViteUserConfig } from "vitest/config";
import { BalancedParts } from "../sizes/balanced-parts.ts";

// Codex runs commands with a separate /dev, in which files that tests keep in memory do not exist.
process.env.CONTINUO_TESTS_ON_DISK = "1";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["test/agents/**/*.agents.test.ts"],
    // A conversation takes many starts of an agent; only an agent that hangs reaches this limit.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
    sequence: { sequencer: BalancedParts },
    globalSetup: ["test/sizes/services.ts"],
    silent: "passed-only",
  },
});

export default config;
