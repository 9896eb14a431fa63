/** Codex reads a session back: `codex app-server` lists it and gives its turns (0.169.0). */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Block } from "@continuo/core/model";
import { isJson, type Json, makeScratchFolder } from "@continuo/files";
import { textParts } from "@continuo/native/codex";
import { createCalls } from "../process/index.ts";
import { CLOSED_URL, talkTo } from "./program.ts";
import type { SpokenTestimony, StagedSession } from "./witness.ts";

const CONFIG = `openai_base_url = "${CLOSED_URL}/v1"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
apps = false
plugins = false
`;

/** Texts that Codex puts around a picture from a file, only for the model. */
const WRAPPER = /^(?:<image name=[^>]*>|<\/image>)$/u;

/** Includes sessions that were begun without a terminal, which Codex lists only on request. */
const SOURCES = ["cli", "vscode", "exec", "appServer", "unknown"];

export async function codexWitness(staged: StagedSession): Promise<SpokenTestimony> {
  const home = join(staged.scratch, ".codex");
  makeScratchFolder(home);
  writeFileSync(join(home, "config.toml"), CONFIG, { mode: 0o600 });
  writeFileSync(join(home, "auth.json"), '{"auth_mode":"apikey","OPENAI_API_KEY":"none"}\n', { mode: 0o600 });
  await using talk = talkTo({ staged, args: ["app-server"], env: { CODEX_HOME: home } });
  const { call, notify } = createCalls(talk);
  const clientInfo = { name: "continuo", version: "0" };
  await call({ method: "initialize", params: { clientInfo, capabilities: { experimentalApi: true } } });
  notify({ method: "initialized" });
  const listed = await call({ method: "thread/list", params: { modelProviders: [], sourceKinds: SOURCES } });
  const rows = isJson(listed.result) && Array.isArray(listed.result.data) ? listed.result.data : [];
  const isThere = rows.some((row) => isJson(row) && row.id === staged.sessionId);
  if (!isThere) throw talk.failed("it does not list it.");
  const { sessionId: threadId } = staged;
  const read = async (): Promise<Json[]> => {
    const { result } = await call({ method: "thread/read", params: { threadId, includeTurns: true } });
    return turnsOf(result);
  };
  let items = await read();
  if (items.length === 0) {
    // Turns of a paginated thread are in an index that Codex makes when it resumes the thread; this needs no model.
    await call({ method: "thread/resume", params: { threadId } });
    items = await read();
  }
  return {
    by: "codex app-server",
    depth: "words",
    covers: "history",
    unspoken: WRAPPER,
    messages: items.flatMap(messageOf),
  };
}

function turnsOf(result: unknown): Json[] {
  const thread = isJson(result) && isJson(result.thread) ? result.thread : {};
  const turns = Array.isArray(thread.turns) ? thread.turns.filter(isJson) : [];
  return turns.flatMap((turn) => (Array.isArray(turn.items) ? turn.items.filter(isJson) : []));
}

function messageOf(item: Json): SpokenTestimony["messages"] {
  const toText = (text: string): Block => ({ type: "text", text });
  if (item.type === "userMessage") return [{ role: "user", content: textParts(item.content).map(toText) }];
  if (item.type !== "agentMessage" || typeof item.text !== "string") return [];
  return [{ role: "assistant", content: [toText(item.text)] }];
}
