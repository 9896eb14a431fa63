/** The state of a running turn, and the native session that its agent reports. */

import {
  type Agent,
  type Block,
  type NativeRef,
  present,
  type Resumption,
  type Run,
  type Session,
  type Store,
  shorten,
  type Write,
} from "@continuo/core/model";
import type { NativePlace, Outcome } from "./attempt.ts";
import { inputEntry } from "./input-message.ts";
import type { Journal, JournalEntry, TurnJournal } from "./journal/index.ts";
import type { HeldLease } from "./lease.ts";
import { LIMITS } from "./limits.ts";
import type { ExecuteRunOptions } from "./options.ts";
import type { Plan } from "./plan.ts";
import type { PendingNativeRef } from "./references.ts";
import type { Stops } from "./stops.ts";

export interface RunContext {
  readonly store: Store;
  readonly agent: Agent;
  readonly run: Run;
  readonly session: Session;
  readonly input: readonly Block[];
  readonly owner: string;
  readonly lease: HeldLease;
  readonly options: ExecuteRunOptions;
}

/** Everything that is known of the turn while it runs. */
export interface TurnState extends RunContext {
  readonly stops: Stops;
  readonly turn: TurnJournal;
  readonly journal: Journal;
  /** `null` if no plan could be made. */
  plan: Plan | null;
  /** The native session that the agent reported to use. */
  where: NativePlace | null;
  /** The last resumption that the log records. */
  told: Resumption | null;
  outcome: Outcome;
  /** Says if the log has the input. In a native turn, the input is logged after the agent has confirmed its session. */
  inputIs: "said" | "not said";
  /** The sequence up to which all inputs are answered after the end of the run. */
  readonly processed: number | null;
}

/** Stores the native session that the agent reported. In a native turn, the log gets the first one and every change. */
export function onWhere(state: TurnState, where: NativePlace): void {
  const { plan, where: before } = state;
  if (plan === null) return;
  state.where = where;
  const asked = before?.ref ?? plan.nativeRef;
  const isForked = asked !== undefined && asked.sessionId !== where.ref.sessionId;
  const base = state.told ?? plan.resumption;
  const { replayedAs: _, ...known } = base;
  const resumption: Resumption = {
    ...known,
    ref: where.ref,
    verifiedBy: where.verifiedBy,
    ...present({
      replayedAs: plan.kind === "replay" ? (where.replayedAs ?? formAfter(base, isForked)) : undefined,
      reason: reasonOf(plan, where),
      steps: where.steps,
    }),
    ...(isForked ? { forked: { from: asked.sessionId, to: where.ref.sessionId } } : {}),
  };
  // The end of the run reports a new native session.
  const isNews = before === null || isForked || before.verifiedBy !== where.verifiedBy;
  if (plan.kind === "native" && isNews) report(state, resumption);
  else {
    state.told = resumption;
    if (before === null) state.journal.patch(begunIn(state, plan, where.ref));
  }
}

/** An agent that answers from another session than the written one may not have its messages. */
function formAfter({ replayedAs }: Resumption, isForked: boolean): Resumption["replayedAs"] {
  return isForked && replayedAs === "session" ? undefined : replayedAs;
}

/** Adds the agent's reason to that of the plan; `undefined` if the agent gives none. */
function reasonOf({ resumption }: Plan, { reason }: NativePlace): string | undefined {
  if (typeof reason !== "string" || reason === "") return undefined;
  const told = shorten(reason, LIMITS.wordChars);
  return resumption.reason === undefined ? told : `${resumption.reason}; ${told}`;
}

/** If this process is killed, the next attempt can continue the native session that began in this run. */
function begunIn(
  { agent, run, owner }: TurnState,
  { knownUpTo }: Plan,
  { sessionId, location, cwd }: NativeRef,
): Write {
  const native: PendingNativeRef = { agent: agent.name, sessionId, location, cwd, baseSequence: knownUpTo };
  return { type: "run", runId: run.runId, to: "running", patch: { owner, metadata: { native } } };
}

export function report(state: TurnState, resumption: Resumption): void {
  state.told = resumption;
  const entry: JournalEntry = { type: "session_resumed", data: { ...resumption }, by: "system" };
  void state.journal.keep([...inputEntries(state), entry], "room");
}

/** The input as a message, if the log lacks it. It is added late, so that a refused turn leaves no input in the log. */
export function inputEntries(state: TurnState): readonly JournalEntry[] {
  if (state.inputIs === "said") return [];
  state.inputIs = "said";
  return [inputEntry(state.input)];
}
