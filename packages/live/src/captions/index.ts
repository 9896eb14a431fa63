/**
 * The captions that the page of a video listed. An outline is made from them without a model, and they show which part
 * was watched.
 *
 * Promises: the outline is computed only from the log. It is made once for the same captions, and other work can run
 * while it is made.
 * Does not know: notes, note writers, which server owns the session.
 */

export { Outlines } from "./outlines.ts";
