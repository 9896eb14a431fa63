/** The suites of LangGraph need its own version of Vitest, which `npm test` does not have. */

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { globals: true, include: ["*.test.ts"], testTimeout: 120_000, hookTimeout: 120_000 },
});
