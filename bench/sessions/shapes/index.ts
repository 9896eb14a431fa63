/**
 * Writers of a conversation in the format of each agent.
 *
 * Promises: the files read without a problem. Does not know: sizes, or how many sessions there are.
 */

export { toClaude } from "./claude.ts";
export { toCodex } from "./codex.ts";
export { toGemini } from "./gemini.ts";
export { openOpencode } from "./opencode.ts";
export { toPi } from "./pi.ts";
