/**
 * An agent that is a model called directly, through the `ai` package: the transcript goes to it as real messages
 * of their roles, with calls, results, pictures and signed thinking.
 *
 * Promises: what the model said, thought and called is told as it comes; what cannot be sent to it is told, too;
 * `ai` is loaded with the first turn alone. Does not know: sessions, runs, providers.
 */

export { type ModelMessages, toModelMessages } from "./messages.ts";
export { ModelAgent, type ModelAgentOptions } from "./model-agent.ts";
export { createStreamFold, type StreamFold } from "./stream.ts";
