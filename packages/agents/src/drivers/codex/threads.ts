/** Codex's own list of its threads. */

import type { DriverSession, Page } from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";
import type { CallLimits, CodexServer } from "./server.ts";

/**
 * Without this list, the server lists only threads of its terminal and of editors, and of the configured provider
 * (0.169.0).
 */
const SOURCES = [
  "cli",
  "vscode",
  "exec",
  "appServer",
  "subAgent",
  "subAgentReview",
  "subAgentCompact",
  "subAgentThreadSpawn",
  "subAgentOther",
  "unknown",
];

export interface ThreadList {
  readonly cwd?: string;
  readonly cursor?: string;
}

export async function listThreads(
  server: CodexServer,
  list: ThreadList,
  limits: CallLimits,
): Promise<Page<DriverSession>> {
  const params = { ...list, modelProviders: [], sourceKinds: SOURCES, sortKey: "updated_at" };
  const { data, nextCursor } = await server.call("thread/list", params, limits);
  const threads = Array.isArray(data) ? data.filter(isJson) : [];
  return { items: threads.map(toSession), nextCursor: typeof nextCursor === "string" ? nextCursor : null };
}

/** Pure. */
function toSession(thread: Json): DriverSession {
  const preview = textField(thread, "preview");
  return {
    sessionId: textField(thread, "id") ?? "",
    cwd: textField(thread, "cwd"),
    title: textField(thread, "name") ?? (preview === "" ? null : preview),
    // The server reports whole seconds.
    updatedAt: typeof thread.updatedAt === "number" ? new Date(thread.updatedAt * 1000).toISOString() : null,
  };
}

const MAX_PAGES = 1_000;

export async function allThreads(
  server: CodexServer,
  cwd: string,
  limits: CallLimits,
): Promise<readonly DriverSession[]> {
  const sessions: DriverSession[] = [];
  let list: ThreadList = { cwd };
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items, nextCursor } = await listThreads(server, list, limits);
    sessions.push(...items);
    if (nextCursor === null) break;
    list = { cwd, cursor: nextCursor };
  }
  return sessions;
}
