/** Next compiles its route with the first request: a busy machine takes minutes. */

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { globals: true, include: ["*.test.ts"], testTimeout: 300_000, hookTimeout: 300_000 },
});
