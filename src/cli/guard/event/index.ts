/**
 * The events that agents send to the hooks of the guard.
 *
 * Promises: only an event is taken for one, and a pipe that nobody closes holds no copy up.
 * Does not know: what a hook does about an event.
 */

export { type HookEvent, namedSession, readEvent } from "./event.ts";
