/**
 * Note writers, embedders and transcribers: the one without a model, an agent as a writer, and endpoints of models.
 *
 * Promises: a reply of a model is checked before it becomes a draft; the writer without a model is a pure fold.
 * Does not know: batches, the log of a session.
 */

export type { KeptAgent } from "./agent-conversations.ts";
export { type AgentWriterOptions, agentWriter } from "./agent-writer.ts";
export { cachingEmbedder } from "./caching-embedder.ts";
export { extractiveWriter } from "./extractive-writer.ts";
export { lexicalEmbedder } from "./lexical-embedder.ts";
export { afterFailure, type Breaker, CLOSED_BREAKER, mayTry, measureCall, retryMs } from "./model-calls.ts";
export {
  type AnthropicWriterOptions,
  anthropicWriter,
  type OpenAiWriterOptions,
  openAiWriter,
} from "./model-writer.ts";
export { type OpenAiEmbedderOptions, type OpenAiEndpoint, openAiEmbedder } from "./openai.ts";
export { openAiTranscriber } from "./openai-transcriber.ts";
export { passagesOf } from "./passages.ts";
