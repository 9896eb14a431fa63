/** The format cases of pi. */

import { piFormat } from "@continuo/native/pi";
import type { FormatCases } from "../format-cases.ts";

export const PI_CASES: FormatCases = {
  reader: piFormat,
  folder: import.meta.dirname,
  placesOf: (home) => ({ home: "/nonexistent", env: { PI_CODING_AGENT_DIR: home } }),
};
