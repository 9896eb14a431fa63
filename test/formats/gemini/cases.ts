/** The format cases of Gemini CLI. */

import { isDeepStrictEqual } from "node:util";
import { geminiFormat } from "@continuo/native/gemini";
import type { FormatCases } from "../format-cases.ts";

export const GEMINI_CASES: FormatCases = {
  reader: geminiFormat,
  folder: import.meta.dirname,
  placesOf: (home) => ({ home: "/nonexistent", env: { GEMINI_CLI_HOME: home } }),
  holds: (record, native) =>
    isDeepStrictEqual(record, native) || JSON.stringify(record).includes(JSON.stringify(native) ?? "no JSON"),
};
