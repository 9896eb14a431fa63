/**
 * Thoughts: sentences grouped by subject and pause, and for each group the sentences that say most about it.
 *
 * Promises: pure; the result does not depend on how sentences are batched; the state is plain JSON; at most 60 notes in
 * an hour of talk.
 * Does not know: sessions, captions, how notes are stored.
 */

export {
  addSentence,
  endAtPause,
  endBefore,
  endIfRoom,
  endThought,
  NO_THOUGHT,
  type ThoughtState,
  type Thoughts,
} from "./cutter.ts";
export { LIMITS as THOUGHT_LIMITS } from "./limits.ts";
export { keySentencesOf, type ThoughtNote, textOfSentences } from "./note.ts";
export { termOf, termsOfSentence } from "./terms.ts";
