/**
 * Finds the parts of a session of Gemini CLI: every file of its id in the `chats` folder, the folder of its sub-agents,
 * and the other files that Gemini CLI 0.61.0 deletes with a session: `logs/session-ID.jsonl`,
 * `tool-outputs/session-ID/` and `ID/`, of the session and of each sub-agent.
 *
 * Files of the same name and session in the older kind of folder are removed too; otherwise Gemini CLI would copy them
 * back.
 */

import { basename, dirname, join } from "node:path";
import { namesIn, type Places } from "@continuo/files";
import type { FoundSession, TrashPlan } from "../kit/index.ts";

import { sessionIdOf } from "./find.ts";
import { geminiFolders, hashOf, isRecordName, ownerOf, projectOfFile, readRegistry } from "./places.ts";

/** A shorter name cannot be distinguished from folders that Gemini CLI keeps for itself. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

export async function trashPlan(found: FoundSession, places: Places): Promise<TrashPlan> {
  const files = [...new Set([found.location, ...found.files.map(({ path }) => path)])];
  const older = files.flatMap((path) => olderCopies(path, found.sessionId, places));
  const paths = [...files, ...older];
  const chats = new Set(paths.map((path) => dirname(path)).filter((path) => basename(path) === "chats"));
  for (const folder of chats) paths.push(...foldersBeside(folder, found.sessionId));
  return { type: "files", paths, indexLines: [], forks: [] };
}

function olderCopies(path: string, sessionId: string, places: Places): string[] {
  const project = projectOfFile(path);
  if (project === null || basename(dirname(path)) !== "chats") return [];
  const { runtime, projects } = geminiFolders(places);
  const owner = ownerOf(project, readRegistry(runtime));
  if (owner === null || dirname(project) !== projects) return [];
  const copy = join(projects, hashOf(owner), "chats", basename(path));
  const isThere = copy !== path && namesIn(dirname(copy)).includes(basename(copy));
  return isThere && sessionIdOf(copy) === sessionId ? [copy] : [];
}

/** Folders and files of a session and of its sub-agents, including those that do not exist. */
export function foldersBeside(chats: string, sessionId: string): readonly string[] {
  const name = safeName(sessionId);
  if (!UUID.test(name)) return [];
  const subagents = namesIn(join(chats, name)).filter(isRecordName);
  const ids = [name, ...subagents.map((file) => safeName(file.replace(/\.jsonl?$/u, "")))];
  return [
    join(chats, name),
    ...ids.filter((id) => UUID.test(id)).flatMap((id) => artifactsOf(dirname(chats), id)),
  ];
}

function artifactsOf(project: string, id: string): string[] {
  return [
    join(project, "logs", `session-${id}.jsonl`),
    join(project, "tool-outputs", `session-${id}`),
    join(project, id),
  ];
}

/** Makes a file name from an id in the same way as Gemini CLI. */
function safeName(id: string): string {
  return id.replace(/[^a-zA-Z0-9-_]/gu, "_");
}
