/**
 * The captions of a video as its page listed them: its outline, made without a model, and the part that was watched.
 *
 * Promises: the outline follows from the log; it is made once for the same captions, and lets other work run while it
 * is made.
 * Does not know: notes, note writers, which server owns the session.
 */

export { Outlines } from "./outlines.ts";
