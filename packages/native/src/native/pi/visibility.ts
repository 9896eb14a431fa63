/**
 * Sessions that pi's own list does not show, found only from the files (rules of 1.6.0): it reads `*.jsonl` in the folders
 * directly below `sessions`, and takes a file for a session whose first whole line is a header.
 */

import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import { isFailure } from "@continuo/core/model";
import { canonicalFolder, type FoundFile, isJson, type Places, parseJson } from "@continuo/files";
import { openBytes, openLines } from "@continuo/files/records";
import {
  type AgentVisibility,
  type FoundSession,
  goneFolders,
  type HiddenSession,
  NO_MEMO,
} from "../kit/index.ts";
import { findSessions, recogniseFile } from "./find.ts";
import { PI_CAUSES, type PiCause } from "./hidden-causes.ts";
import { HEAD_BYTES } from "./limits.ts";
import { hasUnread } from "./list-flaws.ts";
import { folderNameOf, namesOfCwd, type PiFolders, piFolders } from "./places.ts";
import { type Header, parseHeader, roleOf } from "./records.ts";
import { mendHidden } from "./show-again.ts";

export const piVisibility: AgentVisibility = {
  causes: PI_CAUSES,
  async *hidden(places, { memo = NO_MEMO, signal }) {
    const folders = piFolders(places);
    const listedIds = new Set<string>();
    const whyGone = goneFolders();
    let looked = 0;
    for await (const found of candidates(places, folders, signal)) {
      const [file] = found.files;
      if (file === undefined) continue;
      looked += 1;
      if (looked % FILES_AT_ONCE === 0) await otherWork();
      const start = await memo.remember(file, { what: "pi own list", isBrief: true }, () =>
        readStart(file, signal),
      );
      if (start === null) continue;
      const reason = reasonOf(found.location, start, folders);
      // A copy of an existing session does not count as missing.
      if (reason?.cause === "file_ending" && listedIds.has(found.sessionId)) continue;
      if (reason === null || reason.cause === "other_folder") listedIds.add(found.sessionId);
      const isInChosen = dirname(found.location) === folders.chosen;
      const why = reason ?? (isInChosen ? null : whyGone(start.cwd));
      if (why !== null) yield { found, ...why };
    }
  },
  mend: mendHidden,
  command: ({ found, cause }) =>
    cause === "other_session_dir" ? ["pi", "--session-dir", dirname(found.location), "--resume"] : null,
};

const FILES_AT_ONCE = 32;

/** Sessions come first, then files that no list of pi or of Continuo treats as a session. */
async function* candidates(
  places: Places,
  { sessions }: PiFolders,
  signal: AbortSignal | undefined,
): AsyncGenerator<FoundSession, void, void> {
  const seen = new Set<string>();
  for await (const found of findSessions(places, signal ? { signal } : {})) {
    seen.add(found.location);
    yield found;
  }
  for (const path of filesLike(sessions)) {
    const found = seen.has(path) ? null : await recogniseFile(path, places);
    if (found !== null) yield found;
  }
}

/** Files below a folder whose name is or was that of a session. */
function filesLike(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && /\.jsonl(?:$|\.)|\.(?:tmp|bak)$/u.test(entry.name))
      .map((entry) => `${entry.parentPath}/${entry.name}`);
  } catch {
    return [];
  }
}

export type Reason = Pick<HiddenSession<PiCause>, "cause" | "detail">;

export interface FileStart {
  /** `first` where the list reads it. */
  readonly header: "first" | "later" | "torn" | "none" | "marked";
  readonly cwd: string | null;
  /** The list gives up at one of its messages. */
  readonly isUnread: boolean;
}

