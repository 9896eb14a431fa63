/**
 * The journal: what an agent does, as events of the session's log, kept while it happens.
 *
 * Promises: events keep their order; what an agent waited for is durable; parts of what is said come at most once
 * per 50 ms or 4 KB, and every message that was told in parts is told whole; no more than a bounded piece is in
 * memory for an agent that waits. Does not know: why a run begins or ends, native sessions, transcripts.
 */

export { Journal } from "./journal.ts";
export { createRecorder, type Recorder } from "./recorder.ts";
export { present, type Told } from "./told.ts";
export { createTurn, endTurn, type Turn, tellEvent } from "./turn.ts";
export { addUsage, tokensOf, usageOf } from "./usage.ts";
