/** The note on a thought: its most informative sentences, in the order in which they were said. */

import { isAboutSpeaker, isFiller, isGlued, type Sentence } from "../sentences/index.ts";
import { LIMITS } from "./limits.ts";
import { rankOf } from "./rank.ts";
import { termsOfSentence } from "./terms.ts";

export interface ThoughtNote {
  readonly text: string;
  /** The times at which the thought begins and ends. */
  readonly startMs: number;
  readonly endMs: number;
  /** The sequences of the pieces of its sentences. */
  readonly pieces: readonly number[];
}

/** `null` for a greeting, an advertisement, music, or too few different words. */
export function noteOf(sentences: readonly Sentence[], fewestTerms: number): ThoughtNote | null {
  const spoken = sentences.filter(({ kind }) => kind === "speech");
  const telling = spoken.filter(({ text, lang }) => !isFiller(text, lang));
  const [first] = telling;
  const last = telling.at(-1);
  if (first === undefined || last === undefined || telling.length < spoken.length / 2) return null;
  if (telling.length < spoken.length && last.endMs - first.startMs < LIMITS.fillerMs) return null;
  const known = wholeOnes(joinCut(telling)).map(knownOf);
  if (new Set(known.flatMap(({ terms }) => [...terms])).size < fewestTerms) return null;
  const chosen = chosenOf(known, LIMITS.noteSentences, placesIn(known));
  return {
    text: textOfSentences(chosen),
    startMs: first.startMs,
    endMs: last.endMs,
    pieces: [...new Set(chosen.flatMap(({ pieces }) => pieces))],
  };
}

/** Returns at most `most` sentences, the most informative ones, in the order in which they were said. */
export function keySentencesOf(sentences: readonly Sentence[], most: number): readonly Sentence[] {
  const telling = sentences.filter(({ kind, text, lang }) => kind === "speech" && !isFiller(text, lang));
  return chosenOf(mostShared(wholeOnes(joinCut(telling)).map(knownOf)), most);
}

/**
 * A chapter of many hours has too many sentences to compare all pairs, so only the sentences with the most frequent
 * words are compared.
 */
function mostShared(known: readonly SentenceTerms[]): readonly SentenceTerms[] {
  if (known.length <= LIMITS.comparedSentences) return known;
  const counts = countsOf(known);
  const weights = known.map(({ terms }) =>
    [...terms].reduce((sum, term) => sum + (counts.get(term) ?? 0), 0),
  );
  const order = [...known.keys()].sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
  const kept = new Set(order.slice(0, LIMITS.comparedSentences));
  return known.filter((_, at) => kept.has(at));
}

