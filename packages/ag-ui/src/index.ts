/**
 * Sessions of Continuo as agents of the AG-UI protocol: a handler for `HttpAgent` and other clients of the protocol. A
 * thread is the session of that id.
 *
 * Promises: a message is stored once, even if it is sent several times; a reader who disappears cancels nothing, and
 * gets everything once when it asks again; a question of the agent is an interrupt, and its answer resumes the run; the
 * events are in the order of the protocol. Does not know: models, the store, HTTP servers.
 */

export type { AgUiEvent } from "./events.ts";
export { type AgUiHandlerOptions, agUiHandler } from "./handler.ts";
