/** The agents whose session is one file of records, and the places of their format cases: `AGENT/CASE/home/`. */

import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { HOME_VARIABLES } from "@continuo/agents";
import { formatOf } from "@continuo/native";
import type { FormatCases } from "./format-cases.ts";

export const FILE_AGENTS = ["codex", "copilot", "gemini", "pi"] as const;
export type FileAgent = (typeof FILE_AGENTS)[number];

async function casesOf(
  agent: FileAgent,
  more: Pick<FormatCases, "holds" | "keepsBadLines"> = {},
): Promise<FormatCases> {
  return {
    ...more,
    agent,
    reader: await formatOf(agent),
    folder: join(import.meta.dirname, agent),
    placesOf: (home) => ({ home: "/nonexistent", env: { [HOME_VARIABLES[agent]]: home } }),
  };
}

export const CASES: Readonly<Record<FileAgent, FormatCases>> = {
  codex: await casesOf("codex", { holds: null, keepsBadLines: true }),
  copilot: await casesOf("copilot"),
  gemini: await casesOf("gemini", {
    holds: (record, native) =>
      isDeepStrictEqual(record, native) ||
      JSON.stringify(record).includes(JSON.stringify(native) ?? "no JSON"),
  }),
  pi: await casesOf("pi"),
};