function countsOf(known: readonly SentenceTerms[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { terms } of known) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/**
 * A sentence that was cut, or has a guessed end, is complete only together with the next one. The two are joined if a
 * note has room for both.
 */
function joinCut(sentences: readonly Sentence[]): readonly Sentence[] {
  const joined: Sentence[] = [];
  for (const sentence of sentences) {
    const before = joined.at(-1);
    const isRest =
      (before?.isCut === true || before?.isGuess === true) &&
      before.speaker === sentence.speaker &&
      sentence.startMs - before.endMs < LIMITS.restMs;
    if (!isRest || before.text.length + sentence.text.length >= LIMITS.noteChars) joined.push(sentence);
    else joined[joined.length - 1] = whole(before, sentence);
  }
  return joined;
}

/** Leaves out the sentences that somebody interrupted, unless all sentences were interrupted. */
function wholeOnes(sentences: readonly Sentence[]): readonly Sentence[] {
  const ended = sentences.filter(({ isBroken }) => isBroken !== true);
  return ended.length === 0 ? sentences : ended;
}

function whole(before: Sentence, rest: Sentence): Sentence {
  const { isCut: _cut, isGuess: _guess, ...begun } = before;
  return {
    ...begun,
    text: isGlued(rest.text, before.text) ? `${before.text}${rest.text}` : `${before.text} ${rest.text}`,
    endMs: rest.endMs,
    pieces: [...new Set([...before.pieces, ...rest.pieces])],
    ...(rest.isCut === true ? { isCut: true } : {}),
    ...(rest.isGuess === true ? { isGuess: true } : {}),
  };
}

interface SentenceTerms {
  readonly sentence: Sentence;
  readonly terms: ReadonlySet<string>;
}

function knownOf(sentence: Sentence): SentenceTerms {
  return { sentence, terms: new Set(termsOfSentence(sentence)) };
}

/**
 * Selects one sentence after the other: always the one that adds most to the selected ones, while the note has room.
 */
function chosenOf(
  known: readonly SentenceTerms[],
  most: number,
  places: readonly number[] = [],
): readonly Sentence[] {
  const ranks = rankOf(known.map(({ terms }) => terms));
  const counts = countsOf(known);
  const mostChars = Math.max(1, most / LIMITS.noteSentences) * LIMITS.noteChars;
  const said = new Set<string>();
  const chosen: number[] = [];
  let chars = 0;
  while (chosen.length < most) {
    let best = { at: -1, gain: 0 };
    for (const [at, { sentence, terms }] of known.entries()) {
      const isFirst = chosen.length === 0;
      if (chosen.includes(at) || (!isFirst && chars + sentence.text.length > mostChars)) continue;
      const fresh = [...terms].filter((term) => !said.has(term));
      const weight = fresh.reduce((sum, term) => sum + (counts.get(term) ?? 0), 0);
      // The square root is used because a sentence that only repeats the words of the others has the highest rank.
      const gain = Math.sqrt(ranks[at] ?? 0) * weight * fitOf(sentence) * (places[at] ?? 1);
      if (gain > best.gain) best = { at, gain };
    }
    const taken = known[best.at];
    if (taken === undefined) break;
    chosen.push(best.at);
    chars += taken.sentence.text.length;
    for (const term of taken.terms) said.add(term);
  }
  return chosen.toSorted((a, b) => a - b).flatMap((at) => known[at]?.sentence ?? []);
}

/** The first sentence on a subject says what the subject is; towards the end, speakers leave the subject. */
function placesIn(known: readonly SentenceTerms[]): readonly number[] {
  const opening = known.findIndex(
    ({ sentence, terms }) => !isQuestion(sentence) && terms.size >= LIMITS.fewestTerms,
  );
  return known.map((_, at) => (at === opening ? 2 : 1) * (1 - at / (3 * known.length)));
}

/** Numbers are facts; questions, very short sentences and sentences about the speaker are less useful. */
function fitOf(sentence: Sentence): number {
  const { text, lang } = sentence;
  return (
    (/\p{N}/u.test(text) ? 1.5 : 1) *
    (isQuestion(sentence) ? 0.5 : 1) *
    (isAboutSpeaker(text, lang) ? 0.5 : 1) *
    (sentence.isCut === true ? 0.5 : 1) *
    (text.length < 12 ? 0.7 : 1)
  );
}

function isQuestion({ text }: Sentence): boolean {
  return /[?？؟]$/u.test(text);
}

/** Joins sentences to one text, even if captions have no punctuation. */
export function textOfSentences(sentences: readonly Sentence[]): string {
  const texts = sentences.map(textOf);
  return texts.join(/[。！？]$/u.test(texts[0] ?? "") ? "" : " ");
}

/** Captions without punctuation become readable sentences. */
function textOf({ text, lang }: Sentence): string {
  if (/[.!?…。！？؟।]["'”’»）)」』]*$/u.test(text)) return text;
  const bare = text.replace(/[,;:、،؛—–-]+$/u, "");
  return `${bare.slice(0, 1).toLocaleUpperCase(lang === "und" ? "en" : lang)}${bare.slice(1)}${/^(?:ja|zh)/u.test(lang) ? "。" : "."}`;
}
