/**
 * The agent host: the sessions of a machine in Microsoft's Agent Host Protocol, as VS Code speaks it.
 *
 * Promises: a client that applies the actions by the rules of the protocol has the host's state; an action of a client
 * is sent back, or is refused with its reason; a client that lost its connection receives every action that it missed,
 * or a new state.
 * Does not know: sockets, tokens, where sessions are stored.
 */

export { AhpConnection, type ConnectionOptions } from "./connection.ts";
export { AhpHost, type HostOptions } from "./host.ts";
export { LIMITS as AHP_LIMITS } from "./limits.ts";
