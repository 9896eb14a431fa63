/**
 * The order of events: by sequence, then by time, then by id, then in the order of the input. Events without a sequence
 * come after all events with one, and among equals those without a time come last.
 */

import { type EventLike, sequenceOf, timeOf } from "./entry.ts";

export interface EventOrder<Event extends EventLike = EventLike> {
  readonly sequenced: readonly Event[];
  readonly loose: readonly Event[];
}

export function inOrder<Event extends EventLike>(events: Iterable<Event>): EventOrder<Event> {
  const sequenced: Event[] = [];
  const loose: Event[] = [];
  let last = Number.NEGATIVE_INFINITY;
  let isSorted = true;
  for (const event of events) {
    const sequence = sequenceOf(event);
    if (sequence === undefined) {
      loose.push(event);
      continue;
    }
    // A log is read in order: only input in another order has to be sorted.
    if (sequence <= last) isSorted = false;
    last = sequence;
    sequenced.push(event);
  }
  if (isSorted && loose.length === 0 && Array.isArray(events)) return { sequenced: events, loose };
  if (!isSorted) sequenced.sort((a, b) => (sequenceOf(a) ?? 0) - (sequenceOf(b) ?? 0) || compareLoose(a, b));
  // Sorting is stable: equal events keep the order of the input.
  if (loose.length > 1) loose.sort(compareLoose);
  return { sequenced, loose };
}

function compareLoose(a: EventLike, b: EventLike): number {
  const [timeA, timeB] = [millisecondsOf(a), millisecondsOf(b)];
  if (timeA !== timeB) return timeA < timeB ? -1 : 1;
  return compareText(a.id ?? "", b.id ?? "");
}

function millisecondsOf(event: EventLike): number {
  const milliseconds = Date.parse(timeOf(event) ?? "");
  return Number.isNaN(milliseconds) ? Number.POSITIVE_INFINITY : milliseconds;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
