/**
 * A message whose agent ends the whole process would take the attempts of the messages that run at the same time. After
 * its process ended twice, a message is tried with no other message in the process, so that only the guilty one is given
 * up. The metadata of each attempt say so, for every process.
 */

import type { Run, RunStatus } from "@continuo/core/model";

/** The number of ends of its process after which a message is tried with no other one. */
const MAX_SHARED_CRASHES = 2;
/** The number of ends of its process after which each further one counts as an attempt. */
const MAX_CRASHES = 100;
/** The number of ends of its process after which an end right after a question counts as an attempt. */
const MAX_CRASHES_AT_QUESTIONS = 10;

export interface Suspicion {
  /** The number of attempts whose process ended. */
  readonly crashes?: number;
  /** The attempt works with no other message in its process. */
  readonly isolated?: true;
}

export interface SuspectedEnd {
  readonly status: RunStatus;
  /** True if the next attempt is the last one. */
  readonly isLast: boolean;
}

/** An agent that returned or failed has not ended its process: its message is not suspected any more. */
export function suspicionAfter(run: Run, { status, isLast }: SuspectedEnd): Suspicion {
  if (status !== "interrupted") return {};
  const crashes = crashesOf(run) + 1;
  const isNext = isLast || crashes >= MAX_SHARED_CRASHES || isIsolated(run);
  return { crashes, ...(isNext ? { isolated: true } : {}) };
}

/** The suspicion of an attempt, for an attempt that takes its place. */
export function suspicionOf(run: Run): Suspicion {
  const crashes = crashesOf(run) + (isUntried(run) ? 1 : 0);
  return { ...(crashes === 0 ? {} : { crashes }), ...(isIsolated(run) ? { isolated: true } : {}) };
}

export function isIsolated({ metadata }: Run): boolean {
  return metadata.isolated === true;
}

/**
 * True if the process of an isolated attempt ended before its agent was called, while other messages ran: such an
 * attempt does not count. A run that begins is no longer marked as `claimed`.
 */
export function isUntried(run: Run): boolean {
  return isIsolated(run) && run.metadata.claimed === true && crashesOf(run) < MAX_CRASHES;
}

/** True if it may be a coincidence that the process ended after a question, before the question was stored. */
export function isChanceEnd(run: Run): boolean {
  return crashesOf(run) < MAX_CRASHES_AT_QUESTIONS;
}

function crashesOf({ metadata }: Run): number {
  return typeof metadata.crashes === "number" ? metadata.crashes : 0;
}
