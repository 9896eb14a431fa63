/** The format cases of pi. */

import { piReader } from "../../../src/agents/pi/index.ts";
import type { FormatCases } from "../format-cases.ts";

export const PI_CASES: FormatCases = {
  reader: piReader,
  folder: import.meta.dirname,
  placesOf: (home) => ({ home: "/nonexistent", env: { PI_CODING_AGENT_DIR: home } }),
};
