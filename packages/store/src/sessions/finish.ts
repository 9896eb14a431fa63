/** The end of a run: one append with the remaining events, the reference, the sums, and the one end. */

import {
  type AgentResult,
  addUsage,
  ContinuoError,
  completedStatus,
  isContinuoError,
  type NativeRef,
  present,
  textOf,
  type Usage,
  type Write,
} from "@continuo/core/model";
import { debugOf } from "@continuo/files";
import { fitError, type Omission, omissionEntries } from "./agent-result.ts";
import { isLive } from "./attempt.ts";
import { type EndFacts, type EndStatus, isTrusted, runEnd } from "./ends.ts";
import { HANDED_BACK, interruptRun } from "./interrupt.ts";
import { endTurn, type JournalEntry, type LastAppend, usageOf } from "./journal/index.ts";
import { type NewReference, referenceOf, referencePatch, toReference, unsurePatch } from "./references.ts";
import { type RunResult, toRunError } from "./result.ts";
import { type NextRun, nextRun } from "./retries.ts";
import { cancelReason, type Stop } from "./stops.ts";
import { inputEntries, onWhere, type TurnState } from "./turn-state.ts";

const debug = debugOf("sessions");

interface End {
  readonly status: Exclude<EndStatus, "interrupted">;
  readonly result?: AgentResult;
  /** The parts of the result that could not be stored. */
  readonly omissions: readonly Omission[];
  readonly error?: unknown;
  readonly stop?: Stop;
}

/** Errors: `native_unavailable` and `fenced` as `executeRun`; those of the store, when the end cannot be kept. */
export async function finish(state: TurnState): Promise<RunResult> {
  const { store, run, journal, lease, stops, outcome } = state;
  const checked = outcome.type === "done" ? outcome : null;
  if (checked?.result.nativeRef !== undefined) moved(state, checked.result.nativeRef);
  if (stops.stop?.status === "lost") {
    if (state.options.abandon?.aborted === true) await handBack(state);
    throw lost(run.runId, stops.stop.error);
  }
  let end = endOf(state);
  const said = [...lastInput(state, end), ...endTurn(state.turn)];
  try {
    await journal.end({
      said,
      last: async (lostEvents) => {
        end = endOf(state, lostEvents);
        const { entries, also } = closing(state, end);
        const next = await nextOf(state, end);
        return {
          entries,
          also: [...also, ...(next?.also ?? []), await lease.lastWrite()],
          after: next === null ? [] : [next.event],
        };
      },
      bare: (refusal, lostEvents) => {
        end = { status: "failed", omissions: [], error: storageError(refusal, lostEvents) };
        const { entry, write } = runEnd(run.runId, end.status, { error: toRunError(end.error) });
        return { entries: [entry], also: [write, lease.releaseWrite] };
      },
    });
    lease.givenBack();
  } catch (error) {
    throw isContinuoError(error, "fenced") ? lost(run.runId, error) : unkept(error);
  }
  debug("run ended", () => ({
    runId: run.runId,
    status: end.status,
    omissions: end.omissions.length,
    code: isContinuoError(end.error) ? end.error.code : null,
  }));
  if (isContinuoError(end.error, "native_unavailable")) throw end.error;
  return toResult(state, end, await store.getRun(run.runId));
}

/** Interrupts the run while it holds the lease: no other process needs to find out that this one ended. */
async function handBack({ store, run, journal, lease, options: { retry } }: TurnState): Promise<void> {
  if (retry === undefined) return;
  await journal.keep([], "durable");
  await interruptRun(store, { ...run, status: "running" }, { lease, reason: HANDED_BACK, retry });
}

async function nextOf({ store, run, options }: TurnState, { status }: End): Promise<NextRun | null> {
  const attempt = await options.retry?.(run, status);
  return attempt == null ? null : await nextRun(store, run, attempt);
}

/**
 * Returns the input, because the log must contain it however the turn ended. If the agent refused to begin, it returns
 * nothing: the error tells the caller.
 */
function lastInput(state: TurnState, { error }: End): readonly JournalEntry[] {
  const isRequired = isContinuoError(error, "native_unavailable");
  return isRequired || isUnheard(state) ? [] : inputEntries(state);
}

/** True if no part of the input reached the agent. The run then counts as never executed. */
function isRefused(state: TurnState): boolean {
  return state.plan === null || isUnheard(state);
}

