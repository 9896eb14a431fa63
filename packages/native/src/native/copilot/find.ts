/** Finds session files: `session-state/ID/events.jsonl`. A file with another name is recognised by its header. */

import { dirname, join, resolve } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import type { Problem } from "@continuo/core/model";
import { canonicalFolder, isJson, type Json, type Places, statFile } from "@continuo/files";
import { type FindOptions, type FoundSession, readHead, readSessionFolder } from "../kit/index.ts";
import { HEAD_BYTES } from "./limits.ts";
import { processOf } from "./live.ts";
import { EVENTS, sessionIdOf, sessionsFolder } from "./places.ts";
import { agentIdOf, parseHeader } from "./records.ts";
import { isUuid } from "./resume-flaw.ts";

export async function* findSessions(
  places: Places,
  options: FindOptions,
): AsyncGenerator<FoundSession, void, void> {
  const folder = sessionsFolder(places);
  const cwds = options.cwd === undefined ? null : [resolve(options.cwd), canonicalFolder(options.cwd)];
  const { names, unreadable } = readSessionFolder("copilot", folder);
  yield* unreadable;
  for (const [at, name] of names.entries()) {
    options.signal?.throwIfAborted();
    if (at % 64 === 0) await otherWork();
    // A folder without events belongs to a session that was opened but has no message.
    const path = join(folder, name, EVENTS);
    if (name.startsWith(".") || statFile(path) === null) continue;
    if (cwds === null || (await isOfCwd(path, cwds))) yield toFound(path, []);
  }
}

/** Returns the session of a file; `null` if nothing in or around it shows that it belongs to Copilot. */
export async function recogniseFile(path: string, places: Places): Promise<FoundSession | null> {
  const file = resolve(path);
  if (statFile(file) === null) return null;
  const sessions = join(canonicalFolder(sessionsFolder(places)), "/");
  const isAtHome = sessionIdOf(file) !== null && canonicalFolder(dirname(file)).startsWith(sessions);
  const head = await readHead(file, HEAD_BYTES);
  return isAtHome || head.some(isCopilotRecord) ? toFound(file, head) : null;
}

/** The id comes from its folder, or else from its header. */
function toFound(path: string, head: readonly Json[]): FoundSession {
  const file = statFile(path);
  const unread: Problem = { code: "unreadable", line: null, message: `cannot read ${path}` };
  const headed = head.map((record) => parseHeader(record)?.id ?? null).find((id) => id !== null);
  const placed = sessionIdOf(path);
  return {
    agent: "copilot",
    sessionId:
      placed !== null && (isUuid(placed) || headed === undefined) ? placed : (headed ?? nameOf(path)),
    location: path,
    files: file === null ? [] : [file],
    archived: false,
    live: placed === null ? null : processOf(path) !== null,
    problems: file === null ? [unread] : [],
  };
}

function nameOf(path: string): string {
  return (path.split(/[/\\]/u).at(-1) ?? "").replace(/\.jsonl$/u, "");
}

async function isOfCwd(path: string, cwds: readonly string[]): Promise<boolean> {
  const head = await readHead(path, HEAD_BYTES);
  const cwd = head.map((record) => parseHeader(record)?.cwd ?? null).find((name) => name !== null);
  if (cwd === undefined || cwd === null) return false;
  return cwds.includes(resolve(cwd)) || cwds.includes(canonicalFolder(cwd));
}

/** Entries of other agents have types too: Copilot's types have a dot, and each of its records has data. */
function isCopilotRecord(record: Json): boolean {
  const header = parseHeader(record);
  if (header !== null) return header.id !== null;
  const isLinked = isUuid(record.id) && "parentId" in record && isJson(record.data);
  return (
    isLinked &&
    typeof record.type === "string" &&
    (/^[a-z]+\.[a-z_]+$/u.test(record.type) || agentIdOf(record) !== null)
  );
}
