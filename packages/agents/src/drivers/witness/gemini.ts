/** Gemini CLI reads a session back: `gemini --acp` loads it and tells its history (0.61.0). */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Block } from "@continuo/core/model";
import { isJson, type Json, makeScratchFolder } from "@continuo/files";
import { createCalls, waitUntilIdle } from "../process/index.ts";
import { CLOSED_URL, talkTo } from "./program.ts";
import type { SpokenTestimony, StagedSession } from "./witness.ts";

const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, sessionRetention: { enabled: false } },
};

/** Some of the history comes after the answer: it is complete when nothing more came for this time. */
const QUIET_MS = 400;

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
  const updates: Json[] = [];
  await using talk = talkTo({ staged, args: ["--acp", "--model", "gemini-2.5-flash"], env });
  const { call } = createCalls(talk, ({ params }) => {
    if (isJson(params) && isJson(params.update)) updates.push(params.update);
  });
  const request = (method: string, params: Json): Promise<Json> => call({ jsonrpc: "2.0", method, params });
  await request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  await request("authenticate", { methodId: "gemini-api-key" });
  const { sessionId, project: cwd } = staged;
  await request("session/load", { sessionId, cwd, mcpServers: [] });
  // `talkTo` ends it when it takes too long.
  await waitUntilIdle({
    quietMs: QUIET_MS,
    limitMs: Number.POSITIVE_INFINITY,
    heard: () => updates.length,
  });
  return {
    by: "gemini --acp",
    depth: "words",
    covers: "model view",
    unspoken: PLACEHOLDER,
    messages: updates.flatMap(messageOf),
  };
}

/**
 * Gemini CLI shows these words in place of a picture or file, and of thoughts, calls and results in a list that
 * it rewrote.
 */
const PLACEHOLDER =
  /\[(?:(?:Image|Audio|Video|File|Document|Media)?:? ?[\w.+-]+\/[\w.+-]+, [\d.]+ [KM]?B|Thought: true|Function (?:Call|Response): [\w-]+)\]/gu;

function messageOf(update: Json): SpokenTestimony["messages"] {
  const text = isJson(update.content) && typeof update.content.text === "string" ? update.content.text : null;
  if (text === null || text.startsWith("<session_context>")) return [];
  const content: Block[] = [{ type: "text", text }];
  if (update.sessionUpdate === "user_message_chunk") return [{ role: "user", content }];
  return update.sessionUpdate === "agent_message_chunk" ? [{ role: "assistant", content }] : [];
}
