/**
 * The journal: stores the actions of an agent as events of the session's log, while they happen.
 *
 * Promises: events keep their order; an event that the agent waited for is durable; parts of a message are stored at
 * most once per 50 ms or 4,096 characters, and a message that came in parts is also stored whole; memory is bounded if
 * the agent waits.
 * Does not know: why a run begins or ends, native sessions, transcripts.
 */

export type { JournalEntry } from "./entry.ts";
export { Journal, type LastAppend } from "./journal.ts";
export { createRecorder } from "./recorder.ts";
export { createTurn, endTurn, type TurnJournal } from "./turn.ts";
export { tokensOf, usageOf } from "./usage.ts";
