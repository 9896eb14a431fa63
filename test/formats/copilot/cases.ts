/** The format cases of Copilot. */

import { formatOf } from "@continuo/native";
import type { FormatCases } from "../format-cases.ts";

export const COPILOT_CASES: FormatCases = {
  reader: await formatOf("copilot"),
  folder: import.meta.dirname,
  placesOf: (home) => ({ home: "/nonexistent", env: { COPILOT_HOME: home } }),
};
