/** Sub-agents: `chats/PARENT/ID.jsonl`, named by `agentId` of the call that started them. */

import { basename, dirname, join } from "node:path";
import type { SubagentInfo } from "@continuo/core/model";
import { isJson, type Json, namesIn, statFile, textField } from "@continuo/files";

import { isRecordName } from "./places.ts";
import { listField } from "./records.ts";

/** The call that started a sub-agent; the keys are the sub-agents' ids. */
export interface ParentCall {
  readonly toolCallId: string;
  readonly type: string | null;
  readonly description: string | null;
}

/** Notes the sub-agents that a message's calls started. */
export function foldStarted(started: Map<string, ParentCall>, message: Json): void {
  for (const call of listField(message, "toolCalls")) {
    if (!isJson(call) || typeof call.agentId !== "string" || typeof call.id !== "string") continue;
    const args = isJson(call.args) ? call.args : {};
    const type = textField(args, "agent_name");
    started.set(call.agentId, { toolCallId: call.id, type, description: textField(args, "prompt") });
  }
}

/** Sub-agents with files next to a session, by name. */
export function readSubagents(
  location: string,
  sessionId: string,
  started: ReadonlyMap<string, ParentCall>,
): SubagentInfo[] {
  return subagentFiles(location, sessionId).map((path) => {
    const id = basename(path).replace(/\.jsonl?$/u, "");
    const by = started.get(id);
    return {
      id,
      location: path,
      type: by?.type ?? null,
      description: by?.description ?? null,
      toolCallId: by?.toolCallId ?? null,
      model: null,
      sizeBytes: statFile(path)?.sizeBytes ?? 0,
    };
  });
}

export function subagentFiles(location: string, sessionId: string): string[] {
  const folder = subagentFolder(location, sessionId);
  return namesIn(folder)
    .filter(isRecordName)
    .map((name) => join(folder, name));
}

export function subagentFolder(location: string, sessionId: string): string {
  return join(dirname(location), subagentFolderName(sessionId));
}

/** The name of the folder next to the session's file. */
export function subagentFolderName(sessionId: string): string {
  return sessionId.replace(/[^a-zA-Z0-9-_]/gu, "_");
}
