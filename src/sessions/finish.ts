/** The end of a run: one append with what is left to say, the reference, the sums, and the one end. */

import {
  type AgentResult,
  ContinuoError,
  type EventType,
  isContinuoError,
  type RunStatus,
  textOf,
  type Usage,
  type Write,
} from "../model/index.ts";
import { addUsage, endTurn, present, type Told, usageOf } from "./journal/index.ts";
import { type Ongoing, onWhere } from "./ongoing.ts";
import { type NewReference, referenceOf, referencePatch, toReference, unsurePatch } from "./references.ts";
import { type RunError, type RunResult, toRunError, wordsFrom } from "./result.ts";
import { cancelReason, type Stop } from "./stops.ts";

interface End {
  readonly status: Exclude<RunStatus, "pending" | "running" | "interrupted">;
  readonly result?: AgentResult;
  readonly error?: unknown;
  readonly stop?: Stop;
}

/** Errors: `native_unavailable` and `fenced` as `executeRun`; the store's, when the end cannot be kept. */
export async function finish(ongoing: Ongoing): Promise<RunResult> {
  const { store, run, journal, lease, stops, outcome } = ongoing;
  if (outcome.type === "done" && outcome.result.nativeRef !== undefined) moved(ongoing, outcome.result);
  if (stops.stop?.status === "lost") throw lost(run.runId, stops.stop.error);
  let end = endOf(ongoing);
  const said = endTurn(ongoing.turn);
  const also: Write[] = [];
  const finalTold = async (lostEvents: number): Promise<readonly Told[]> => {
    const last = await lease.lastWrite();
    end = endOf(ongoing, lostEvents);
    const { told, writes } = closing(ongoing, end);
    also.push(...writes, last);
    return [...said, ...told];
  };
  try {
    await journal.end(finalTold, also);
    lease.givenBack();
  } catch (error) {
    throw isContinuoError(error, "fenced") ? lost(run.runId, error) : unkept(error);
  }
  if (isContinuoError(end.error, "native_unavailable")) throw end.error;
  return toResult(ongoing, end, await store.getRun(run.runId));
}

/** The agent may say only now that it answered from elsewhere. */
function moved(ongoing: Ongoing, { nativeRef }: AgentResult): void {
  const known = ongoing.where?.ref;
  if (nativeRef === undefined || known?.sessionId === nativeRef.sessionId) return;
  onWhere(ongoing, {
    ref: nativeRef,
    verifiedBy: "none",
    happened: known === undefined ? "created" : "forked",
  });
}

function lost(runId: string, cause: unknown): ContinuoError {
  return new ContinuoError(
    "fenced",
    `The run ${runId} was stopped: its session was given to somebody else.`,
    {
      hint: "Whoever has the session now has ended the run.",
      details: { runId },
      cause,
    },
  );
}

/** Somebody heard the agent to its end, and has to know that the session does not have it. */
function unkept(error: unknown): unknown {
  if (!isContinuoError(error)) return error;
  const { code, message, hint, details } = error;
  return new ContinuoError(code, `What the agent said last could not be kept: ${message}`, {
    ...(hint === undefined ? {} : { hint }),
    details,
    cause: error,
  });
}

function endOf({ stops, outcome, journal }: Ongoing, lostEvents = 0): End {
  const { stop } = stops;
  if (journal.failure !== undefined)
    return { status: "failed", error: storageError(journal.failure, lostEvents) };
  if (stop !== null && stop.status !== "lost") {
    return { status: stop.status, stop, ...(stop.status === "failed" ? { error: stop.error } : {}) };
  }
  if (outcome.type === "done") return { status: "completed", result: outcome.result };
  if (outcome.type === "left") return { status: "cancelled" };
  return { status: "failed", error: outcome.error };
}

/** What was said is kept, as far as the store takes it; what is missing is counted. */
function storageError(cause: unknown, lostEvents: number): ContinuoError {
  const { code, message } = toRunError(cause);
  return new ContinuoError("unavailable", `What the agent did could not be kept: ${message}`, {
    details: { code, lostEvents },
    cause,
  });
}

interface Closing {
  readonly told: readonly Told[];
  readonly writes: readonly Write[];
}

const END_EVENTS = {
  completed: "run_completed",
  failed: "run_failed",
  cancelled: "run_cancelled",
  timeout: "run_timed_out",
} as const satisfies Readonly<Record<End["status"], EventType>>;

