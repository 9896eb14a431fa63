/**
 * The sessions that a person may lose or look for in vain: their agents' own lists hide them, or their agents delete
 * them soon.
 */

/** A session that its agent's own list leaves out, although the agent does not mean to hide it. */
export interface HiddenRow {
  /** `null` if the list of sessions lacks it as well, for example because no person said anything in it. */
  readonly key: string | null;
  readonly agent: string;
  readonly location: string;
  readonly title: string | null;
  /**
   * Sentences that say why the agent's list lacks the session, which smallest change brings it back, and what is
   * different afterwards.
   */
  readonly means: string;
  readonly bringsBack: string;
  readonly changes: string;
  /** A sentence about this session in particular; `null` if the cause is enough. */
  readonly detail: string | null;
  /** True if `POST …/bring-back` can make this change. */
  readonly canBeDone: boolean;
  /** A shell command that makes this change, for a session without a key. */
  readonly command: string | null;
}

/** Sessions of one agent that the same rule will delete. */
export interface DueRow {
  readonly agent: string;
  /** A sentence without a full stop. */
  readonly rule: string;
  readonly sessions: number;
  readonly withoutCopy: number;
  /**
   * The time of the first deletion, ISO 8601. If it is in the past, the session is deleted when its agent starts next.
   */
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
  /** Sentences that say why a part of the answer is missing. */
  readonly notices: readonly string[];
}

/** `GET …/bring-back` (nothing is written), `POST …/bring-back`: the old state goes into the trash. */
export interface BringBackAnswer {
  /** The changes as sentences without a full stop; empty if Continuo cannot make them. */
  readonly steps: readonly string[];
  /** A sentence that says what is different afterwards. */
  readonly changes: string;
  /** The id for `POST /v1/machine/trash/ID/restore`, which restores the old bytes; `null` if nothing was written. */
  readonly trashId: string | null;
  /** The key of the session afterwards, which changes if its file gets another name; `null` if nothing was written. */
  readonly key: string | null;
}
