/**
 * Hand-over: reads a conversation, converts it, writes it as a new native session of another agent, and places it.
 *
 * Promises: the source is only read; the target agent reads the new session back before it is placed, where the agent
 * is installed; the origin is recorded; messages that came from the target return to it as its own records.
 * Does not know: how an agent writes its files, or what a block becomes in another agent.
 */

export { type AgentAnswer, askAgent } from "./ask-agent.ts";
export { folderNotNamed, isAbsoluteFolder } from "./folder.ts";
export { type HandOff, type HandOffOptions, handOff } from "./hand-off.ts";
export { type HandOffContent, handOffMessages } from "./hand-off-messages.ts";
export { openRunAgent, type RunAgentOptions, replayWriterOf } from "./run-agent.ts";
export { type Origin, originOfHandOff } from "./source/index.ts";
export type { AgentPrograms, Verification } from "./verify.ts";
export { type WriteSessionOptions, type WrittenSession, writeNativeSession } from "./write-session.ts";
