/**
 * The ends of a run, in one table: for each end, the data of its event, the fields of the row, and the consequence for
 * the native session that the run used. Every run of the session manager ends by this table; runs of channels end in
 * `channels/claims.ts`.
 */

import { present, RUN_EVENTS, type RunStatus, type RunWrite, type Usage } from "@continuo/core/model";
import type { JournalEntry } from "./journal/index.ts";
import type { RunError } from "./result.ts";

export type EndStatus = Exclude<RunStatus, "pending" | "running">;

/** The facts about an end. The table says which facts a status uses. */
export interface EndFacts {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: RunError;
  readonly reason?: string;
  readonly timeoutMs?: number;
  readonly usage?: Usage;
}

interface EndRow {
  readonly payload: readonly (keyof EndFacts)[];
  /** The certainty that the native session contains the turn; `isTrusted` reads it. */
  readonly native: "sure" | "sure when heard" | "unsure";
}

const RUN_ENDS: Readonly<Record<EndStatus, EndRow>> = {
  completed: { payload: ["result", "usage"], native: "sure" },
  failed: { payload: ["usage", "error"], native: "sure when heard" },
  cancelled: { payload: ["usage", "reason"], native: "sure when heard" },
  timeout: { payload: ["usage", "timeoutMs"], native: "sure when heard" },
  interrupted: { payload: ["reason"], native: "unsure" },
};

/**
 * Returns true if the next turn may trust the native session. After an interrupted run it may not, because nobody
 * received the last events of the run.
 */
export function isTrusted(status: EndStatus, { isHeard }: { readonly isHeard: boolean }): boolean {
  const { native } = RUN_ENDS[status];
  return native === "sure" || (native === "sure when heard" && isHeard);
}

export interface RunEnd {
  readonly status: EndStatus;
  readonly entry: JournalEntry;
  readonly write: RunWrite;
}

/** The event of an end, and the row that changes with it. */
export function runEnd(
  runId: string,
  status: EndStatus,
  facts: EndFacts,
  metadata?: Readonly<Record<string, unknown>>,
): RunEnd {
  const { payload } = RUN_ENDS[status];
  const told = Object.fromEntries(payload.map((key) => [key, facts[key]]));
  const data = present({ runId, ...told });
  const patch = present({ result: facts.result, error: facts.error, metadata });
  return {
    status,
    entry: { type: RUN_EVENTS[status], data, by: "system" },
    write: { type: "run", runId, to: status, patch },
  };
}
