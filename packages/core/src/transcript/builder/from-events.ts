/** Makes a transcript from an array of events. */

import { assertBudgetOptions, BUDGET_OPTIONS } from "../context/index.ts";
import { type EventLike, inOrder, logIdOf, sequenceOf } from "../events/index.ts";
import { foldEvent } from "../fold/index.ts";
import { beginFold, type Transcript, toTranscript, type ViewOptions } from "./transcript.ts";

export interface FromEventsOptions extends ViewOptions {
  /** If none is given: the log of the first event that names one. */
  readonly sessionId?: string;
}

/**
 * Accepts events in any order and sorts them by sequence; events without one come last, sorted by time, id and the
 * order in which they were given. Without a budget nothing is left out of `messages`, so that a call may lack its
 * result; with a budget, calls without a result and results without a call are left out too. Errors: `invalid` for a
 * budget.
 */
export function fromEvents(events: Iterable<EventLike>, options: FromEventsOptions = {}): Transcript {
  assertBudgetOptions("fromEvents", options, { ...BUDGET_OPTIONS, sessionId: true });
  const { sequenced, loose } = inOrder(events);
  const [first] = sequenced;
  const after = first === undefined ? 0 : Math.max(0, (sequenceOf(first) ?? 1) - 1);
  const sessionId = options.sessionId ?? logOf(sequenced) ?? logOf(loose) ?? "";
  const fold = beginFold(sessionId, after);
  for (const event of sequenced) foldEvent(fold.draft, event);
  return toTranscript({ ...fold, loose }, options);
}

function logOf(events: readonly EventLike[]): string | undefined {
  for (const event of events) {
    const logId = logIdOf(event);
    if (logId !== undefined) return logId;
  }
  return undefined;
}
