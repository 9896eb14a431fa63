/**
 * The inbox: what waits for an answer, what runs, and what ended since a person looked, over all agents.
 *
 * Promises: looking makes no store and no file; a look is durable when it is acknowledged; every list is bounded.
 * Does not know: HTTP, who may ask, how anything is drawn.
 */

export { createInbox } from "./inbox.ts";
