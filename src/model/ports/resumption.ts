/** What continuing a session came to: never silent. */

import type { NativeRef } from "../messages/index.ts";

export interface Resumption {
  readonly requested: string;
  readonly happened: "native" | "replay" | "new";
  readonly ref?: NativeRef;
  readonly verifiedBy: VerifiedBy;
  /** Why it is not what was asked for, one sentence. */
  readonly reason?: string;
  /** What a replay left out. */
  readonly omitted?: Readonly<Record<string, unknown>>;
  /** The agent answers from another native session than it was asked for. */
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

/** How it was made sure of: `agent` its own answer, `disk` its history as we read it. */
export type VerifiedBy = "agent" | "disk" | "agent and disk" | "none";
