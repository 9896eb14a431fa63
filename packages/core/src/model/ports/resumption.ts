/** The outcome of continuing a session, which is always reported. */

import type { NativeRef } from "../messages/index.ts";

export interface Resumption {
  readonly requested: string;
  readonly happened: "native" | "replay" | "new";
  readonly ref?: NativeRef;
  readonly verifiedBy: VerifiedBy;
  /**
   * The form in which a replay reached the agent. Left out for a replay whose agent reads the messages themselves, as a
   * model does, answers from another session than the written one, or reports no form.
   */
  readonly replayedAs?: ReplayForm;
  /** Says why the requested way was not used, or why the session was not verified. Several reasons are joined by `; `. */
  readonly reason?: string;
  /** The part that a replay left out. */
  readonly omitted?: Readonly<Record<string, unknown>>;
  /** The agent answers from another native session than the requested one. */
  readonly forked?: { readonly from: string; readonly to: string };
  /** Each thing that was tried, in order. */
  readonly steps?: readonly ResumptionStep[];
}

export interface ResumptionStep {
  /** `session/load`, `--resume`, `thread/resume`, `replay`, `new`, … */
  readonly step: string;
  readonly outcome: "done" | "failed" | "not offered" | "skipped";
  readonly reason?: string;
}

/**
 * `session`: Continuo wrote the earlier messages as a native session of the agent and read it back, and the agent resumed
 * it; `text`: the earlier messages are a text of the first prompt, which nothing reads back.
 */
export type ReplayForm = "session" | "text";

/** The proof of a resumption: `agent` the agent's own answer, `disk` its history as Continuo read it. */
export type VerifiedBy = "agent" | "disk" | "agent and disk" | "none";
