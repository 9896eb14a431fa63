/**
 * Notes: their events, operations of people on them, and their history.
 *
 * Promises: the agent never changes a note that a person edited or accepted; each event that writes, updates or merges
 * a note has the whole note.
 * Does not know: how drafts are made and decided.
 */

export { type HistoryQuery, parseHistoryQuery, readHistory, readNoteHistory } from "./log-history.ts";
export { FULL, type NoteContent, newestEntries, noteHash, noteOf, readNotes } from "./note-events.ts";
export { parseNoteOperation } from "./note-operations.ts";
export { contentAfter, noteEventsOf } from "./note-revision.ts";
export { answerEvent, carriedEvents, notesOf, operationEvents } from "./notes-service.ts";
export { relatedNotes } from "./related-notes.ts";
