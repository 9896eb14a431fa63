/**
 * The session that is handed over: its messages, the part of them that is selected, its hashes, and its origin.
 *
 * Promises: the session is only read; a large one is kept in a file and not in memory; what a file says about its
 * own origin is believed only if the hashes match.
 * Does not know: what the messages become in another agent, or how a new session is written.
 */

export { fromMessage, type PartOptions, withinLimits } from "./message-selection.ts";
export { lastNote } from "./note.ts";
export {
  type Origin,
  originOf,
  originOfHandOff,
  type Provenance,
  readCopy,
  readProvenance,
  takeBackProvenance,
  withProvenance,
} from "./provenance.ts";
export { hashOf } from "./records.ts";
export { openShelf, type Shelf } from "./shelf.ts";
export { type HandOffSource, type MessagesMark, markOf, readSource, saidBy } from "./source.ts";
