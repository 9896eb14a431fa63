/** Joins pieces into sentences, piece by piece. */

import { endOf, firstEnd, hasPunctuation, isClosed, pauseBefore, type SentenceEnd } from "./boundaries.ts";
import { SURE, stopScore } from "./clauses.ts";
import { languageIn } from "./languages.ts";
import { LIMITS } from "./limits.ts";
import { isGlued, plainWord, type SpeechToken, speechTokensOf, unitsOf } from "./pieces.ts";
import { type EarlierWords, isBehind, isRepeat, overlapWords, passOver, stepBack } from "./repeats.ts";
import type { JoinState, Piece, Sentence, TimedWord } from "./types.ts";

export const EMPTY_JOIN_STATE: JoinState = {
  words: [],
  tail: [],
  lang: "und",
  plainWords: 0,
  sound: null,
  last: null,
  furthestMs: 0,
  backAt: null,
};

/** The strictness before the speaker's pauses are known. */
const FIRST_STRICTNESS = 1;
const STRICTNESS_STEP = 0.6;
const MAX_STRICTNESS = 4;

export interface JoinResult {
  readonly state: JoinState;
  /** The sentences that ended, in their order. */
  readonly sentences: readonly Sentence[];
}

/** The sequence at which the newest part after a seek back begins; `null` for a piece that cannot be a repetition. */
export function backSince(before: JoinState, piece: Piece): number | null {
  return isBehind(before, piece) ? (stepBack(before, piece).backAt ?? piece.sequence) : null;
}

/**
 * Does the same as `joinPiece`, but passes over a piece that was heard before a seek back.
 *
 * @param earlier the words before `backSince` at about the time of the piece; `null` if `backSince` is `null`
 */
export function joinHeard(before: JoinState, piece: Piece, earlier: EarlierWords | null): JoinResult {
  if (earlier === null) return joinPiece(before, piece);
  const state = stepBack(before, piece);
  return isRepeat(piece, earlier)
    ? { state: passOver(state, piece), sentences: [] }
    : joinPiece(state, piece);
}

/** Adds one piece. A piece that only repeats what rolling captions still show ends nothing and adds nothing. */
export function joinPiece(before: JoinState, piece: Piece): JoinResult {
  const { sequence, startMs, endMs } = piece;
  let state = withTimesBefore(before, piece);
  const sentences: Sentence[] = [];
  let count = 0;
  for (const part of speechTokensOf(piece)) {
    const step = part.type === "sound" ? addSound(state, part, sequence) : addWords(state, part.words, piece);
    state = step.state;
    sentences.push(...step.sentences);
    if (part.type === "words") count += part.words.length;
  }
  return {
    state: {
      ...state,
      last: { sequence, startMs, endMs, words: count, lineWords: wordsOfLastLine(piece) },
      furthestMs: Math.max(state.furthestMs, startMs),
      // These words are later than all words before: from now on, a repeated word was spoken twice.
      backAt: startMs <= before.furthestMs ? state.backAt : null,
    },
    sentences,
  };
}

/** Ends the open sentence, because no words follow for now. */
export function endSentence(state: JoinState): JoinResult {
  const open = openSentence(state);
  return open === null ? { state, sentences: [] } : cut(state, { at: state.words.length, isCut: false });
}

/** Ends the open sentence if it may be complete. The video was paused, perhaps in the middle of the sentence. */
export function endIfWhole(state: JoinState): JoinResult {
  const { words, lang, plainWords, strictness = FIRST_STRICTNESS } = state;
  const last = words.at(-1);
  if (last === undefined) return { state, sentences: [] };
  const isPlain = plainWords >= LIMITS.plainWords;
  const isWhole = isPlain ? stopScore({ words, lang }) >= SURE + strictness : isClosed(last.t);
  return isWhole ? endSentence(state) : { state, sentences: [] };
}

/** The sentence that is being spoken, as far as it is known. */
export function openSentence({ words, lang }: JoinState): Sentence | null {
  return words.length === 0 ? null : sentenceOf(words, lang);
}

function addWords(before: JoinState, words: readonly TimedWord[], piece: Piece): JoinResult {
  const heard = [...before.tail, ...before.words.map(({ t }) => plainWord(t))];
  const repeated = overlapWords(
    heard,
    words.map(({ t }) => plainWord(t)),
    { last: before.last, fresh: before.fresh ?? 0, startMs: piece.startMs },
  );
  const added = retimed(words.slice(repeated), words, piece);
  const known = languageOfStream(before, added, piece);
  const fresh = repeated > 0 ? 0 : Math.min((before.fresh ?? 0) + 1, LIMITS.freshPieces);
  let state: JoinState = { ...before, lang: known, fresh };
  const sentences: Sentence[] = [];
  for (const word of added) {
    const joined =
      isGlued(word.t, state.words.at(-1)?.t) && word.j === undefined ? { ...word, j: 1 as const } : word;
    const plainWords = hasPunctuation(word.t) ? 0 : state.plainWords + 1;
    state = { ...state, words: [...state.words, joined], plainWords };
    const step = cutReady(state);
    state = step.state;
    sentences.push(...step.sentences);
  }
  return { state, sentences };
}

