/**
 * The row of a session without a full read: records from the start until the first things are known, from the end until
 * the last ones are, and the note next to the file for its title.
 *
 * Problems that a skim sees: what `find` saw, an unreadable file, a file without a record, what is wrong with the header,
 * and a torn last line (without its number). All others need a full read.
 */

import { isContinuoError, type Problem, type SessionInfo } from "@continuo/core/model";
import type { FoundFile, Json } from "@continuo/files";
import {
  type FoundSession,
  NO_MEMO,
  rowOfFiles,
  type SkimOptions,
  skimLines,
  skimStart,
} from "../kit/index.ts";
import {
  createFirsts,
  createLasts,
  type Firsts,
  finishRow,
  foldFirsts,
  foldLastsBackwards,
  type Lasts,
} from "./row-fold.ts";
import { readName } from "./workspace.ts";

export async function skimSession(found: FoundSession, options: SkimOptions): Promise<SessionInfo> {
  const file = found.files.at(-1);
  if (file === undefined) return rowOf(found, createFirsts(), createLasts(), []);
  try {
    const look = (): Promise<HeadLook> => lookAt(file, options);
    const looked = (options.memo ?? NO_MEMO).remember(file, { what: "copilot", part: options.part }, look);
    const { firsts, lasts, torn } = await looked;
    const problems = headProblems(found, firsts);
    if (torn) problems.push({ code: "torn_line", line: null, message: "the last line breaks off" });
    return rowOf(found, firsts, lasts, problems);
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    const unread: Problem = { code: "unreadable", line: null, message: error.message };
    return rowOf(found, createFirsts(), createLasts(), [unread]);
  }
}

/** The facts that the bytes of the file give, as JSON. */
interface HeadLook {
  readonly firsts: Firsts;
  readonly lasts: Lasts;
  readonly torn: boolean;
}

async function lookAt(file: FoundFile, options: SkimOptions): Promise<HeadLook> {
  const firsts = createFirsts();
  const lasts = createLasts();
  const { torn } = await skimLines(
    file,
    {
      first: (record) => foldStart(firsts, record),
      last(record) {
        foldLastsBackwards(lasts, record);
        return lasts.time === null ? "too little" : "everything";
      },
      titleMarkers: [],
      title: () => true,
    },
    options,
  );
  return { firsts, lasts, torn };
}

/** True when nothing more can be learned from the start. */
function foldStart(firsts: Firsts, record: Json): boolean {
  foldFirsts(firsts, record);
  return firsts.header !== null && firsts.time !== null && firsts.typed !== null;
}

/** The row that `firsts` and `lasts` make; a full read folds the same two. */
export function rowOf(
  found: FoundSession,
  firsts: Firsts,
  lasts: Lasts,
  problems: readonly Problem[],
): SessionInfo {
  return rowOfFiles("copilot", found, finishRow(firsts, lasts, readName(found.location)), problems);
}

/** Returns the problems of the start of a file: Copilot refuses one that has no header. */
export function headProblems(found: FoundSession, firsts: Firsts): Problem[] {
  const { header, headed } = firsts;
  if (headed === null) {
    const what = found.files.at(-1)?.sizeBytes === 0 ? "the file is empty" : "no record is in the file";
    return [{ code: "empty", line: null, message: what }];
  }
  const problems: Problem[] = [];
  if (!headed) {
    const message =
      header === null
        ? "no record of the type session.start is in the file"
        : "the header is not the first record";
    problems.push({ code: "missing_header", line: null, message });
  }
  if (header !== null && header.id === null) {
    problems.push({ code: "missing_session_id", line: null, message: "the header has no id" });
  }
  if (header !== null && header.id !== null && header.id !== found.sessionId) {
    const message = `the header says session ${header.id.slice(0, 80)}, the folder ${found.sessionId}; Copilot goes by the folder`;
    problems.push({ code: "wrong_session_id", line: null, message });
  }
  return problems;
}

/** Folds records from the start until nothing more can be learned. */
export async function skimFirsts(file: FoundFile, firsts: Firsts, options: SkimOptions): Promise<void> {
  await skimStart(file, { first: (record) => foldStart(firsts, record) }, options);
}
