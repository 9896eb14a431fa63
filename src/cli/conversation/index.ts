/**
 * What `chat` and `repl` share: a conversation is a session of Continuo's and the agent that it is with; its turns
 * are runs, told to a person while they happen.
 *
 * Promises: what came of continuing is said; a project's programs run only when it is trusted; what an agent says
 * is made visible before it reaches a terminal; its program is ended whichever way the conversation is left.
 * Does not know: any agent's protocol, how a run is kept, or where a person's words come from.
 */

export { type AskingOptions, createAsking } from "./asking.ts";
export { describeResumption, oneKeyIn } from "./drawing/index.ts";
export { describeTurn, errorOf, usageParts } from "./ending.ts";
export type { TalkFlags } from "./flags/index.ts";
export { TALK_LIMITS } from "./limits.ts";
export type { TurnResult } from "./run.ts";
export { type SayOptions, Talk, type TalkOptions } from "./talk.ts";
export { Teller } from "./teller.ts";