export function reasonOf(
  path: string,
  { header, cwd, isUnread }: FileStart,
  { sessions, chosen }: PiFolders,
): Reason | null {
  const folder = dirname(path);
  if (chosen !== null && canonicalFolder(folder) !== canonicalFolder(chosen)) {
    return { cause: "other_session_dir", detail: `It lies in ${folder}, and the list reads ${chosen}.` };
  }
  if (!path.endsWith(".jsonl"))
    return { cause: "file_ending", detail: `The file is named ${basename(path)}.` };
  const isChosen = folder === chosen;
  if (!isChosen && canonicalFolder(dirname(folder)) !== canonicalFolder(sessions)) {
    return { cause: "wrong_folder", detail: `It lies in ${folder}.` };
  }
  if (header === "marked") return { cause: "byte_order_mark", detail: null };
  if (header === "torn") return { cause: "torn_header", detail: null };
  if (header === "none") return { cause: "no_header", detail: null };
  if (header === "later") return { cause: "header_later", detail: null };
  if (isUnread) return { cause: "unread_content", detail: null };
  if (isChosen || cwd === null || namesOfCwd(cwd).some((name) => folderNameOf(name) === basename(folder)))
    return null;
  return {
    cause: "other_folder",
    detail: `It lies in ${basename(folder)}, and its first line names ${cwd}.`,
  };
}

/** Returns `null` for a file without messages, or one that cannot be read. */
async function readStart(file: FoundFile, signal: AbortSignal | undefined): Promise<FileStart | null> {
  try {
    const text = await readText(file.path);
    const first = firstValue(text);
    const header = parseHeader(first);
    // A file with only a header is listed, so it does not count as missing elsewhere.
    if (header !== null) {
      const isSaid = WORDS.test(text) || (await isTalk(file, signal));
      return isSaid ? { header: "first", cwd: header.cwd, isUnread: await hasUnread(file, signal) } : null;
    }
    return await searchHeader(
      file,
      { isMarked: text.startsWith("\ufeff"), isTorn: isTornFirst(text) },
      signal,
    );
  } catch (error) {
    if (!isFailure(error)) throw error;
    return null;
  }
}

async function readText(path: string): Promise<string> {
  const bytes = openBytes(path);
  try {
    return (await bytes.read(0, HEAD_BYTES)).toString("utf8");
  } finally {
    bytes.close();
  }
}

/** The first line that is JSON, as pi reads it. */
function firstValue(text: string): unknown {
  for (const line of text.split("\n")) {
    const value = parsedOf(line);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

function isTornFirst(text: string): boolean {
  const [line = ""] = text.split("\n").filter((one) => one.trim() !== "");
  return parsedOf(line) === undefined;
}

function parsedOf(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}

interface FirstLine {
  readonly isMarked: boolean;
  readonly isTorn: boolean;
}

async function searchHeader(
  { path, sizeBytes }: FoundFile,
  { isMarked, isTorn }: FirstLine,
  signal: AbortSignal | undefined,
): Promise<FileStart | null> {
  let header: Header | null = null;
  let isSaid = false;
  using lines = openLines(path, sizeBytes);
  for await (const records of lines.scan(signal ? { signal } : {})) {
    for (const { value } of records) {
      header ??= parseHeader(value);
      isSaid ||= isWords(value);
    }
    if (header !== null && isSaid) break;
  }
  if (!isSaid) return null;
  const cwd = header?.cwd ?? null;
  const isUnread = false;
  if (isMarked) return { header: "marked", cwd, isUnread };
  if (header !== null) return { header: "later", cwd, isUnread };
  return { header: isTorn ? "torn" : "none", cwd, isUnread };
}

/** Finds a message in a line that may be incomplete. */
const WORDS = /"role": ?"(?:user|assistant)"/u;

async function isTalk({ path, sizeBytes }: FoundFile, signal: AbortSignal | undefined): Promise<boolean> {
  using lines = openLines(path, sizeBytes);
  for await (const records of lines.scan(signal ? { signal } : {})) {
    if (records.some(({ value }) => isWords(value))) return true;
  }
  return false;
}

function isWords(value: unknown): boolean {
  if (!isJson(value)) return false;
  const role = roleOf(value);
  return role === "user" || role === "assistant";
}
