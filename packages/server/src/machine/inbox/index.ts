/**
 * The inbox: the sessions of all agents that wait for an answer, that run, and that ended since a person looked.
 *
 * Promises: looking makes no store and no file; a look is durable when it is acknowledged; every list is bounded.
 * Does not know: HTTP, who may ask, how anything is drawn.
 */

export { createInbox } from "./inbox.ts";
