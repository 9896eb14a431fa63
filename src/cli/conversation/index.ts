/**
 * The shared part of `chat` and `repl`: permissions, progress and the output of a turn.
 *
 * Promises: the outcome of a continuation is shown; text from an agent is made visible before it reaches a terminal;
 * the agent's program ends however the conversation is left.
 * Does not know: the protocol of any agent, how a run is stored, or where the input comes from.
 */

export { linesOfRequest } from "./drawing/index.ts";
export { createPermissionPrompt, type PermissionPromptOptions } from "./permission-prompt.ts";
export { createTrustPrompt } from "./trust-prompt.ts";
export { TurnPrinter } from "./turn-printer.ts";
export { contextLeft, describeTurn, errorOf, usageParts } from "./turn-summary.ts";
