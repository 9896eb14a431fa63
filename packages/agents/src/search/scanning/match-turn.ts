/** Matches a turn against a query, and ranks it, by its texts, as the index would. Pure. */

import {
  countSequence,
  countWords,
  foldedText,
  type Passage,
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
  type TurnCounts,
  type TurnStatistics,
  voicesOf,
  WEIGHTS,
} from "../query/index.ts";

/** `null` where the words are not there; the filters of the query are asked elsewhere. */
export function matchWords({ passages }: Turn, query: SearchQuery): TurnCounts | null {
  return matchIn(toWords(passages), query);
}

function matchIn(words: TurnWords, query: SearchQuery): TurnCounts | null {
  const wanted = wantedOf(query);
  const counts = wanted.map((one) => countOf(one, words));
  if (counts.some((count) => count === 0)) return null;
  const unwanted = query.none.map((phrase) => ({
    phrase,
    columns: columnsOf(phrase, voicesOf(query)),
  }));
  if (unwanted.some((one) => countOf(one, words) > 0)) return null;
  return { phrases: counts, words: words.count };
}

/**
 * The scores of the forms of the terms; `null` where what has to be there is not. `statistics.withPhrase` counts the
 * forms one after the other.
 */
export function scoreForms(
  turn: Turn,
  query: SearchQuery,
  { best, statistics }: { readonly best: BestMatch; readonly statistics: TurnStatistics },
): readonly (readonly number[])[] | null {
  const words = toWords(turn.passages);
  if (matchIn(words, { ...query, all: quotedIn(query.all) }) === null) return null;
  const voices = voicesOf(query);
  let at = 0;
  return best.terms.map(({ forms }) =>
    forms.map(({ phrase }) => {
      const withPhrase = statistics.withPhrase.slice(at, at + 1);
      at += 1;
      const count = countOf({ phrase, columns: columnsOf(phrase, voices) }, words);
      return count === 0 ? 0 : bm25({ phrases: [count], words: words.count }, { ...statistics, withPhrase });
    }),
  );
}

interface Wanted {
  readonly phrase: Phrase;
  readonly columns: readonly Column[];
}

type Column = Voice | "parts";

/** In the order of the expression for FTS5. */
function wantedOf(query: SearchQuery): readonly Wanted[] {
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
  readonly parts: ReadonlySet<string>;
  readonly count: number;
}

function toWords(passages: readonly Passage[]): TurnWords {
  const voices: Record<Voice, string[]> = { person: [], agent: [], call: [], result: [], other: [] };
  const parts = new Set<string>();
  for (const { voice, text } of passages) {
    voices[voice].push(foldedText(text));
    if (voice !== "other") partsOf(text, parts);
  }
  const texts = VOICES.map((voice) => voices[voice]);
  const words = texts.flat().reduce((sum, text) => sum + countWords(text), 0);
  // Between two texts of a voice, the index has a word of its own.
  const between = texts.reduce((sum, { length }) => sum + Math.max(0, length - 1), 0);
  return { voices, parts, count: words + between + parts.size };
}

function countOf({ phrase, columns }: Wanted, { voices, parts }: TurnWords): number {
  return columns.reduce((sum, column) => {
    const count =
      column === "parts"
        ? countParts(parts, phrase)
        : voices[column].reduce((all, text) => all + countIn(text, phrase), 0);
    return sum + count * WEIGHTS[column];
  }, 0);
}

function countIn(text: string, { words, isPrefix }: Phrase): number {
  return countSequence(text, { words, isPrefix: isPrefix === true });
}

function countParts(parts: ReadonlySet<string>, { words: [word = "", ...more], isPrefix }: Phrase): number {
  if (more.length > 0) return 0;
  if (isPrefix !== true) return parts.has(word) ? 1 : 0;
  return [...parts].filter((part) => part.startsWith(word)).length;
}
