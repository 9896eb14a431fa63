/** Matches a turn with a query by its texts, and ranks it, in the same way as the index. Pure. */

import {
  countSequence,
  countWords,
  foldedText,
  type Passage,
  partsLike,
  partsOf,
  type Turn,
  VOICES,
  type Voice,
} from "@continuo/native/index-file";
import {
  type BestMatch,
  bm25,
  columnsOf,
  type Phrase,
  quotedIn,
  type SearchQuery,
  type TurnStatistics,
  voicesOf,
  WEIGHTS,
} from "../query/index.ts";

/** The words of a turn that matches. Counting all of them takes longer than finding those of the query. */
export interface MatchedWords {
  /** The counts of `TurnCounts`. */
  readonly phrases: readonly number[];
  /** The number of words without the parts of names, which `words` also counts. */
  leastWords(): number;
  words(): number;
}

/** Returns `null` if the turn does not match the words. The filters of the query are checked elsewhere. */
export function matchWords({ passages }: Turn, query: SearchQuery): MatchedWords | null {
  const words = toWords(passages);
  const phrases = countsIn(words, query);
  return phrases && { phrases, leastWords: words.leastCount, words: words.count };
}

/** Returns `null` if the turn does not match the words. */
function countsIn(words: TurnWords, query: SearchQuery): readonly number[] | null {
  const counts: number[] = [];
  for (const one of wantedOf(query)) {
    const count = countOf(one, words);
    if (count === 0) return null;
    counts.push(count);
  }
  const unwanted = query.none.map((phrase) => ({
    phrase,
    columns: columnsOf(phrase, voicesOf(query)),
  }));
  return unwanted.some((one) => countOf(one, words) > 0) ? null : counts;
}

/**
 * The scores of the forms of the terms; `null` if a required phrase is missing. `statistics.withPhrase` counts the
 * forms one after the other.
 */
export function scoreForms(
  turn: Turn,
  query: SearchQuery,
  { best, statistics }: { readonly best: BestMatch; readonly statistics: TurnStatistics },
): readonly (readonly number[])[] | null {
  const words = toWords(turn.passages);
  if (countsIn(words, { ...query, all: quotedIn(query.all) }) === null) return null;
  const voices = voicesOf(query);
  let at = 0;
  return best.terms.map(({ forms }) =>
    forms.map(({ phrase }) => {
      const withPhrase = statistics.withPhrase.slice(at, at + 1);
      at += 1;
      const count = countOf({ phrase, columns: columnsOf(phrase, voices) }, words);
      return count === 0
        ? 0
        : bm25({ phrases: [count], words: words.count() }, { ...statistics, withPhrase });
    }),
  );
}

interface PhraseQuery {
  readonly phrase: Phrase;
  readonly columns: readonly Column[];
}

type Column = Voice | "parts";

/** Returns the required phrases in the order of the expression for FTS5. */
function wantedOf(query: SearchQuery): readonly PhraseQuery[] {
  const { all, error } = query;
  const voices = voicesOf(query);
  const inResults = error === null || error === "any" ? [] : error;
  return [
    ...all.map((phrase) => ({ phrase, columns: columnsOf(phrase, voices) })),
    ...inResults.map((phrase) => ({ phrase, columns: ["result"] as const })),
  ];
}

interface TurnWords {
  /** For each voice, its texts, folded. */
  readonly voices: Readonly<Record<Voice, readonly string[]>>;
  /** Returns at least those parts of names that begin with the word; it may return other parts too. */
  partsLike(word: string): ReadonlySet<string>;
  /** The number of words without parts of names. */
  leastCount(): number;
  count(): number;
}

function toWords(passages: readonly Passage[]): TurnWords {
  const voices: Record<Voice, string[]> = { person: [], agent: [], call: [], result: [], other: [] };
  for (const { voice, text } of passages) voices[voice].push(foldedText(text));
  // Parts of names have no voice: the parts of injected text would count for every voice, so they are left out.
  const ofNames = passages.filter(({ voice }) => voice !== "other").map(({ text }) => text);
  let all: ReadonlySet<string> | null = null;
  const partsOfAll = (): ReadonlySet<string> => {
    all ??= ofNames.reduce((parts, text) => partsOf(text, parts), new Set<string>());
    return all;
  };
  let least: number | null = null;
  const leastCount = (): number => {
    least ??= VOICES.reduce((sum, voice) => sum + countAll(voices[voice]), 0);
    return least;
  };
  return {
    voices,
    partsLike: (word) =>
      all ?? ofNames.reduce((parts, text) => partsLike(text, word, parts), new Set<string>()),
    leastCount,
    count: () => leastCount() + partsOfAll().size,
  };
}

/** The index puts a word of its own between two texts of a voice, and this word is counted too. */
function countAll(texts: readonly string[]): number {
  const between = Math.max(0, texts.length - 1);
  return texts.reduce((sum, text) => sum + countWords(text), between);
}

function countOf({ phrase, columns }: PhraseQuery, { voices, partsLike }: TurnWords): number {
  return columns.reduce((sum, column) => {
    const count =
      column === "parts"
        ? countParts(partsLike, phrase)
        : voices[column].reduce((all, text) => all + countIn(text, phrase), 0);
    return sum + count * WEIGHTS[column];
  }, 0);
}

function countIn(text: string, { words, isPrefix }: Phrase): number {
  return countSequence(text, { words, isPrefix: isPrefix === true });
}

function countParts(
  partsLike: TurnWords["partsLike"],
  { words: [word = "", ...more], isPrefix }: Phrase,
): number {
  if (word === "" || more.length > 0 || BEYOND_ASCII.test(word)) return 0;
  const parts = partsLike(word);
  if (isPrefix !== true) return parts.has(word) ? 1 : 0;
  return [...parts].filter((part) => part.startsWith(word)).length;
}

/** Parts of names have only ASCII characters. */
const BEYOND_ASCII = /[^\0-\x7f]/u;
