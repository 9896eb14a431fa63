/** One turn of a session, under its lease: begin, call the agent (natively, and if that fails by replay), end. */

import {
  knownError,
  type NewEvent,
  present,
  type Resumption,
  type Run,
  type Store,
  type StoredEvent,
  type Write,
} from "@continuo/core/model";
import { attempt, type Outcome } from "./attempt.ts";
import { exceededBy } from "./budget.ts";
import { askedOf } from "./continuation.ts";
import { finish } from "./finish.ts";
import { newId } from "./ids.ts";
import { inputEvent, sequenceOfInput } from "./input-message.ts";
import { createTurn, Journal } from "./journal/index.ts";
import { LIMITS } from "./limits.ts";
import { isClaimed } from "./live-runs.ts";
import { type Plan, type PlanOptions, planRun, replay, requestOf } from "./plan.ts";
import { type PendingNativeRef, usedNative } from "./references.ts";
import type { RunResult } from "./result.ts";
import { createStops, pause, type Stops, WAIT_OVER, watchCancel } from "./stops.ts";
import { onWhere, type RunContext, report, type TurnState } from "./turn-state.ts";
import { type InputPlace, placeOfInput } from "./wake.ts";

export async function runTurn(context: RunContext): Promise<RunResult> {
  const { store, run, lease, options } = context;
  const { signal, timeoutMs, budget = {} } = options;
  const { sessionId, runId } = run;
  const stops = createStops({ signal, timeoutMs, maxDurationMs: budget.maxDurationMs });
  lease.onLost((error) => stops.end({ status: "lost", error }));
  const watching = new AbortController();
  const abandon = (): void => stops.end({ status: "lost", error: options.abandon?.reason });
  if (options.abandon?.aborted === true) abandon();
  options.abandon?.addEventListener("abort", abandon, { once: true });
  try {
    const place = await placeOfInput(store, run);
    const onStop = stops.end;
    // The run may wait before it begins. A request to cancel may be even older, because the run was claimed earlier.
    void watchCancel({ store, sessionId, runId, after: place.sequence, signal: watching.signal, onStop });
    const planned = await decide(context, stops);
    const { stored, head, known, processed } = await begin(context, planned, place);
    const journal = new Journal(
      {
        store,
        sessionId,
        runId,
        lease,
        newId,
        agent: context.agent.name,
        onFailure: (error) => stops.end({ status: "failed", error }),
        ...present({ onStored: options.onStored }),
      },
      { known, head },
    );
    const state: TurnState = {
      ...context,
      stops,
      journal,
      turn: createTurn(),
      plan: planned.plan,
      where: null,
      told: toldAtOnce(planned.plan),
      outcome: planned.outcome,
      inputIs: saysInput(planned) || planned.options.sentBefore !== null ? "said" : "not said",
      processed,
    };
    journal.tell(stored);
    if (planned.plan !== null && journal.failure === undefined) await ask(state, planned.options);
    return await finish(state);
  } finally {
    options.abandon?.removeEventListener("abort", abandon);
    watching.abort(WAIT_OVER);
    stops.close();
  }
}

interface TurnDecision {
  readonly options: PlanOptions;
  readonly plan: Plan | null;
  /** The outcome of a turn that cannot begin. */
  readonly outcome: Outcome;
}

async function decide(
  { store, agent, run, session, options }: RunContext,
  stops: Stops,
): Promise<TurnDecision> {
  const { continuation = false, continuationOpts = {}, resumeInterrupted = false } = options;
  const planOptions: PlanOptions = {
    store,
    agent,
    session,
    runId: run.runId,
    asked: askedOf(continuation),
    requested: String(continuation),
    limits: continuationOpts,
    ...(await sentBefore(store, run)),
    resumeInterrupted,
    signal: stops.signal,
  };
  try {
    await options.ready?.(stops.signal);
    const plan = await planRun(planOptions);
    return { options: planOptions, plan, outcome: { type: "left" } };
  } catch (error) {
    return { options: planOptions, plan: null, outcome: { type: "failed", error: knownError(error) } };
  }
}

/**
 * Returns the event that already contains this input, if an interrupted run stored it. Also returns the latest
 * interrupted attempt that had a native session, or else the run that stored the event.
 */
async function sentBefore(store: Store, run: Run): Promise<Pick<PlanOptions, "sentBefore" | "heardBy">> {
  const { saidBy } = run.metadata;
  if (typeof saidBy !== "string") return { sentBefore: null, heardBy: null };
  const sentBefore = await sequenceOfInput(store, { sessionId: run.sessionId, runId: saidBy });
  return { sentBefore, heardBy: (await attemptWithNative(store, run)) ?? (await store.getRun(saidBy)) };
}

/** The latest interrupted attempt before this one that had a native session, after the one that stored the input. */
async function attemptWithNative(store: Store, { metadata }: Run): Promise<Run | null> {
  let { previousAttempt } = metadata;
  for (let attempt = 1; attempt <= LIMITS.attemptsRead && typeof previousAttempt === "string"; attempt++) {
    const before = await store.getRun(previousAttempt);
    if (before?.status === "interrupted" && usedNative(before.metadata) !== null) return before;
    previousAttempt = before?.metadata.previousAttempt;
  }
  return null;
}

