/** Gemini CLI reads a session back: `gemini --acp` loads it and reports its history (0.61.0). */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeScratchFolder } from "@continuo/files";
import { loadOverAcp, spokenIn } from "./acp-history.ts";
import { CLOSED_URL } from "./program.ts";
import type { SpokenTestimony, StagedSession } from "./witness.ts";

const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, sessionRetention: { enabled: false } },
};

export async function geminiWitness(staged: StagedSession): Promise<SpokenTestimony> {
  const config = join(staged.scratch, ".gemini");
  makeScratchFolder(config);
  writeFileSync(join(config, "settings.json"), JSON.stringify(SETTINGS), { mode: 0o600 });
  const env = {
    GEMINI_API_KEY: "none",
    GOOGLE_GEMINI_BASE_URL: CLOSED_URL,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    GEMINI_CLI_NO_RELAUNCH: "true",
  };
  const updates = await loadOverAcp({
    staged,
    args: ["--acp", "--model", "gemini-2.5-flash"],
    env,
    sessionId: staged.sessionId,
    authMethod: "gemini-api-key",
  });
  return {
    by: "gemini --acp",
    depth: "words",
    covers: "model view",
    unspoken: PLACEHOLDER,
    messages: updates.flatMap(spokenIn).filter((message) => !isContext(message)),
  };
}

/**
 * Gemini CLI shows these words in place of a picture or file, and of thoughts, calls and results in a list that
 * it rewrote.
 */
const PLACEHOLDER =
  /\[(?:(?:Image|Audio|Video|File|Document|Media)?:? ?[\w.+-]+\/[\w.+-]+, [\d.]+ [KM]?B|Thought: true|Function (?:Call|Response): [\w-]+)\]/gu;

/** Gemini CLI begins a session with facts about the machine. */
function isContext({ content: [block] }: SpokenTestimony["messages"][number]): boolean {
  return block?.type === "text" && block.text.startsWith("<session_context>");
}
