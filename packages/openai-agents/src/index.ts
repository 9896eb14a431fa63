/**
 * The OpenAI Agents SDK on a store of Continuo: its `Session`, with atomic and idempotent changes of the history.
 *
 * Promises: every change is stored whole or not at all, and an operation only once, even if it is repeated; the session
 * is one of the store, whose transcript shows what was said; a run that waits for an approval can continue elsewhere.
 * Does not know: models, agents, engines of the store.
 */

export { ContinuoSession, type ContinuoSessionOptions } from "./session.ts";
