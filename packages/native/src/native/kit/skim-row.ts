/** The row of a session whose newest file is read in part, and the problems that this finds. */

import { isFailure, type Problem, type SessionInfo } from "@continuo/core/model";
import { type FoundFile, type FoundSession, NO_MEMO, type SkimOptions } from "./port.ts";

/** Facts that the bytes of a file give, as JSON: a memo can keep them. */
export interface RowSkim<Facts> {
  /** Names the facts in the memo. */
  readonly what: string;
  /** Errors: `not_found`, `unreadable`. */
  look(file: FoundFile): Promise<Facts>;
  problemsOf(facts: Facts, file: FoundFile): readonly Problem[];
  /** `null` for a session without a file, or with one that cannot be read. */
  rowOf(facts: Facts | null, problems: readonly Problem[]): SessionInfo;
}

export async function skimRow<Facts>(
  found: FoundSession,
  { memo = NO_MEMO, part }: SkimOptions,
  { what, look, problemsOf, rowOf }: RowSkim<Facts>,
): Promise<SessionInfo> {
  const file = found.files.at(-1);
  if (file === undefined) return rowOf(null, []);
  // A file that cannot be read now may be readable in a moment, with the same stamp: the memo keeps no error.
  try {
    const facts = await memo.remember(file, { what, part }, () => look(file));
    return rowOf(facts, problemsOf(facts, file));
  } catch (error) {
    if (!isFailure(error)) throw error;
    return rowOf(null, [{ code: "unreadable", line: null, message: error.message }]);
  }
}

/** A skim does not know the number of the line. */
export function tornProblems(torn: boolean): Problem[] {
  return torn ? [{ code: "torn_line", line: null, message: "the last line breaks off" }] : [];
}

/** The facts about the header of a file, which should be its first record. */
export interface HeaderFacts {
  readonly header: { readonly id: string | null } | null;
  /** True if the first record is the header; `null` for a file without a record. */
  readonly headed: boolean | null;
}

export interface HeaderWords {
  /** The type of the header's record. */
  readonly type: string;
  /** Both ids, and which of them the agent uses: "the file name X; pi uses the id of the header". */
  readonly place: string;
}

/** The problems of the start of a file, for agents that refuse a file which does not begin with its header. */
export function headerProblems(
  { header, headed }: HeaderFacts,
  found: FoundSession,
  { type, place }: HeaderWords,
): Problem[] {
  if (headed === null) {
    const what = found.files.at(-1)?.sizeBytes === 0 ? "the file is empty" : "no record is in the file";
    return [{ code: "empty", line: null, message: what }];
  }
  const problems: Problem[] = [];
  if (!headed) {
    const message =
      header === null ? `no record of the type ${type} is in the file` : "the header is not the first record";
    problems.push({ code: "missing_header", line: null, message });
  }
  if (header !== null && header.id === null) {
    problems.push({ code: "missing_session_id", line: null, message: "the header has no id" });
  }
  if (header !== null && header.id !== null && header.id !== found.sessionId) {
    const message = `the header says session ${header.id.slice(0, 80)}, ${place}`;
    problems.push({ code: "wrong_session_id", line: null, message });
  }
  return problems;
}
