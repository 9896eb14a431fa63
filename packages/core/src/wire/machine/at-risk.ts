/** The sessions that a person may miss: their agents' own lists hide them, or their agents delete them soon. */

/** A session that its agent's own list leaves out against the will of the agent. */
export interface HiddenRow {
  /** `null` if the list of sessions lacks it as well, such as one in which no person said anything. */
  readonly key: string | null;
  readonly agent: string;
  readonly location: string;
  readonly title: string | null;
  /**
   * Sentences: why the agent's list lacks it, the smallest change that brings it back, and the differences afterwards.
   */
  readonly means: string;
  readonly bringsBack: string;
  readonly changes: string;
  /** A sentence about this very session; `null` if the cause says it all. */
  readonly detail: string | null;
  /** True if `POST …/bring-back` can do it. */
  readonly canBeDone: boolean;
  /** A command for a shell that does it, for a session without a key. */
  readonly command: string | null;
}

/** Sessions of one agent that the same rule concerns. */
export interface DueRow {
  readonly agent: string;
  /** A sentence without a full stop. */
  readonly rule: string;
  readonly sessions: number;
  readonly withoutCopy: number;
  /** The first end, ISO 8601; in the past: at the next start of its agent. */
  readonly firstAt: string;
}

/** `GET /v1/machine/at-risk`. Nothing is written. */
export interface SessionsAtRisk {
  /** At most 200. */
  readonly hidden: readonly HiddenRow[];
  readonly hiddenCount: number;
  /** The sessions that agents delete within `days`. */
  readonly due: {
    readonly days: number;
    readonly sessions: number;
    readonly withoutCopy: number;
    readonly rules: readonly DueRow[];
  };
  /** True if the guard copies sessions by itself. */
  readonly isGuarded: boolean;
  /** Why a part could not be found out, as sentences. */
  readonly notices: readonly string[];
}

/** `GET …/bring-back` (nothing is written), `POST …/bring-back`: the old state goes into the trash. */
export interface BringBackAnswer {
  /** The changes as sentences without a full stop; empty where Continuo cannot make them. */
  readonly steps: readonly string[];
  /** A sentence that says what is different afterwards. */
  readonly changes: string;
  /** The id for `POST /v1/machine/trash/ID/restore`, which undoes it byte for byte; `null` if nothing was written. */
  readonly trashId: string | null;
  /** The key of the session afterwards, which another name of its file can change; `null` if nothing was written. */
  readonly key: string | null;
}
