/**
 * The titles that people gave to threads, and those that Codex made: `session_index.jsonl`, one title a line; the last
 * line of an id counts (seen in 0.169.0).
 *
 * Titles are not read from `state_5.sqlite`, which has a second copy of them (`threads.name`): in all ways that were
 * tried to name a thread, paginated threads included, Codex wrote this file too. In addition, SQLite changes files next
 * to the database if its `-wal` exists, which is always so after Codex ran.
 */

import { statSync } from "node:fs";
import { join } from "node:path";
import { isJson } from "@continuo/files";
import { openLines, toReadError } from "@continuo/files/records";
import { type FindTitle, toTitle } from "../kit/index.ts";

/** Errors: `unreadable`. */
export async function readTitle(codexHome: string, threadId: string): Promise<string | null> {
  const path = join(codexHome, "session_index.jsonl");
  const stamp = stampOf(path);
  if (stamp === null) return null;
  let index = cached.get(path);
  if (index?.stamp !== stamp) {
    index = { stamp, titles: readTitles(path) };
    if (cached.size >= MAX_CACHED) cached.clear();
    cached.set(path, index);
  }
  return (await index.titles).get(threadId) ?? null;
}

/** Errors: `unreadable`. */
export async function titlesOf(codexHome: string): Promise<FindTitle> {
  const path = join(codexHome, "session_index.jsonl");
  const titles = stampOf(path) === null ? null : await readTitles(path);
  return ({ sessionId }) => titles?.get(sessionId) ?? null;
}

/** A list requests one title after the other, and the file is read again only after a change. */
const cached = new Map<string, { readonly stamp: string; readonly titles: Promise<Map<string, string>> }>();
const MAX_CACHED = 16;

function stampOf(path: string): string | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? null : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw toReadError(path, error);
  }
}

async function readTitles(path: string): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  using lines = openLines(path, Number.POSITIVE_INFINITY);
  for await (const records of lines.scan()) {
    for (const { value } of records) {
      if (!isJson(value) || typeof value.id !== "string") continue;
      const title = toTitle(value.thread_name);
      if (title === null) titles.delete(value.id);
      else titles.set(value.id, title);
    }
  }
  return titles;
}
