/** The cascade: tries the ways to open a session in order until one succeeds, and reports the outcome of each way. */

import {
  ContinuoError,
  isContinuoError,
  type OnMissing,
  present,
  type ResumptionStep,
} from "@continuo/core/model";

export interface CascadeStep<T> {
  /** `session/load`, `--resume`, `thread/resume`, … */
  readonly step: string;
  readonly offered: boolean;
  readonly run: () => Promise<T>;
}

export interface Cascade<T> {
  /** The name of the agent for people. */
  readonly agent: string;
  readonly sessionId: string;
  /** True if the session has no file on disk, so it does not exist, whatever the agent reports. */
  readonly isAbsent?: boolean;
  readonly steps: readonly CascadeStep<T>[];
  readonly onMissing: OnMissing;
  /** Begins a new session that receives the history as text. */
  readonly replay: () => Promise<T>;
  /** Begins a new session without the history. */
  readonly begin: () => Promise<T>;
  readonly signal?: AbortSignal;
}

export interface CascadeResult<T> {
  readonly value: T;
  readonly happened: "native" | "replay" | "new";
  readonly steps: readonly ResumptionStep[];
  /** The reason why the session is not native, in one sentence. */
  readonly reason?: string;
}

/**
 * Returns the outcome of the first step that succeeds; later steps are `skipped`. If no step succeeds, `onMissing`
 * decides whether an error, a replay or a new session follows.
 *
 * Errors: `native_unavailable`; `not_found` if the agent reports that the session does not exist, or if the session
 * has no file on disk; `session_live` if the session is open elsewhere. All of these have `details.steps`. Also
 * `agent_missing`, and the reason of the signal.
 */
export async function runCascade<T>(cascade: Cascade<T>): Promise<CascadeResult<T>> {
  const { agent, sessionId, onMissing } = cascade;
  const { steps, value, failures } = await tryInOrder(cascade);
  if (value !== undefined) return { ...value, happened: "native", steps };
  const reason = `${agent} could not resume ${sessionId}: ${failures.at(-1)?.message ?? "it offers no way to resume"}`;
  const isAbsent = cascade.isAbsent === true && failures.length > 0;
  if (onMissing === "error") throw refusalOf(reason, steps, { failures, isAbsent });
  const way = onMissing === "new" ? cascade.begin : cascade.replay;
  const opened = await attempt({ step: onMissing, offered: true, run: way }, cascade.signal);
  const all = [...steps, opened.told];
  if (opened.value === undefined) throw refusalOf(reason, all, { failures: [...failures, opened.error] });
  return { ...opened.value, happened: onMissing, steps: all, reason };
}

interface CascadeTry<T> {
  readonly steps: readonly ResumptionStep[];
  readonly value?: { readonly value: T };
  readonly failures: readonly Error[];
}

async function tryInOrder<T>({ steps: ways, signal }: Cascade<T>): Promise<CascadeTry<T>> {
  const steps: ResumptionStep[] = [];
  const failures: Error[] = [];
  let done: { readonly value: T } | undefined;
  for (const way of ways) {
    if (done !== undefined) steps.push({ step: way.step, outcome: "skipped" });
    else if (!way.offered) steps.push({ step: way.step, outcome: "not offered" });
    else {
      const tried = await attempt(way, signal);
      steps.push(tried.told);
      if (tried.value === undefined) failures.push(tried.error);
      else done = tried.value;
    }
  }
  return present({ steps, failures, value: done });
}

type Attempt<T> =
  | { readonly told: ResumptionStep; readonly value: { readonly value: T } }
  | { readonly told: ResumptionStep; readonly value: undefined; readonly error: Error };

async function attempt<T>(
  { step, run }: CascadeStep<T>,
  signal: AbortSignal | undefined,
): Promise<Attempt<T>> {
  try {
    signal?.throwIfAborted();
    return { told: { step, outcome: "done" }, value: { value: await run() } };
  } catch (error) {
    // No other step can succeed in these cases.
    if (signal?.aborted === true || !(error instanceof Error) || isContinuoError(error, "agent_missing")) {
      throw error;
    }
    return { told: { step, outcome: "failed", reason: error.message }, value: undefined, error };
  }
}

function refusalOf(
  reason: string,
  steps: readonly ResumptionStep[],
  { failures, isAbsent = false }: { readonly failures: readonly Error[]; readonly isAbsent?: boolean },
): ContinuoError {
  const isGone =
    isAbsent || (failures.length > 0 && failures.every((error) => isContinuoError(error, "not_found")));
  const isLive = failures.some((error) => isContinuoError(error, "session_live"));
  const details = { ...(failures.at(-1) as Partial<ContinuoError>)?.details, steps };
  return new ContinuoError(isGone ? "not_found" : isLive ? "session_live" : "native_unavailable", reason, {
    hint: "Use `--on-missing replay` to send the history to a new session, or `--on-missing new` to start without it.",
    details,
    cause: failures.at(-1),
  });
}
