/** The history that an agent sends over ACP when it loads the staged session. */

import { isJson, type Json } from "@continuo/files";
import { createCalls, waitUntilIdle } from "../process/index.ts";
import { type Program, talkTo } from "./program.ts";
import type { SpokenTestimony } from "./witness.ts";

/** Some of the history comes after the answer: it is complete when nothing more came for this time. */
const QUIET_MS = 400;

export interface LoadingProgram extends Program {
  readonly sessionId: string;
  /** The method of `authenticate`, for an agent that asks for it. */
  readonly authMethod?: string;
}

/** The updates of `session/load`. Errors: `verification_failed`. */
export async function loadOverAcp(program: LoadingProgram): Promise<readonly Json[]> {
  const updates: Json[] = [];
  await using talk = talkTo(program);
  const { call } = createCalls(talk, ({ params }) => {
    if (isJson(params) && isJson(params.update)) updates.push(params.update);
  });
  const request = (method: string, params: Json): Promise<Json> => call({ jsonrpc: "2.0", method, params });
  await request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId, authMethod } = program;
  if (authMethod !== undefined) await request("authenticate", { methodId: authMethod });
  await request("session/load", { sessionId, cwd: program.staged.project, mcpServers: [] });
  // `talkTo` ends the program if this takes too long.
  await waitUntilIdle({
    quietMs: QUIET_MS,
    limitMs: Number.POSITIVE_INFINITY,
    heard: () => updates.length,
  });
  return updates;
}

/** The words of a person or the agent in an update; none in any other update. */
export function spokenIn(update: Json): SpokenTestimony["messages"] {
  const text = isJson(update.content) && typeof update.content.text === "string" ? update.content.text : null;
  if (text === null) return [];
  const content = [{ type: "text", text } as const];
  if (update.sessionUpdate === "user_message_chunk") return [{ role: "user", content }];
  return update.sessionUpdate === "agent_message_chunk" ? [{ role: "assistant", content }] : [];
}
