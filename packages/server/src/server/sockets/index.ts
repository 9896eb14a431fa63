/**
 * Sockets before a token is shown: the address of a client, and the number of connections of strangers.
 *
 * Promises: a connection that shows no token costs little, and is closed for newer ones; no connection has many
 * requests at the same time, or an answer that nobody reads; an address that a stranger claims is never believed.
 * Does not know: tokens, or the purpose of a request.
 */

export { networkOf } from "./addresses.ts";
export { createPeers } from "./peers.ts";
export { Pipelines } from "./pipelines.ts";
export { type TrustedProxies, trustedProxies } from "./proxies.ts";
export { Strangers } from "./strangers.ts";
export { UnreadAnswers } from "./unread-answers.ts";
