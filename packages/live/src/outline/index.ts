/**
 * The outline of a talk without a model: chapters with titles and times, key sentences, decisions and open questions,
 * each with the pieces of captions that it is based on.
 *
 * Promises: pure, and runs in a browser; the same pieces give the same outline; chapters are in the order of the medium
 * and do not overlap.
 * Does not know: sessions, pages, how pieces are stored or shown.
 */

export { isDecision, isQuestion } from "./cues.ts";
export { OUTLINE_LIMITS } from "./limits.ts";
export { outlineOf, outlineSteps } from "./outline.ts";
export { spokenSentences } from "./speech.ts";
export type { OutlineItem, OutlineKind, SpokenPiece } from "./types.ts";
