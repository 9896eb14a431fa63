/**
 * Sentences of captions: joins pieces of speech, as sites draw them, to sentences with the times of their words.
 *
 * Promises: pure, and runs in a browser; the result does not depend on how pieces are batched; the state is plain JSON.
 * Does not know: sessions, notes, how pieces are stored or shown.
 */

export { isClosed } from "./boundaries.ts";
export { contentWords, functionWords, languageOf, STOP_WORDS, segmenterOf } from "./content-words.ts";
export {
  backSince,
  EMPTY_JOIN_STATE,
  endIfWhole,
  endSentence,
  type JoinResult,
  joinHeard,
  joinPiece,
  openSentence,
} from "./joiner.ts";
export { isAboutSpeaker, isDiscourseMark, isFiller, languageIn } from "./languages.ts";
export { isGlued } from "./pieces.ts";
export { type EarlierWords, earlierWords, isBehind, isRepeat, passOver, stepBack } from "./repeats.ts";
export type { JoinState, Piece, Sentence, TimedWord } from "./types.ts";
