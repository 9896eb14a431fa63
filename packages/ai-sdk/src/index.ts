/**
 * The AI SDK on sessions of Continuo: a `ChatTransport` for `useChat`, whose answers survive reloads, lost connections
 * and killed servers.
 *
 * Promises: a message is sent once, however often it is tried; a reader who disappears cancels nothing, and a stop is
 * stored; an answer is never shown twice.
 * Does not know: React, models, the store.
 */

export {
  type ApprovalAnswer,
  ContinuoChatTransport,
  type ContinuoChatTransportOptions,
  type StopOptions,
} from "./chat-transport.ts";
