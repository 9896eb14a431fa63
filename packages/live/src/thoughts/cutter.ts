/** Finds where one thought ends and the next begins: at pauses, marks of the speaker, and changes of words. */

import { isDiscourseMark, isFiller, type Sentence } from "../sentences/index.ts";
import { LIMITS } from "./limits.ts";
import { noteOf, type ThoughtNote } from "./note.ts";
import { termsOfSentence } from "./terms.ts";

/** The thought that is open, as it is kept between batches: plain JSON. */
export interface ThoughtState {
  readonly sentences: readonly Sentence[];
  /** The number of notes that may still be written; it grows with the time of the talk. */
  readonly allowance: number;
  /** The latest time that was heard. */
  readonly toMs: number;
}

export const NO_THOUGHT: ThoughtState = { sentences: [], allowance: LIMITS.notesAtOnce, toMs: 0 };

export interface Thoughts {
  readonly state: ThoughtState;
  readonly notes: readonly ThoughtNote[];
}

/** Adds a sentence, and returns the notes of thoughts that end with it. */
export function addSentence(before: ThoughtState, sentence: Sentence): Thoughts {
  const ended = isElsewhere(before, sentence) ? endThought(before) : { state: before, notes: [] };
  const { sentences, allowance, toMs } = ended.state;
  const passedMs = Math.min(LIMITS.longestGapMs, Math.max(0, sentence.endMs - toMs));
  const cut = cutReady({
    sentences: [...sentences, sentence],
    allowance: Math.min(LIMITS.notesAtOnce, allowance + passedMs / LIMITS.noteEveryMs),
    toMs: Math.max(toMs, sentence.endMs),
  });
  return { state: cut.state, notes: [...ended.notes, ...cut.notes] };
}

/**
 * Ends the open thought if the first words of the next sentence come after a pause that always ends a thought: nobody
 * has to wait for the end of that sentence.
 */
export function endAtPause(state: ThoughtState, nextStartMs: number): Thoughts {
  const { sentences, allowance } = state;
  const [first, last] = [sentences[0], sentences.at(-1)];
  if (first === undefined || last === undefined || allowance < 1 || last.isCut === true)
    return { state, notes: [] };
  const isLong = last.endMs - first.startMs >= LIMITS.shortMs;
  const begun = { ...last, startMs: nextStartMs, endMs: nextStartMs };
  if (!isLong || pauseScore([...sentences, begun], sentences.length) < LIMITS.surePause)
    return { state, notes: [] };
  return endAt(state, sentences.length);
}

/** Ends the open thought if the words so far of the next sentence show that the thought is over. */
export function endBefore(state: ThoughtState, begun: Sentence): Thoughts {
  const sentences = [...state.sentences, begun];
  const at = endIn({ ...state, sentences });
  return at === null ? { state, notes: [] } : endAt(state, at);
}

/** Ends the thought that is open. It is the last one for now, so it may use the next allowance for its note. */
export function endThought(state: ThoughtState, fewestTerms: number = LIMITS.fewestTerms): Thoughts {
  const { sentences, allowance } = state;
  const note = allowance >= 0 ? noteOf(sentences, fewestTerms) : null;
  return {
    state: { ...state, sentences: [], allowance: note === null ? allowance : allowance - 1 },
    notes: note === null ? [] : [note],
  };
}

/** Ends the open thought if there is room for its note; otherwise the thought continues. */
export function endIfRoom(state: ThoughtState): Thoughts {
  return state.allowance < 1 ? { state, notes: [] } : endThought(state);
}

/** True after a seek, or after a long silence if there is room for another note. */
function isElsewhere({ sentences, allowance }: ThoughtState, { startMs, speaker }: Sentence): boolean {
  const last = sentences.at(-1);
  const ownLast = sentences.findLast((one) => one.speaker === speaker);
  if (ownLast !== undefined && startMs < ownLast.startMs - LIMITS.backMs) return true;
  return last !== undefined && allowance >= 1 && startMs - last.endMs >= LIMITS.silenceMs;
}

function cutReady(state: ThoughtState): Thoughts {
  const at = endIn(state);
  return at === null ? { state, notes: [] } : endAt(state, at);
}

function endAt(state: ThoughtState, at: number): Thoughts {
  // A few words between two thoughts are an aside.
  const ended = endThought({ ...state, sentences: state.sentences.slice(0, at) }, LIMITS.asideTerms);
  return { ...ended, state: { ...ended.state, sentences: state.sentences.slice(at) } };
}

