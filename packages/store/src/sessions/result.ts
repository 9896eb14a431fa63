/** The result of executing a run. */

import {
  completedStatus,
  isContinuoError,
  messageOf,
  type Resumption,
  type Run,
  type RunStatus,
  type Usage,
} from "@continuo/core/model";

interface EndedRun {
  readonly runId: string;
  readonly sessionId: string;
  /** The run as it is stored. */
  readonly run: Run;
  /** `null` when the run never began. */
  readonly resumption: Resumption | null;
  /**
   * The text of the last message, so without what the agent said before a call; for a very long message, only its last
   * piece.
   */
  readonly text: string;
  /** With the cost, if it was reported. */
  readonly usage?: Usage;
  /** The agent's own word. */
  readonly stopReason?: string;
}

/**
 * `status` distinguishes the results: only a run whose turn came to its end has a `value`, and only a failed one has an
 * `error`. With `max_steps`, the agent was not done when it reached its limit of steps; the run is stored as
 * `completed`.
 */
export type RunResult =
  | (EndedRun & {
      readonly status: "completed" | "max_steps";
      /** The agent's return value, in addition to its messages. */
      readonly value?: unknown;
    })
  | (EndedRun & {
      readonly status: "failed";
      readonly error: RunError;
      /**
       * The error as it was thrown, with its stack and its own cause; only if this call executed the run. The log does
       * not contain these.
       */
      readonly cause?: unknown;
    })
  | (EndedRun & { readonly status: Exclude<RunStatus, "completed" | "failed"> });

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

/** No value of an agent may prevent the run from ending. */
function plain(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(JSON.stringify(details)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/** The result of a run that another process has ended. */
export function resultOfEnded(run: Run): RunResult {
  const { runId, sessionId, status } = run;
  const ended = { runId, sessionId, run, resumption: null, text: "" };
  if (status === "completed") {
    const { stopReason } = (run.result ?? {}) as { readonly stopReason?: unknown };
    return { ...ended, status: completedStatus(stopReason) };
  }
  if (status !== "failed") return { ...ended, status };
  return { ...ended, status, error: toStoredError(run.error) };
}

/** The error as another process stored it. */
function toStoredError(stored: unknown): RunError {
  const { code = "agent_failed", message = "the run failed", ...more } = (stored ?? {}) as Partial<RunError>;
  return { code, message, ...more };
}
