/**
 * The way back of a hand-over: messages that came from the target agent return to it as its own records.
 *
 * Promises: only `findReturn` decides whether there is a return, and `withTip` makes its records those of the new
 * session; an earlier session is recognised by its hashes or by the content of its messages, never by what a file claims.
 * Does not know: how the new session is placed, verified or recorded.
 */

export { withTip } from "./scratch-copy.ts";
export { findReturn, type ReturnStart, type SessionReturn } from "./session-return.ts";
