/**
 * An agent that calls a model directly, through the `ai` package.
 *
 * Promises: the transcript reaches the model as messages with roles, calls, results, images and signed thinking; the
 * answer arrives as events while it is produced; an omission is reported; `ai` is loaded with the first turn.
 * Does not know: sessions, runs, providers.
 */

export { type FoundServer, findLocalServers, LOCAL_SERVERS, type LocalServer } from "./local-servers.ts";
export { type ModelMessages, toModelMessages } from "./messages.ts";
export { ModelAgent, type ModelAgentOptions } from "./model-agent.ts";
export { type ModelEndpoint, openModel } from "./open-model.ts";
export { createStreamFold, type StreamFold } from "./stream.ts";
export { conversationTokens, DEFAULT_WINDOW, knownWindow, windowOf } from "./window.ts";