/** A native session is not recorded before its agent confirmed it. */
function toldAtOnce(plan: Plan | null): Resumption | null {
  return plan === null || plan.kind === "native" ? null : plan.resumption;
}

/** A turn that cannot begin records nothing, and a native turn only after the agent has confirmed its session. */
function saysInput({ plan }: Pick<TurnDecision, "plan">): boolean {
  return plan !== null && plan.kind !== "native";
}

interface TurnStart {
  readonly stored: readonly StoredEvent[];
  /** The last sequence of the log after the run began. */
  readonly head: number;
  /** This run knows or wrote every event of the log up to this sequence. */
  readonly known: number;
  readonly processed: number | null;
}

/** Starts the run and writes its input, unless the agent can still refuse it; both are one append. */
async function begin(
  context: RunContext,
  { plan, options: { sentBefore: sent } }: TurnDecision,
  { sequence, older }: InputPlace,
): Promise<TurnStart> {
  const { store, agent, run, input, owner, lease } = context;
  const { runId, sessionId } = run;
  const told = toldAtOnce(plan);
  // The events have ids, so that an append without an answer may be repeated.
  const isBegun = isClaimed(run);
  const events: NewEvent[] = isBegun
    ? []
    : [{ id: newId(), type: "run_started", data: { runId, owner }, runId }];
  if (sent === null && saysInput({ plan })) events.push(inputEvent(input, runId));
  if (told !== null) events.push({ id: newId(), type: "session_resumed", data: told, runId });
  const metadata = {
    ...(isBegun ? { claimed: null } : {}),
    ...(run.agent === null ? { agent: agent.name } : {}),
    // The native session is stored before it receives anything, so that it is known if this process ends. If it began in
    // an interrupted run, only the runs know up to where it has everything.
    ...present({ native: nativeIn(plan) }),
  };
  const also: Write[] = [
    { type: "run", runId, to: "running", patch: { owner, metadata } },
    { type: "cursor", name: "received", sequence },
  ];
  const stored = await store.append(sessionId, events, { lease, also });
  const read = plan?.knownUpTo ?? 0;
  const head = stored.at(-1)?.sequence ?? read;
  const known = stored[0]?.sequence === read + 1 ? head : read;
  return { stored, head, known, processed: older ? null : sequence };
}

function nativeIn(plan: Plan | null): PendingNativeRef | undefined {
  if (plan?.nativeRef === undefined || plan.baseSequence === undefined) return undefined;
  return { ...plan.nativeRef, baseSequence: plan.baseSequence };
}

/** Calls the agent; calls it again, by replay, if it cannot continue natively and the caller does not require it. */
async function ask(state: TurnState, planOptions: PlanOptions): Promise<void> {
  try {
    await callOrReplay(state, planOptions);
  } catch (error) {
    // The run has begun, so it must end.
    state.outcome = { type: "failed", error: knownError(error) };
  }
}

async function callOrReplay(state: TurnState, planOptions: PlanOptions): Promise<void> {
  await callPatiently(state, planOptions);
  const { outcome, turn, stops, agent } = state;
  if (outcome.type !== "unavailable" || stops.stop !== null) return;
  // Another program continues the native session: input from both would lead to two different states.
  if (outcome.error.code === "session_live") return;
  const isHeard = turn.heard === "something";
  if (planOptions.asked === "native" || isHeard || state.plan?.kind !== "native") return;
  const why = outcome.error.details.reason;
  const reason = typeof why === "string" ? why : outcome.error.message;
  const plan = await replay(planOptions, `${agent.name} could not go on natively: ${reason}`);
  state.plan = plan;
  state.where = null;
  state.journal.knows(plan.knownUpTo);
  report(state, plan.resumption);
  await call(state);
}

/**
 * A program that an interrupted run left running ends by itself, but not immediately. This run waits for the program
 * under its lease. It cannot distinguish the program from one that a person started, and waits for both equally long.
 */
async function callPatiently(state: TurnState, { heardBy }: PlanOptions): Promise<void> {
  const startedAt = performance.now();
  await call(state);
  const isLeft = (): boolean =>
    heardBy?.status === "interrupted" &&
    usedNative(heardBy.metadata)?.sessionId === state.plan?.nativeRef?.sessionId &&
    state.outcome.type === "unavailable" &&
    state.outcome.error.code === "session_live" &&
    state.stops.stop === null;
  for (
    let pauseMs: number = LIMITS.orphanPollMs;
    isLeft() && performance.now() - startedAt < LIMITS.orphanMs;
    pauseMs = Math.min(2 * pauseMs, LIMITS.maxOrphanPollMs)
  ) {
    await pause(pauseMs, state.stops.signal);
    if (state.stops.stop === null) await call(state);
  }
}

async function call(state: TurnState): Promise<void> {
  const { agent, run, input, session, options, turn, journal, stops, plan } = state;
  if (plan === null) return;
  state.outcome = await attempt({
    agent,
    request: requestOf({ session, run: { ...run, status: "running" }, input }, plan),
    adapterOpts: options.adapterOpts ?? {},
    turn,
    journal,
    stops,
    graceMs: options.graceMs ?? LIMITS.graceMs,
    onWhere: (where) => onWhere(state, where),
    onHeard: () => {
      const exceeded = exceededBy(turn, options.budget ?? {});
      if (exceeded !== null) stops.end({ status: "cancelled", exceeded });
    },
  });
}