function wordsOfLastLine(piece: Piece): number {
  const text = piece.text.trimEnd();
  const parts = speechTokensOf({ ...piece, text: text.slice(text.lastIndexOf("\n") + 1) });
  return parts.reduce((sum, part) => sum + (part.type === "words" ? part.words.length : 0), 0);
}

/** The new words of a window take the whole time of the window, because the other words were said earlier. */
function retimed(
  added: readonly TimedWord[],
  all: readonly TimedWord[],
  { startMs, endMs }: Piece,
): readonly TimedWord[] {
  if (added.length === all.length || added.length === 0) return added;
  const from = added[0]?.s ?? startMs;
  const share = (at: number): number =>
    endMs === from ? startMs : Math.round(startMs + ((at - from) / (endMs - from)) * (endMs - startMs));
  return added.map((word) => ({ ...word, s: share(word.s), e: share(word.e) }));
}

function languageOfStream(state: JoinState, added: readonly TimedWord[], { lang }: Piece): string {
  if (lang !== undefined && lang !== "") return lang;
  const open = [...state.words, ...added.slice(0, LIMITS.tailWords)];
  const words = [...state.tail, ...open.map(({ t }) => plainWord(t))];
  const found = languageIn(words);
  return found === "und" ? state.lang : found;
}

/** Only the newest place can be an end, unless this word shows that the stream has no punctuation. */
function cutReady(before: JoinState): JoinResult {
  let state = before;
  let from = before.plainWords === LIMITS.plainWords ? 1 : before.words.length - 1;
  const sentences: Sentence[] = [];
  for (;;) {
    const { lang, plainWords, strictness = FIRST_STRICTNESS } = state;
    const isPlain = plainWords >= LIMITS.plainWords;
    const end = firstEnd(state.words, { lang, isPlain, sure: SURE + strictness }, from);
    from = 1;
    if (end === null) return { state, sentences };
    const step = cut({ ...state, strictness: strictnessAfter(state, end.at) }, end);
    state = step.state;
    sentences.push(...step.sentences);
  }
}

/**
 * While sentences are short, an end needs a higher score: speakers who make long pauses also pause within their
 * sentences.
 */
function strictnessAfter({ strictness = FIRST_STRICTNESS, words }: JoinState, at: number): number {
  const units = words.slice(0, at).reduce((sum, { t }) => sum + unitsOf(t), 0);
  const missing = (LIMITS.meanUnits - units) / LIMITS.meanUnits;
  return Math.min(MAX_STRICTNESS, Math.max(0, strictness + STRICTNESS_STEP * Math.max(-1, missing)));
}

function cut(state: JoinState, { at, isCut, isGuess, isBroken }: SentenceEnd): JoinResult {
  const { words, lang, tail } = state;
  const ended = words.slice(0, at);
  return {
    state: {
      ...state,
      words: words.slice(at),
      tail: [...tail, ...ended.map(({ t }) => plainWord(t))].slice(-LIMITS.tailWords),
    },
    sentences: [
      {
        ...sentenceOf(ended, lang),
        ...(isCut ? { isCut } : {}),
        ...(isGuess === true ? { isGuess } : {}),
        ...(isBroken === true ? { isBroken } : {}),
      },
    ],
  };
}

/** A mark ends the open sentence only if the sentence can end there. */
function addSound(
  state: JoinState,
  { text, startMs, endMs }: Extract<SpeechToken, { type: "sound" }>,
  sequence: number,
): JoinResult {
  const { sound, lang } = state;
  if (sound !== null && sound.text === text && Math.abs(startMs - sound.atMs) < LIMITS.soundMs) {
    return { state: { ...state, sound: { text, atMs: startMs } }, sentences: [] };
  }
  const last = state.words.at(-1);
  const mark: TimedWord = { t: text, s: startMs, e: endMs, p: 0 };
  const isEnd = last !== undefined && (isClosed(last.t) || pauseBefore(last, mark) >= LIMITS.soundPauseMs);
  const ended = isEnd ? endSentence(state) : { state, sentences: [] };
  const sentence: Sentence = { text, startMs, endMs, lang, kind: "sound", isTurn: false, pieces: [sequence] };
  return {
    state: { ...ended.state, sound: { text, atMs: startMs } },
    sentences: [...ended.sentences, sentence],
  };
}

function sentenceOf(words: readonly TimedWord[], lang: string): Sentence {
  const [first] = words;
  const last = words.at(-1);
  const text = words.map(({ t, j }, n) => (n === 0 || j === 1 ? t : ` ${t}`)).join("");
  const startMs = first?.s ?? 0;
  return {
    text,
    startMs,
    endMs: last === undefined ? startMs : endOf(last),
    lang,
    kind: "speech",
    isTurn: first?.n === 1,
    pieces: [...new Set(words.map(({ p }) => p))],
  };
}

/** Words of the last piece end when the next piece begins, because captions stay longer than their words take. */
function withTimesBefore(state: JoinState, { startMs }: Piece): JoinState {
  const { last, words } = state;
  if (last === null || startMs <= last.startMs || startMs >= last.endMs) return state;
  const share = (startMs - last.startMs) / (last.endMs - last.startMs);
  const at = (ms: number): number => Math.round(last.startMs + (ms - last.startMs) * share);
  return {
    ...state,
    words: words.map((word) => (word.p === last.sequence ? { ...word, s: at(word.s), e: at(word.e) } : word)),
  };
}
