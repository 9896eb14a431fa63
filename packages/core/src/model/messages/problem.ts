/**
 * Something unexpected that a reader found in a native session. It is never an exception and never silent:
 * reading continues, and the problem is listed with its place.
 */

/** `damage`: something is lost or contradicts itself. `warning`: nothing is lost, but a person should know. */
export type Severity = "damage" | "warning";

export type ProblemCode =
  | "unreadable"
  | "empty"
  | "bad_json"
  | "torn_line"
  | "bad_record"
  | "too_large"
  | "bad_utf8"
  | "byte_order_mark"
  | "mixed_line_ends"
  | "missing_header"
  | "missing_session_id"
  | "wrong_session_id"
  | "missing_id"
  | "duplicate_id"
  | "dangling_parent"
  | "dangling_reference"
  | "cycle"
  | "unreachable"
  | "call_without_result"
  | "result_without_call"
  | "missing_parent_session"
  | "bad_order"
  | "newer_format"
  | "diverged_copy"
  | "expires_soon"
  | "deleted_on_start"
  | "only_copy"
  | "mirror"
  | "lost_on_resume"
  | "cannot_resume"
  | "damaged_database"
  | "changed_event"
  | "unfinished_edit";

interface ProblemKind {
  readonly severity: Severity;
  /** One sentence about what a person can do. */
  readonly advice: string;
}

/**
 * All codes, with what a person can do about each. A message says what the reader found; the advice is the same for all
 * problems of a kind.
 */
export const PROBLEM_KINDS: Readonly<Record<ProblemCode, ProblemKind>> = {
  unreadable: {
    severity: "damage",
    advice:
      "If the file is damaged, restore it from a backup. Otherwise check its permissions and that it still exists.",
  },
  empty: {
    severity: "damage",
    advice: "Nothing was ever written, or the content is lost; the file can be deleted.",
  },
  bad_json: {
    severity: "damage",
    advice: "The line is left out. Restore it from a backup if you have one.",
  },
  torn_line: {
    severity: "damage",
    advice: "The agent was stopped while it wrote, or is writing now. The rest of the session is intact.",
  },
  bad_record: {
    severity: "damage",
    advice: "The record lacks what its kind needs; it is kept verbatim and left out of the conversation.",
  },
  too_large: {
    severity: "damage",
    advice:
      "The record is longer, or nested deeper, than Continuo reads; it is left out of the conversation.",
  },
  bad_utf8: {
    severity: "damage",
    advice: "Bytes that are not valid UTF-8 are shown as U+FFFD.",
  },
  byte_order_mark: {
    severity: "damage",
    advice: "Some program rewrote the file; agents may refuse its first line.",
  },
  mixed_line_ends: {
    severity: "damage",
    advice: "Some program rewrote part of the file with other line ends.",
  },
  missing_header: {
    severity: "damage",
    advice: "The record that names the session is missing; its agent may refuse the file.",
  },
  missing_session_id: {
    severity: "damage",
    advice: "The session is known by its file name alone.",
  },
  wrong_session_id: {
    severity: "damage",
    advice: "Records of another session are in this file, or the file was renamed.",
  },
  missing_id: {
    severity: "damage",
    advice: "The record cannot be linked; it is kept, and shown at its place in the file.",
  },
  duplicate_id: {
    severity: "damage",
    advice: "Two records have the same id; the agent reads only one of them.",
  },
  dangling_parent: {
    severity: "damage",
    advice: "The record before this one is lost; the conversation is shown from here.",
  },
  dangling_reference: {
    severity: "damage",
    advice: "This record refers to a record that is lost, so it has no effect.",
  },
  cycle: {
    severity: "damage",
    advice: "The records refer to each other in a circle; Continuo ignores the reference that closes it.",
  },
  unreachable: {
    severity: "damage",
    advice: "Records that no branch leads to are kept; `continuo session show --all` shows them.",
  },
  call_without_result: {
    severity: "damage",
    advice: "The tool was interrupted, or its result is lost; the agent fills the gap on resume.",
  },
  result_without_call: {
    severity: "damage",
    advice: "The call is lost; most agents leave such a result out on resume.",
  },
  missing_parent_session: {
    severity: "damage",
    advice: "This session is a fork. Its source is gone, and with it the messages that both shared.",
  },
  bad_order: {
    severity: "damage",
    advice:
      "The records are not in the order in which they were written; the agent may read them differently.",
  },
  newer_format: {
    severity: "damage",
    advice:
      "A newer version of the agent stores a part of the session where this Continuo does not look: update Continuo.",
  },
  diverged_copy: {
    severity: "warning",
    advice: "The copy that was continued last is shown; the other copy stays where it is.",
  },
  expires_soon: {
    severity: "warning",
    advice: "The agent deletes old sessions by itself; change its retention setting or export the session.",
  },
  deleted_on_start: {
    severity: "warning",
    advice:
      "The agent deletes this session by itself when it next starts; copy or export the session before.",
  },
  only_copy: {
    severity: "warning",
    advice: "`continuo guard restore ID` puts the session back; `continuo resume ID` does this by itself.",
  },
  mirror: {
    severity: "warning",
    advice: "If the other machine is gone, `continuo move ID --take-over` continues the session here.",
  },
  lost_on_resume: {
    severity: "warning",
    advice: "The agent itself does not see this record when it continues the session; Continuo reads it.",
  },
  cannot_resume: {
    severity: "damage",
    advice:
      "Your agent cannot resume this session: `continuo session repair ID` shows the changes that repair it.",
  },
  damaged_database: {
    severity: "damage",
    advice:
      "`continuo session repair ID --output FILE` writes what can be read; move the database away, then `opencode import FILE`.",
  },
  changed_event: {
    severity: "damage",
    advice:
      "The content of the store is not what was stored: restore the store from a backup (`continuo store restore`).",
  },
  unfinished_edit: {
    severity: "damage",
    advice:
      "Continuo was stopped while it changed a session: close the session in its agent, then run `continuo session check`.",
  },
};

export interface Problem {
  readonly code: ProblemCode;
  /** One sentence about what the reader found, with ids where they help. Content of the session is shortened. */
  readonly message: string;
  /** 1-based line of the file; `null` if the problem concerns the whole session, or is in a database. */
  readonly line: number | null;
  /** Left out for the session's own main file. */
  readonly file?: string;
}

export function severityOf(problem: Problem): Severity {
  return PROBLEM_KINDS[problem.code].severity;
}

export function adviceFor(problem: Problem): string {
  return PROBLEM_KINDS[problem.code].advice;
}
