/** The result of executing a run. */

import {
  isContinuoError,
  messageOf,
  type Resumption,
  type Run,
  type RunStatus,
  type Usage,
} from "@continuo/core/model";

export interface RunResult {
  readonly runId: string;
  readonly sessionId: string;
  readonly status: RunStatus;
  /** The run as it is stored. */
  readonly run: Run;
  /** `null` when the run never began. */
  readonly resumption: Resumption | null;
  /** The text of the last message; of a very long one its last piece. */
  readonly text: string;
  /** With the cost, if it was reported. */
  readonly usage?: Usage;
  /** The agent's own word. */
  readonly stopReason?: string;
  /** The agent's return value, in addition to its messages. */
  readonly value?: unknown;
  readonly error?: RunError;
}

export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export function toRunError(error: unknown): RunError {
  if (!isContinuoError(error)) return { code: "agent_failed", message: messageOf(error) };
  const { code, message, details } = error;
  return { code, message, ...(Object.keys(details).length === 0 ? {} : { details: plain(details) }) };
}

/** Whatever an agent puts there, it must not keep the run from ending. */
function plain(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(JSON.stringify(details)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/** The result of a run that was never executed. */
export function resultOfEnded(run: Run): RunResult {
  const { runId, sessionId, status } = run;
  return { runId, sessionId, status, run, resumption: null, text: "" };
}
