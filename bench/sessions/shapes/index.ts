/**
 * Write a conversation in the formats of five agents: all except GitHub Copilot CLI.
 *
 * Promises: Continuo reads the files without a problem. Does not know: sizes, or how many sessions there are.
 */

export { toClaude } from "./claude.ts";
export { toCodex } from "./codex.ts";
export { toGemini } from "./gemini.ts";
export { openOpencode } from "./opencode.ts";
export { toPi } from "./pi.ts";