function closing(ongoing: Ongoing, end: End): Closing {
  const { run, turn, processed } = ongoing;
  const { runId } = run;
  const told: Told[] = [...turnEnd(ongoing, end)];
  const writes: Write[] = [];
  const { stop } = end;
  if (stop?.status === "cancelled" && stop.exceeded !== undefined) {
    told.push({ type: "budget_exceeded", data: { ...stop.exceeded }, by: "system" });
  }
  const metadata = metadataOf(ongoing, end);
  if (Object.keys(metadata.session).length > 0) {
    told.push({ type: "session_updated", data: { metadata: metadata.session }, by: "system" });
    writes.push({ type: "session", patch: { metadata: metadata.session } });
  }
  const usage = totalUsage(ongoing, end);
  const result = end.result === undefined ? undefined : resultOf(ongoing, end.result);
  const error = end.error === undefined ? undefined : toRunError(end.error);
  const reason = stop?.status === "cancelled" ? cancelReason(stop) : undefined;
  const timeoutMs = stop?.status === "timeout" ? stop.timeoutMs : undefined;
  const data = present({ runId, result, usage, error, reason, timeoutMs });
  told.push({ type: END_EVENTS[end.status], data, by: "system" });
  const patch = present({ result, error, metadata: { native: metadata.native, ...usageField(usage) } });
  writes.push({ type: "run", runId, to: end.status, patch });
  if (processed !== null) writes.push({ type: "cursor", name: "processed", sequence: processed });
  turn.calls.clear();
  return { told, writes };
}

function usageField(usage: Usage | undefined): { readonly usage?: Usage } {
  return usage === undefined ? {} : { usage };
}

/** Agents that do not say that their turn is over are helped. */
function turnEnd({ turn }: Ongoing, { status, result }: End): readonly Told[] {
  if (status !== "completed" || turn.completed !== null) return [];
  const isCounted = usageOf(turn.usage) !== undefined;
  const usage = isCounted ? undefined : result?.usage;
  return [{ type: "turn_completed", data: present({ stopReason: result?.stopReason, usage }) }];
}

function totalUsage({ turn }: Ongoing, { result }: End): Usage | undefined {
  const counted = usageOf(turn.usage) ?? result?.usage;
  const costUsd = result?.costUsd ?? counted?.costUsd ?? result?.usage?.costUsd;
  if (costUsd === undefined) return counted;
  return { ...(counted ?? { inputTokens: 0, outputTokens: 0 }), costUsd };
}

/** Plain JSON, whatever the agent gave. */
function resultOf({ turn }: Ongoing, { stopReason, value }: AgentResult): Readonly<Record<string, unknown>> {
  return present({ stopReason: stopReason ?? turn.completed?.stopReason, value: jsonOf(value) });
}

function jsonOf(value: unknown): unknown {
  if (value === undefined) return undefined;
  try {
    return JSON.parse(JSON.stringify(value)) as unknown;
  } catch {
    // Its own words may throw too (a circle of lists, an object that says nothing of itself).
    return { unreadable: wordsFrom(value) };
  }
}

interface MetadataPatches {
  readonly session: Readonly<Record<string, unknown>>;
  /** Of the run: `null` where no native session has it. */
  readonly native: { readonly agent: string; readonly sessionId: string } | null;
}

function metadataOf(ongoing: Ongoing, end: End): MetadataPatches {
  const { session, agent, turn, plan, where } = ongoing;
  const usage = totalUsage(ongoing, end);
  const sums =
    usage === undefined ? {} : { usage: addUsage(session.metadata.usage as Usage | undefined, usage) };
  const model = turn.model === undefined ? {} : { model: turn.model };
  const ref = where?.ref ?? null;
  if (ref === null || plan === null) {
    // It was to go on natively, and nobody knows whether it did.
    const asked = plan?.nativeRef;
    const isUnsure = asked !== undefined && ongoing.outcome.type !== "unavailable";
    const patch = isUnsure ? unsurePatch(session, agent.name, asked.sessionId) : null;
    return { session: { ...sums, ...model, ...patch }, native: null };
  }
  const reference = toReference(newReference(ongoing, end, ref));
  const native = { agent: agent.name, sessionId: ref.sessionId };
  return { session: { ...sums, ...model, ...referencePatch(session, agent.name, reference) }, native };
}

function newReference(ongoing: Ongoing, end: End, ref: NewReference["ref"]): NewReference {
  const { session, agent, turn, journal, plan, where, outcome } = ongoing;
  const kept = referenceOf(session, agent.name);
  const isSure = end.status === "completed" || (outcome.type !== "left" && turn.heard === "something");
  return {
    ref,
    model: turn.model ?? (kept?.sessionId === ref.sessionId ? kept.model : null),
    // Without what was said before it knows nothing but its own turns.
    baseSequence: plan?.kind === "new" ? plan.knownUpTo : journal.knownUpTo,
    verifiedBy: where?.verifiedBy ?? "none",
    state: isSure ? "live" : "unsure",
    now: new Date().toISOString(),
  };
}

function toResult(ongoing: Ongoing, end: End, run: RunResult["run"] | null): RunResult {
  const { turn, told, plan } = ongoing;
  const error: RunError | undefined = end.error === undefined ? undefined : toRunError(end.error);
  const usage = totalUsage(ongoing, end);
  const { runId, sessionId } = ongoing.run;
  return {
    runId,
    sessionId,
    status: end.status,
    run: run ?? ongoing.run,
    resumption: told ?? plan?.resumption ?? null,
    text: textOf(turn.said),
    ...usageField(usage),
    ...present({
      stopReason: end.result?.stopReason ?? turn.completed?.stopReason,
      value: end.result?.value,
      error,
    }),
  } as RunResult;
}
