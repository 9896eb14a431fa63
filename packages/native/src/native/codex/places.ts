/** The places of Codex's files, and the facts in the name of a rollout file. Pure: works only with strings. */

import { basename, join, sep } from "node:path";
import type { Places } from "@continuo/files";

/** `$CODEX_HOME`, else `~/.codex`. */
export function codexHome(places: Places): string {
  return places.env.CODEX_HOME || join(places.home, ".codex");
}

/** The folder of live sessions and the one of archived sessions. */
export function sessionFolders(codexHome: string): readonly { path: string; archived: boolean }[] {
  return [
    { path: join(codexHome, "sessions"), archived: false },
    { path: join(codexHome, ARCHIVED), archived: true },
  ];
}

const ARCHIVED = "archived_sessions";

/** The Codex home that a file is in; `null` for a file outside of any `sessions` folder. */
export function homeOfFile(path: string): string | null {
  const end = Math.max(path.lastIndexOf(`${sep}sessions${sep}`), path.lastIndexOf(`${sep}${ARCHIVED}${sep}`));
  return end === -1 ? null : path.slice(0, end);
}

export function isArchivedFile(path: string): boolean {
  // This quick test comes first, because lists ask about thousands of files.
  if (!path.includes(ARCHIVED)) return false;
  const home = homeOfFile(path);
  return home !== null && path.startsWith(`${home}${sep}${ARCHIVED}${sep}`);
}

export function isRolloutName(name: string): boolean {
  return name.startsWith("rollout-") && (name.endsWith(".jsonl") || name.endsWith(".jsonl.zst"));
}

export interface RolloutName {
  /** The id of the thread in the name; `session_meta.id` takes precedence. */
  readonly threadId: string | null;
  /**
   * The name of this file in `history_base.thread_id` of other files: the last UUID of its name. The first file of a
   * thread has the name of the thread (seen in 0.169.0: `rollout-TIME-THREAD.jsonl`), a file made by a revert by a UUID
   * of its own (`rollout-TIME-THREAD_FILE.jsonl`).
   */
  readonly fileId: string | null;
}

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const NAME = new RegExp(`(${UUID})(?:_(${UUID}))?\\.jsonl(?:\\.zst)?$`, "iu");

export function parseRolloutName(path: string): RolloutName {
  const match = NAME.exec(basename(path));
  const threadId = match?.[1]?.toLowerCase() ?? null;
  return { threadId, fileId: match?.[2]?.toLowerCase() ?? threadId };
}
