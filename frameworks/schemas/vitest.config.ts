/** The tests are quick: the libraries work in memory, and the model is a scripted server. */

import { defineConfig } from "vitest/config";

export default defineConfig({ test: { globals: true, include: ["*.test.ts"], testTimeout: 60_000 } });