function isUnheard({ outcome, turn }: TurnState): boolean {
  return outcome.type === "unavailable" && turn.heard === "nothing";
}

/** Notes another native session, because the agent may report only now that it answered from there. */
function moved(state: TurnState, nativeRef: NativeRef): void {
  const known = state.where?.ref;
  if (known?.sessionId === nativeRef.sessionId) return;
  onWhere(state, {
    ref: nativeRef,
    verifiedBy: "none",
    happened: known === undefined ? "created" : "forked",
  });
}

function lost(runId: string, cause: unknown): ContinuoError {
  return new ContinuoError("fenced", `the run ${runId} was stopped: another process took its session`, {
    hint: "Read the end of the run in the session: the other process has written it.",
    details: { runId },
    cause,
  });
}

/** The error for a caller that received the whole answer, although the session does not have all of it. */
function unkept(error: unknown): unknown {
  if (!isContinuoError(error)) return error;
  const { code, message, hint, details } = error;
  return new ContinuoError(
    code,
    `cannot store the last output of the agent: ${message}`,
    present({ hint, details, cause: error }),
  );
}

function endOf({ stops, outcome, journal }: TurnState, lostEvents = 0): End {
  const { stop } = stops;
  if (journal.failure !== undefined)
    return { status: "failed", omissions: [], error: storageError(journal.failure, lostEvents) };
  if (stop !== null && stop.status !== "lost") {
    const error = stop.status === "failed" ? { error: stop.error } : {};
    return { status: stop.status, omissions: [], stop, ...error };
  }
  if (outcome.type === "left") return { status: "cancelled", omissions: [] };
  if (outcome.type === "done") {
    const { result, omissions } = outcome;
    return { status: "completed", result, omissions };
  }
  return { status: "failed", omissions: [], error: outcome.error };
}

/** The error for output that the store did not accept. It has the number of the missing events. */
function storageError(cause: unknown, lostEvents: number): ContinuoError {
  const { code, message } = toRunError(cause);
  // An error that is not Continuo's counts as a store that did not answer.
  const own = isContinuoError(cause) ? cause : null;
  return new ContinuoError(
    own?.code ?? "unavailable",
    `cannot store the output of the agent: ${message}`,
    present({ hint: own?.hint, details: { code, lostEvents }, cause }),
  );
}

/** Everything that is written at the end, in a form that the store accepts. */
function closing(state: TurnState, end: End): LastAppend {
  const { run, turn, processed } = state;
  const entries: JournalEntry[] = [...turnEnd(state, end)];
  const also: Write[] = [];
  const { stop } = end;
  if (stop?.status === "cancelled" && stop.exceeded !== undefined) {
    entries.push({ type: "budget_exceeded", data: { ...stop.exceeded }, by: "system" });
  }
  const usage = totalUsage(state, end);
  const metadata = metadataOf(state, end);
  if (Object.keys(metadata.session).length > 0) {
    entries.push({ type: "session_updated", data: { metadata: metadata.session }, by: "system" });
    also.push({ type: "session", patch: { metadata: metadata.session } });
  }
  const failure = end.error === undefined ? null : fitError(toRunError(end.error));
  entries.push(...omissionEntries([...end.omissions, ...(failure?.omissions ?? [])]));
  const facts: EndFacts = present({
    result: end.result === undefined ? undefined : resultOf(state, end.result),
    error: failure?.error,
    reason: stop?.status === "cancelled" ? cancelReason(stop) : undefined,
    timeoutMs: stop?.status === "timeout" ? stop.timeoutMs : undefined,
    usage,
  });
  const { entry, write } = runEnd(run.runId, end.status, facts, {
    native: metadata.native,
    ...present({ usage }),
  });
  entries.push(entry);
  also.push(write);
  if (processed !== null) also.push({ type: "cursor", name: "processed", sequence: processed });
  turn.calls.clear();
  return { entries, also };
}

/** Adds the end of the turn if the agent did not report it. */
function turnEnd({ turn }: TurnState, { status, result }: End): readonly JournalEntry[] {
  if (status !== "completed" || turn.completed !== null) return [];
  const isCounted = usageOf(turn.usage) !== undefined;
  const usage = isCounted ? undefined : result?.usage;
  return [{ type: "turn_completed", data: present({ stopReason: result?.stopReason, usage }) }];
}

