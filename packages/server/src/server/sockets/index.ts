/**
 * Sockets before a token is shown: where a client is, and how many connections of strangers there are.
 *
 * Promises: a connection that shows no token costs little, and gives way to newer ones; no connection has many requests
 * at the same time, or an answer that nobody reads; an address that a stranger claims is never believed.
 * Does not know: tokens, or what a request asks for.
 */

export { networkOf } from "./addresses.ts";
export { createPeers } from "./peers.ts";
export { Pipelines } from "./pipelines.ts";
export { type TrustedProxies, trustedProxies } from "./proxies.ts";
export { Strangers } from "./strangers.ts";
export { UnreadAnswers } from "./unread-answers.ts";