/** The number of sentences of the first thought, or `null` while it continues. */
function endIn({ sentences, allowance }: ThoughtState): number | null {
  const first = sentences[0]?.startMs ?? 0;
  const wholeMs = (sentences.at(-1)?.endMs ?? 0) - first;
  const isLong = wholeMs >= LIMITS.mostMs || sentences.length >= LIMITS.mostSentences;
  const isFull = sentences.length >= LIMITS.sentencesInMemory || (isLong && allowance >= 1);
  // Without room for another note, a thought continues.
  if (!isFull && allowance < 1) return null;
  const terms = sentences.map((sentence) => factsOf(sentence).terms);
  let isShort = false;
  let best: { readonly at: number; readonly score: number } | null = null;
  for (let at = 1; at < sentences.length; at++) {
    const aheadMs = (sentences.at(-1)?.endMs ?? 0) - (sentences[at]?.startMs ?? 0);
    const isAhead =
      aheadMs >= LIMITS.longAheadMs ||
      (sentences.length - at >= LIMITS.aheadSentences && aheadMs >= LIMITS.aheadMs);
    // After a long pause, no later sentence continues the thought.
    if (!isAhead && pauseScore(sentences, at) < LIMITS.surePause) break;
    const score = scoreAt(sentences, terms, at);
    // A thought that waited for room becomes a longer one, because the waiting sentences must not pile up.
    const isLater = wholeMs >= LIMITS.noteEveryMs && score >= LIMITS.endScore;
    const isTooShort = isFull && (sentences[at]?.startMs ?? 0) - first < LIMITS.noteEveryMs;
    if (best === null || isLater || (!isTooShort && score > best.score) || (isFull && isShort)) {
      best = { at, score };
    }
    isShort = isTooShort;
  }
  if (best === null) return null;
  return isFull || best.score >= LIMITS.endScore ? best.at : null;
}

/** The likelihood that a thought ends before the sentence `at`. */
function scoreAt(sentences: readonly Sentence[], terms: readonly (readonly string[])[], at: number): number {
  const [before, next] = [sentences[at - 1], sentences[at]] as [Sentence, Sentence];
  const lengthMs = before.endMs - (sentences[0]?.startMs ?? 0);
  const isSound = before.kind === "sound" || next.kind === "sound";
  const turns = factsOf(before).isFiller !== factsOf(next).isFiller;
  return (
    pauseScore(sentences, at) +
    0.75 * cohesionScore(terms, at) +
    (factsOf(next).isMark ? 0.8 : 0) +
    (next.isTurn ? 0.1 : 0) +
    (before.isCut === true ? -1 : 0) +
    (isSound ? 1.5 : 0) +
    (turns ? 1.2 : 0) +
    (lengthMs < LIMITS.shortMs && !turns ? -1 : 0) +
    (lengthMs >= LIMITS.longMs ? 0.4 : 0)
  );
}

interface Facts {
  readonly terms: readonly string[];
  readonly isFiller: boolean;
  readonly isMark: boolean;
}

const facts = new WeakMap<Sentence, Facts>();

/**
 * A sentence is judged again with each one that follows, so the result for it is remembered as long as the sentence is.
 */
function factsOf(sentence: Sentence): Facts {
  const known = facts.get(sentence);
  if (known !== undefined) return known;
  const { text, lang } = sentence;
  const found: Facts = {
    terms: termsOfSentence(sentence),
    isFiller: isFiller(text, lang),
    isMark: isDiscourseMark(text, lang),
  };
  facts.set(sentence, found);
  return found;
}

/** The weight of a pause depends on the usual pause between these sentences. */
function pauseScore(sentences: readonly Sentence[], at: number): number {
  const pauses = sentences.slice(1).map((next, n) => Math.max(0, next.startMs - (sentences[n]?.endMs ?? 0)));
  // If the number of pauses is even, the lower middle one counts as usual: the other may be the end of the thought.
  const usual = pauses.toSorted((a, b) => a - b)[Math.floor((pauses.length - 1) / 2)] ?? 0;
  const beyondMs = (pauses[at - 1] ?? 0) - Math.max(300, usual);
  return Math.max(0, Math.min(2.5, beyondMs / 500));
}

/** High if the words after a place differ from those before it. */
function cohesionScore(terms: readonly (readonly string[])[], at: number): number {
  const before = new Set(terms.slice(Math.max(0, at - LIMITS.comparedBefore), at).flat());
  const after = new Set(terms.slice(at, at + LIMITS.comparedAfter).flat());
  const common = [...after].filter((term) => before.has(term)).length;
  const share = common / Math.max(1, Math.min(before.size, after.size));
  const first = new Set(terms[at] ?? []);
  const carried = [...first].some((term) => before.has(term));
  return 0.9 - Math.min(1.4, share * 5) + (carried ? -0.2 : 0.2);
}
