/**
 * GitHub Copilot CLI reads a session back: `copilot --acp` loads it and sends its history. With a provider that does
 * not answer, it needs no account, and asks no model (1.0.102).
 */

import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { present } from "@continuo/core/model";
import { isJson, makeScratchFolder } from "@continuo/files";
import { openLines } from "@continuo/files/records";
import { loadOverAcp, spokenIn } from "./acp-history.ts";
import { CLOSED_URL } from "./program.ts";
import type { SpokenTestimony, StagedSession } from "./witness.ts";

const ARGS = ["--acp", "--no-custom-instructions", "--disable-builtin-mcps"];

export async function copilotWitness(staged: StagedSession): Promise<SpokenTestimony> {
  shareUnpacked(staged);
  const env = {
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_PROVIDER_TYPE: "anthropic",
    COPILOT_PROVIDER_BASE_URL: CLOSED_URL,
    COPILOT_PROVIDER_API_KEY: "none",
    COPILOT_MODEL: "claude-sonnet-4.6",
  };
  const updates = await loadOverAcp({ staged, args: ARGS, env, sessionId: staged.sessionId });
  return {
    by: "copilot --acp",
    depth: "words",
    covers: "history without summaries",
    unspoken: NOTICE,
    messages: withoutHelpers(updates.flatMap(spokenIn), await wordsOfHelpers(staged)),
  };
}

/** Removes the answers of sub-agents: Copilot shows them like its own, because they are in the file of the session. */
function withoutHelpers(messages: SpokenTestimony["messages"], words: string[]): SpokenTestimony["messages"] {
  return messages.filter(({ role, content: [block] }) => {
    const at = role === "assistant" && block?.type === "text" ? words.indexOf(block.text) : -1;
    if (at !== -1) words.splice(at, 1);
    return at === -1;
  });
}

async function wordsOfHelpers({ file, signal }: StagedSession): Promise<string[]> {
  const words: string[] = [];
  using lines = openLines(file, Number.POSITIVE_INFINITY);
  for await (const records of lines.scan(present({ part: "whole", signal }))) {
    for (const { value } of records) {
      if (!isJson(value) || value.type !== "assistant.message" || value.agentId === undefined) continue;
      if (isJson(value.data) && typeof value.data.content === "string") words.push(value.data.content);
    }
  }
  return words;
}

/** Copilot shows its errors and notices as parts of an answer. */
const NOTICE = /^(?:Error|Info|Warning): .*$/su;

/** Copilot unpacks 235 MB unless the folder already has its version, so the person's folder is used. */
function shareUnpacked({ scratch, cache }: StagedSession): void {
  const unpacked = join(cache, "copilot");
  if (!existsSync(join(unpacked, "pkg"))) return;
  const own = join(scratch, ".cache");
  makeScratchFolder(own);
  symlinkSync(unpacked, join(own, "copilot"));
}
