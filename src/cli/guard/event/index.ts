/**
 * The events that agents send to the hooks of the guard.
 *
 * Promises: nothing but an event is accepted as one, and a pipe that nobody closes delays no copy.
 * Does not know: what a hook does about an event.
 */

export { type HookEvent, namedSession, readEvent } from "./event.ts";
