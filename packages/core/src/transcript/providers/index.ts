/**
 * Messages in the forms of the APIs of models and of training data.
 *
 * Promises: pure. Calls stand directly before their results, and a block that a form cannot hold is counted.
 * Does not know: clients of these APIs.
 */

export { type AnthropicMessages, toAnthropicMessages } from "./anthropic.ts";
export { type OpenAIMessages, toOpenAIMessages } from "./openai.ts";
export { type ShareGptConversation, toShareGpt } from "./sharegpt.ts";
