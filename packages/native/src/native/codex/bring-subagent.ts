/**
 * Converts the thread of a sub-agent for a new session. The thread keeps its own id, by which the records of the
 * session name it. Its file is in the folder of the day in its name, where Codex 0.169.0 finds it by itself.
 */

import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isJson, type Json } from "@continuo/files";
import { isCompressed } from "@continuo/files/records";
import { changeLines, type NewSession, type SideFile, withReplaced } from "../writing/index.ts";
import { homeOfFile } from "./places.ts";
import { parseSessionMeta } from "./records.ts";

const IDS = /^(?:id|session_id|thread_id|forked_from_id|parent_thread_id)$/u;
const FOLDERS = /^(?:cwd|runtime_workspace_roots)$/u;

/**
 * Returns no file for a thread that is already in the home, and `null` for a thread that cannot be moved, for example a
 * compressed one, or one that continues from the bytes of another file.
 */
export function bringSubagent(
  location: string,
  parent: NewSession,
  sessionFile: string,
): readonly SideFile[] | null {
  const home = homeOfFile(sessionFile);
  const name = basename(location);
  const day = /^rollout-(\d{4})-(\d{2})-(\d{2})T/u.exec(name)?.slice(1, 4);
  if (home === null || day === undefined || isCompressed(location)) return null;
  const text = readFileSync(location, "utf8");
  const header = headerIn(text);
  const meta = parseSessionMeta(header);
  const of = meta?.parentThread?.threadId;
  if (meta === null || meta.base !== null || of === undefined) return null;
  const path = join(home, "sessions", ...day, name);
  if (existsSync(path)) return [];
  const folder = meta.cwd ?? "";
  const replacements = [
    { keys: IDS, names: new Map([[of, parent.sessionId]]) },
    { keys: FOLDERS, names: new Map([[folder, parent.cwd]]) },
  ];
  return [{ how: "append", path, text: changeLines(text, (line) => withReplaced(line, replacements)) }];
}

function headerIn(text: string): Json {
  const end = text.indexOf("\n");
  try {
    const value: unknown = JSON.parse(end === -1 ? text : text.slice(0, end));
    return isJson(value) ? value : {};
  } catch {
    return {};
  }
}
