/**
 * A conversation goes on in another agent: read, converted, written as a new native session, read back by that
 * agent, and placed.
 *
 * Promises: the source is only read; nothing is placed that was not read back; where a session came from is written
 * down, and what came from an agent goes back to it as its own records.
 * Does not know: how any agent writes its files, or what a block becomes in another agent.
 */

export { type HandOff, type HandOffOptions, handOff } from "./hand-off.ts";
export { handOffMessages, type SaidElsewhere } from "./hand-off-messages.ts";
export type { AgentPrograms, Verification } from "./verify.ts";
export { type WriteSessionOptions, type WrittenSession, writeNativeSession } from "./write-session.ts";
