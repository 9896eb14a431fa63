/** The suites of the agent frameworks run with one version of Vitest. */

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { globals: true, include: ["*.test.ts"], testTimeout: 120_000, hookTimeout: 120_000 },
});
