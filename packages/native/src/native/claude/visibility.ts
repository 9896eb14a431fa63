/**
 * Sessions that Claude Code's own list does not show, found only from the files. The rules of the list are in
 * `own-list.ts`; a session without messages is not reported.
 */

import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import { isFailure } from "@continuo/core/model";
import { canonicalFolder, type FoundFile, isJson, statFile } from "@continuo/files";
import { openLines } from "@continuo/files/records";
import { type AgentVisibility, type FoundSession, type HiddenSession, NO_MEMO } from "../kit/index.ts";
import { readEnds } from "./file-ends.ts";
import { findSessions, isSessionId } from "./find.ts";
import { CLAUDE_CAUSES, type ClaudeCause } from "./hidden-causes.ts";
import {
  continuationOf,
  END_BYTES,
  type FileEnds,
  foldersIn,
  isSidechainFirst,
  listedName,
  promptOf,
  recordIn,
  relocatedTo,
} from "./own-list.ts";
import { claudeFolders, MAX_NAME_CHARS, projectNameOf } from "./places.ts";
import { contentOf, isToolResult } from "./records.ts";
import { mendHidden } from "./show-again.ts";
import { titleInSidecar } from "./sidecar-files.ts";

export const claudeVisibility: AgentVisibility = {
  causes: CLAUDE_CAUSES,
  async *hidden(places, { memo = NO_MEMO, signal }) {
    const { forcedProject } = claudeFolders(places);
    let looked = 0;
    for await (const found of findSessions(places, signal === undefined ? {} : { signal })) {
      const file = found.files.at(-1);
      if (file === undefined) continue;
      looked += 1;
      if (looked % FILES_AT_ONCE === 0) await otherWork();
      const listing = await memo.remember(file, { what: "claude own list", isBrief: true }, () =>
        readListing(file, signal),
      );
      const reason = listing === null ? null : reasonOf(found, listing, forcedProject);
      if (reason !== null) yield { found, ...reason };
    }
  },
  mend: mendHidden,
  command: () => null,
};

/** The number of files after which other work can run. */
const FILES_AT_ONCE = 16;

export type Reason = Pick<HiddenSession<ClaudeCause>, "cause" | "detail">;

/** The facts that the list takes from the bytes of one file. */
export interface FileListing {
  /** The reason why the list has no name for the session; `null` if it has one. */
  readonly unnamed: Reason | null;
  /** The folders that are named at the start of the file, with a relocation first. */
  readonly folders: readonly string[];
  readonly continuation: string | null;
}

/** The rules about place and name come first: if the list does not open a file, its content does not matter. */
export function reasonOf(
  { location }: Pick<FoundSession, "location">,
  { unnamed, folders, continuation }: FileListing,
  forcedProject: string | null,
): Reason | null {
  if (isLink(location)) return { cause: "linked_file", detail: null };
  if (!isSessionId(basename(location, ".jsonl"))) {
    return { cause: "file_name", detail: `The file is named ${basename(location)}.` };
  }
  if (unnamed !== null && (unnamed.cause === "sidechain_first" || !hasTitleBeside(location))) return unnamed;
  if (continuation !== null && isAnotherSession(location, continuation)) {
    return { cause: "continued_elsewhere", detail: `It goes on in ${continuation}.` };
  }
  const name = basename(dirname(location));
  const [first] = folders;
  if (first === undefined || name === forcedProject || folders.some((one) => isNameOf(name, one)))
    return null;
  return { cause: "other_folder", detail: `It lies in ${name}, and its records name ${first}.` };
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function hasTitleBeside(location: string): boolean {
  return titleInSidecar(location) !== null;
}

function isAnotherSession(location: string, sessionId: string): boolean {
  if (!isSessionId(sessionId) || basename(location, ".jsonl") === sessionId) return false;
  const path = join(dirname(location), `${sessionId}.jsonl`);
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The hash at the end of a long name differs between versions. */
function isNameOf(name: string, folder: string): boolean {
  const startOf = (text: string): string => text.slice(0, MAX_NAME_CHARS).toLowerCase();
  const names = [folder, canonicalFolder(folder)].map((one) => startOf(projectNameOf(one)));
  return names.includes(startOf(name));
}

/** `null` for a file without messages or an unreadable file, which no rule of the list hides. */
async function readListing(file: FoundFile, signal: AbortSignal | undefined): Promise<FileListing | null> {
  try {
    const ends = await readEnds(file);
    const moved = relocatedTo(ends.tail);
    const folders = [...(moved === null ? [] : [moved]), ...foldersIn(ends.head)];
    const listed = { folders, continuation: continuationOf(ends.tail) };
    if (listedName(ends) !== null) return isTalk(ends) ? { ...listed, unnamed: null } : null;
    const start = await readStart(file, signal);
    return start.isTalk ? { ...listed, unnamed: whyUnnamed(ends.head, start) } : null;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return null;
  }
}

/** The title that a person or Continuo gave the session, from the ends of its file; `null` for none. Errors: `unreadable`. */
export async function customTitleOf(path: string): Promise<string | null> {
  const { head, tail } = await readEnds({ path, sizeBytes: statFile(path)?.sizeBytes ?? 0 });
  const titles = [head, tail].flatMap((text) => text.split("\n").map(recordIn));
  const title = titles.findLast((record) => record?.type === "custom-title")?.customTitle;
  return typeof title === "string" && title.trim() !== "" ? title.trim() : null;
}

function isTalk({ head, tail }: FileEnds): boolean {
  const line = /"type": ?"(?:user|assistant)"/u;
  return line.test(head) || line.test(tail);
}

/** The records of a file up to its first prompt. */
export interface FileStart {
  readonly isTalk: boolean;
  readonly isFirstDamaged: boolean;
  readonly hasUser: boolean;
  /** The bytes before the record with the first prompt; `null` if there is none. */
  readonly promptAt: number | null;
}

/** Errors: `unreadable`, `not_found`. */
async function readStart(
  { path, sizeBytes }: FoundFile,
  signal: AbortSignal | undefined,
): Promise<FileStart> {
  let [isTalk, isFirstDamaged, hasUser] = [false, false, false];
  using lines = openLines(path, sizeBytes);
  for await (const records of lines.scan(signal === undefined ? {} : { signal })) {
    for (const { value, line, offset } of records) {
      if (!isJson(value)) {
        isFirstDamaged ||= line === 1;
        continue;
      }
      const content = value.type === "user" || value.type === "assistant" ? contentOf(value) : null;
      isTalk ||= content !== null;
      hasUser ||= value.type === "user" && content !== null && !content.every(isToolResult);
      if (promptOf(value).prompt !== null) return { isTalk, isFirstDamaged, hasUser, promptAt: offset };
    }
  }
  return { isTalk, isFirstDamaged, hasUser, promptAt: null };
}

function whyUnnamed(head: string, { isFirstDamaged, hasUser, promptAt }: FileStart): Reason {
  if (isSidechainFirst(head)) return { cause: "sidechain_first", detail: null };
  if (head.startsWith("\ufeff")) return { cause: "byte_order_mark", detail: null };
  if (isFirstDamaged) return { cause: "torn_first_line", detail: null };
  if (promptAt === null) return { cause: hasUser ? "no_prompt" : "no_user_record", detail: null };
  if (promptAt < END_BYTES) return { cause: "long_first_prompt", detail: null };
  return {
    cause: "late_first_prompt",
    detail: `The first prompt begins ${Math.floor(promptAt / 1024)} KiB after the start.`,
  };
}
