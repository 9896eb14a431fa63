/**
 * The row of a session without a full read: its own record, and if that has no title, messages up to the first that the
 * person typed. `ends` only needs the record that `find` read.
 *
 * Problems that a skim finds: those of `find`, a database that cannot be read, a session without a message.
 * All others need a full read.
 */

import { isFailure, type SessionInfo } from "@continuo/core/model";
import { type FoundSession, NO_MEMO, type SkimOptions } from "../kit/index.ts";
import { rowSeen } from "./find.ts";
import { openFoundSource } from "./read-source.ts";
import { emptyProblem, NOTHING_BESIDE, readBeside, toRow } from "./row.ts";

export async function skimSession(found: FoundSession, options: SkimOptions): Promise<SessionInfo> {
  options.signal?.throwIfAborted();
  const seen = rowSeen(found);
  const isUnreadable = found.problems.some((problem) => problem.code === "unreadable");
  if (isUnreadable || (options.part === "ends" && seen !== null)) {
    return toRow(found, seen ?? {}, NOTHING_BESIDE, []);
  }
  try {
    const key = { what: `row ${found.sessionId}`, part: "whole" } as const;
    // The times in opencode's rows do not show every edit, so an answer is valid for one state of the database and its
    // log.
    return await (options.memo ?? NO_MEMO).remember(found.files, key, () => readRow(found));
  } catch (error) {
    if (!isFailure(error)) throw error;
    return toRow(found, seen ?? {}, NOTHING_BESIDE, [
      { code: "unreadable", line: null, message: error.message },
    ]);
  }
}

/** Errors: `not_found`, `unreadable`. */
async function readRow(found: FoundSession): Promise<SessionInfo> {
  const source = await openFoundSource(found);
  try {
    const session = source.session()?.data ?? {};
    const [first] = source.messages("oldest");
    return toRow(found, session, readBeside(source, session), first === undefined ? [emptyProblem()] : []);
  } finally {
    source.close();
  }
}
