/**
 * The Claude Agent SDK on a store of Continuo: its `SessionStore`, which mirrors transcripts and gives them back.
 *
 * Promises: entries come back deep-equal, in the order of their appends; an entry with a `uuid` is stored once in its
 * transcript; a transcript is a session of the store, whose messages Continuo shows.
 * Does not know: Claude Code, its files, engines of the store.
 */

export { ContinuoSessionStore } from "./session-store.ts";
