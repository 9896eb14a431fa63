/**
 * The inbox: the sessions of all agents that wait for an answer, that run, and that ended since a person viewed them.
 *
 * Promises: reading the inbox creates no store and no file; a mark that a session was viewed is durable when it is
 * acknowledged; every list is bounded.
 * Does not know: HTTP, who may ask, how anything is drawn.
 */

export { createInbox } from "./inbox.ts";
