/**
 * The parts of a session of Codex: every file of its thread, compressed copies too, the files of the sub-agents that it
 * spawned, its titles in `session_index.jsonl`, and the rows about these threads in its databases. A fork or revert whose `history_base`
 * names one of these files reads it (seen in 0.169.0: without it Codex refuses the fork).
 */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isFailure } from "@continuo/core/model";
import { isJson, parseJson, statFile } from "@continuo/files";
import type { FoundSession, IndexLines, TrashPlan } from "../kit/index.ts";
import { indexRowsIn } from "./index-rows.ts";
import { readHead, rolloutsBelow } from "./lineage.ts";
import { homeOfFile, parseRolloutName, sessionFolders } from "./places.ts";

export async function trashPlan(found: FoundSession): Promise<TrashPlan> {
  const home = homeOfFile(found.location);
  const folders = home === null ? [dirname(found.location)] : sessionFolders(home).map(({ path }) => path);
  const rollouts = await readRollouts(folders.flatMap(rolloutsBelow));
  const ids = withSpawned(found.sessionId, rollouts);
  const own = rollouts.filter(({ threadId }) => ids.has(threadId));
  const fileIds = new Set(own.map(({ fileId }) => fileId));
  const readers = rollouts.filter(
    ({ threadId, baseId }) => !ids.has(threadId) && baseId !== null && fileIds.has(baseId),
  );
  return {
    type: "files",
    paths: [...new Set([...found.files.map(({ path }) => path), ...own.map(({ path }) => path)])],
    indexLines: home === null ? [] : readIndexLines(join(home, "session_index.jsonl"), ids),
    indexRows: home === null ? [] : indexRowsIn(home, ids),
    forks: [...new Set(readers.map(({ threadId }) => sessionOf(threadId, rollouts)))],
  };
}

interface Rollout {
  readonly path: string;
  readonly threadId: string;
  readonly fileId: string;
  readonly parentId: string | null;
  readonly baseId: string | null;
}

/** Only the name of a file that cannot be read is known. */
async function readRollouts(paths: readonly string[]): Promise<Rollout[]> {
  const rollouts: Rollout[] = [];
  for (const path of paths) {
    const file = statFile(path);
    if (file === null) continue;
    const name = parseRolloutName(path);
    const meta = await readMeta(file);
    const threadId = meta?.id ?? name.threadId ?? path;
    rollouts.push({
      path,
      threadId,
      fileId: name.fileId ?? threadId,
      parentId: meta?.parentThread?.threadId ?? null,
      baseId: meta?.base?.fileId ?? null,
    });
  }
  return rollouts;
}

async function readMeta(file: Parameters<typeof readHead>[0]) {
  try {
    return (await readHead(file)).meta;
  } catch (error) {
    if (isFailure(error)) return null;
    throw error;
  }
}

/** The thread, and those that it or one of these spawned. */
function withSpawned(threadId: string, rollouts: readonly Rollout[]): ReadonlySet<string> {
  const ids = new Set([threadId]);
  for (const id of ids) {
    for (const rollout of rollouts) if (rollout.parentId === id) ids.add(rollout.threadId);
  }
  return ids;
}

/** The session that a thread belongs to: its own, or for a sub-agent the one that it was spawned in. */
function sessionOf(threadId: string, rollouts: readonly Rollout[]): string {
  const seen = new Set<string>();
  let id = threadId;
  while (!seen.has(id)) {
    seen.add(id);
    id = rollouts.find((rollout) => rollout.threadId === id && rollout.parentId !== null)?.parentId ?? id;
  }
  return id;
}

/** The lines are unchanged, because Codex only appends to the file. */
function readIndexLines(path: string, ids: ReadonlySet<string>): IndexLines[] {
  if (statFile(path) === null) return [];
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => isOf(line, ids));
  return lines.length === 0 ? [] : [{ path, lines }];
}

function isOf(line: string, ids: ReadonlySet<string>): boolean {
  try {
    const value: unknown = parseJson(line);
    return isJson(value) && typeof value.id === "string" && ids.has(value.id);
  } catch {
    return false;
  }
}
