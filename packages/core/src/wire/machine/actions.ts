/** Actions on a session. All requests with `POST` need the scope `machine:write`; previews use `GET`. */

import type { MachineSession } from "./list.ts";

/** The command that resumes the session in its own agent. */
export interface ResumeAnswer {
  readonly cwd: string;
  readonly argv: readonly string[];
  /** The command as a text that a person pastes into a shell. */
  readonly command: string;
}

/** `GET …/resume`. */
export interface ResumeOffer extends ResumeAnswer {
  /** The terminal in which `POST …/terminal` starts the command; `null` if this token, or this server, cannot do it. */
  readonly terminal: string | null;
}

/** `POST …/terminal`: the command runs in a new window of this terminal. */
export interface TerminalAnswer {
  readonly terminal: string;
}

/** The query of `GET …/handoff` (the receipt; nothing is written), the body of `POST …/handoff`. */
export interface HandOffRequest {
  readonly to: string;
  /** The session's own folder by default. */
  readonly cwd?: string;
  /** The number of the newest messages; all by default. */
  readonly maxMessages?: number;
}

interface Outcomes {
  readonly kept: number;
  readonly rewritten: number;
  readonly noted: number;
  readonly dropped: number;
}

export interface HandOffPreview {
  readonly agent: string;
  readonly receipt: {
    /** The outcomes for each kind of record. */
    readonly byKind: Readonly<Record<string, Outcomes>>;
    /** The reasons why records are not kept, each with the number of records; at most 200. */
    readonly reasons: readonly {
      readonly kind: string;
      readonly outcome: string;
      readonly reason: string;
      readonly count: number;
    }[];
  };
}

export interface HandOffAnswer extends HandOffPreview {
  readonly session: MachineSession | null;
  readonly sessionId: string;
  readonly location: string;
  readonly verifiedBy: string | null;
  readonly resume: ResumeAnswer;
}

/** The body of `POST …/fork`: up to and including the message `at`; the whole session by default. */
export interface ForkRequest {
  readonly at?: string;
}

export interface ForkAnswer {
  readonly session: MachineSession | null;
  readonly sessionId: string;
  readonly messages: number;
  readonly resume: ResumeAnswer;
}

/** The body of `POST …/rename`: one line of text. The answer is the row. */
export interface RenameRequest {
  readonly title: string;
}

/** The answer of `POST …/delete`: the name of the session in the trash. */
export interface TrashAnswer {
  readonly trashId: string;
}

/** The answer of `POST /v1/machine/trash/empty`: how many sessions were deleted permanently. */
export interface EmptyTrashAnswer {
  readonly sessions: number;
  /** The number of those that stay, because another session continues from them, or because a run is in progress. */
  readonly stayed: number;
}

/** `GET …/repair` (nothing is written), `POST …/repair` (in place; the old state goes into the trash). */
export interface RepairAnswer {
  /** At most 200; records are cut at 2,000 characters. */
  readonly edits: readonly {
    readonly type: string;
    readonly reason: string;
    readonly line: number | null;
    readonly row: string | null;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  readonly editCount: number;
  /** Sentences about what a repair cannot solve; at most 50. */
  readonly remaining: readonly string[];
  readonly remainingCount: number;
  readonly written: boolean;
  readonly trashId: string | null;
}
