/**
 * The names that Gemini CLI 0.61 gives to files of sessions: the minute, and eight characters of the id. If Gemini CLI
 * starts in that minute, it writes to the same file. It finds a session by the content of the file, so a file can also
 * have a name with the whole id, which belongs to only one session.
 */

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type FoundFile, idInPath, renameDurably, statFile } from "@continuo/files";
import type { FoundSession } from "../kit/index.ts";

const NAME = /^session-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-[a-zA-Z0-9]{8}\.jsonl$/u;
const MINUTE_MS = 60_000;
/** Gemini CLI may read the clock a little later than Continuo. */
const MARGIN_MS = 500;

/** Returns the time until the minute in the name of the session's file is over. Pure. */
export function millisecondsToWait({ location }: Pick<FoundSession, "location">, nowMs: number): number {
  const [, day, hour, minute] = NAME.exec(basename(location)) ?? [];
  if (day === undefined) return 0;
  const leftMs = Date.parse(`${day}T${hour}:${minute}:00Z`) + MINUTE_MS + MARGIN_MS - nowMs;
  // A minute in the future is not the present one, so there is nothing to wait for.
  return leftMs > MINUTE_MS + MARGIN_MS ? 0 : Math.max(0, leftMs);
}

/** Renames the session's file. Nobody may have it open: Gemini CLI appends by the name. Errors: those of the system. */
export function withOwnName(found: FoundSession): FoundSession {
  const { location, sessionId } = found;
  const path = ownName(location, sessionId);
  if (path === location || existsSync(path)) return found;
  renameDurably(location, path);
  const moved = (file: FoundFile): FoundFile => (file.path === location ? (statFile(path) ?? file) : file);
  return { ...found, location: path, files: found.files.map(moved) };
}

/** The path of the session's file with all of the id in its name; a file of another form keeps its name. */
export function ownName(path: string, sessionId: string): string {
  const [, minute, ending] = /^(.*)-[a-zA-Z0-9]{8}(\.jsonl?)$/su.exec(basename(path)) ?? [];
  return minute === undefined ? path : join(dirname(path), `${minute}-${idInPath(sessionId)}${ending}`);
}
