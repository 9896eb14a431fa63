/** A turn while it runs: everything that is known of it, and where its agent says that it is. */

import type { Agent, Block, Resumption, Run, Session, Store } from "../model/index.ts";
import type { Outcome, Whereabouts } from "./attempt.ts";
import type { Journal, Turn } from "./journal/index.ts";
import type { HeldLease } from "./lease.ts";
import type { ExecuteRunOptions } from "./options.ts";
import type { Plan } from "./plan.ts";
import type { Stops } from "./stops.ts";

export interface Conducted {
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
export interface Ongoing extends Conducted {
  readonly stops: Stops;
  readonly turn: Turn;
  readonly journal: Journal;
  /** `null` when there could be none. */
  plan: Plan | null;
  /** Where the agent said that it is. */
  where: Whereabouts | null;
  /** What the log was told of it last. */
  told: Resumption | null;
  outcome: Outcome;
  /** Input up to here is answered when the run has ended. */
  readonly processed: number | null;
}

/** The agent said where it is; the log is told when that is news. */
export function onWhere(ongoing: Ongoing, where: Whereabouts): void {
  const { plan, where: before } = ongoing;
  if (plan === null) return;
  ongoing.where = where;
  const asked = before?.ref ?? plan.nativeRef;
  const isForked = asked !== undefined && asked.sessionId !== where.ref.sessionId;
  const base = ongoing.told ?? plan.resumption;
  const resumption: Resumption = {
    ...base,
    ref: where.ref,
    verifiedBy: where.verifiedBy,
    ...(where.steps === undefined ? {} : { steps: where.steps }),
    ...(isForked ? { forked: { from: asked.sessionId, to: where.ref.sessionId } } : {}),
  };
  // Of a new native session the end of the run tells.
  if (plan.kind === "native" && (before === null || isForked)) tell(ongoing, resumption);
  else ongoing.told = resumption;
}

export function tell(ongoing: Ongoing, resumption: Resumption): void {
  ongoing.told = resumption;
  void ongoing.journal.keep([{ type: "session_resumed", data: { ...resumption }, by: "system" }], "room");
}