function totalUsage({ turn }: TurnState, { result }: End): Usage | undefined {
  const counted = usageOf(turn.usage) ?? result?.usage;
  const costUsd = result?.costUsd ?? counted?.costUsd ?? result?.usage?.costUsd;
  if (costUsd === undefined) return counted;
  return { ...(counted ?? { inputTokens: 0, outputTokens: 0 }), costUsd };
}

/** The result is plain JSON, because it was checked. */
function resultOf(
  { turn }: TurnState,
  { stopReason, value }: AgentResult,
): Readonly<Record<string, unknown>> {
  return present({ stopReason: stopReason ?? turn.completed?.stopReason, value });
}

interface MetadataPatches {
  readonly session: Readonly<Record<string, unknown>>;
  /** The native session that the run used; `null` if none has the turn. */
  readonly native: { readonly agent: string; readonly sessionId: string } | null;
}

function metadataOf(state: TurnState, end: End): MetadataPatches {
  const { session, agent, turn, plan, where } = state;
  const usage = totalUsage(state, end);
  const sums =
    usage === undefined ? {} : { usage: addUsage(session.metadata.usage as Usage | undefined, usage) };
  const model = turn.model === undefined ? {} : { model: turn.model };
  const ref = where?.ref ?? null;
  // The native session still has everything that it received before.
  if (isRefused(state)) return { session: { ...sums, ...model }, native: null };
  if (ref === null || plan === null) {
    // The run should have continued natively, and it is unknown whether it did.
    const asked = plan?.nativeRef;
    const isUnsure = asked !== undefined && state.outcome.type !== "unavailable";
    const patch = isUnsure ? unsurePatch(session, agent.name, asked.sessionId) : null;
    return { session: { ...sums, ...model, ...patch }, native: null };
  }
  const reference = toReference(newReference(state, end, ref));
  const native = { agent: agent.name, sessionId: ref.sessionId };
  return { session: { ...sums, ...model, ...referencePatch(session, agent.name, reference) }, native };
}

function newReference(state: TurnState, end: End, ref: NewReference["ref"]): NewReference {
  const { session, agent, turn, journal, plan, where, outcome } = state;
  const kept = referenceOf(session, agent.name);
  const isHeard = (outcome.type !== "left" && turn.heard === "something") || isRecorded(outcome);
  const isShared = outcome.type === "failed" && isLive(outcome.error);
  const isSure = isTrusted(end.status, { isHeard: isHeard && !isShared });
  return {
    ref,
    model: turn.model ?? (kept?.sessionId === ref.sessionId ? kept.model : null),
    // Without the earlier conversation the native session has only its own turns.
    baseSequence: plan?.kind === "new" ? plan.knownUpTo : journal.knownUpTo,
    verifiedBy: where?.verifiedBy ?? "none",
    state: isSure ? "live" : "unsure",
    now: new Date().toISOString(),
  };
}

/** The agent reports that its own session has the prompt of the failed turn. */
function isRecorded(outcome: TurnState["outcome"]): boolean {
  return (
    outcome.type === "failed" && isContinuoError(outcome.error) && outcome.error.details.recorded === true
  );
}

function toResult(state: TurnState, end: End, run: RunResult["run"] | null): RunResult {
  const { turn, told, plan } = state;
  const usage = totalUsage(state, end);
  const { runId, sessionId } = state.run;
  const ended = {
    runId,
    sessionId,
    run: run ?? state.run,
    resumption: told ?? plan?.resumption ?? null,
    text: textOf(turn.said),
    ...present({ usage, stopReason: end.result?.stopReason ?? turn.completed?.stopReason }),
  };
  const { status } = end;
  if (status === "completed") {
    return {
      ...ended,
      status: completedStatus(ended.stopReason),
      ...present({ value: end.result?.value }),
    };
  }
  if (status === "failed") {
    return { ...ended, status, error: fitError(toRunError(end.error)).error, cause: thrownIn(end.error) };
  }
  return { ...ended, status };
}

/** Returns the error that the agent threw: it is the cause of the copy, which is safe to read. */
function thrownIn(error: unknown): unknown {
  return error instanceof Error && !isContinuoError(error) ? (error.cause ?? error) : error;
}
