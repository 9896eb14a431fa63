/** Next compiles its route at the first request, which takes minutes on a busy machine. */

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { globals: true, include: ["*.test.ts"], testTimeout: 300_000, hookTimeout: 300_000 },
});
