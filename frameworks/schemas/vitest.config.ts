/** Each library of schemas answers at once; a model is a scripted server. */

import { defineConfig } from "vitest/config";

export default defineConfig({ test: { globals: true, include: ["*.test.ts"], testTimeout: 60_000 } });
