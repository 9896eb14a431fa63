/**
 * Matches turns that lack some of the words: for questions, and if no turn has all words. A rare word counts more, and
 * other forms of a word count too. Words that are neighbours in the query count more if they are neighbours in the
 * text. A time that the query names counts as well. Pure.
 */

import type { IndexedSession } from "../../catalog/index.ts";
import { isFunctionWord } from "./function-words.ts";
import { recencyOf } from "./ranking.ts";
import type { Phrase, SearchQuery } from "./search-query.ts";
import { otherFormsOf, stemOf } from "./stems.ts";
import { type NamedTime, namedTime } from "./times.ts";

/** A word of the query with its other forms, or two words that are neighbours. */
export interface Term {
  readonly type: "word" | "pair";
  /** The phrases of which the best counts, each with its weight. */
  readonly forms: readonly { readonly phrase: Phrase; readonly weight: number }[];
}

export interface BestMatch {
  readonly terms: readonly Term[];
  readonly time: Pick<NamedTime, "from" | "to" | "aroundMs"> | null;
  /** A turn with fewer of the words does not count. */
  readonly leastWords: number;
}

/** The most words, and the most pairs, that are matched. Further words are ignored; quoted phrases stay required. */
const MAX_TERMS = 12;
const BEYOND_ASCII = /[^\0-\x7f]/u;
/** People use these words in questions about their problem, and in texts that describe it. */
const OWN: ReadonlySet<string> = new Set(["my", "our"]);
const [OTHER_FORM, PAIR] = [0.6, 1];

/** `null` if no word could be missing. @param nowMs milliseconds since 1970, from which named times are counted */
export function toBestMatch(
  { all, isQuestion }: Pick<SearchQuery, "all" | "isQuestion">,
  nowMs: number,
): BestMatch | null {
  const words = all.filter(({ isQuoted }) => isQuoted !== true).flatMap(wordsIn);
  const time = namedTime(words, nowMs);
  const runs: string[][] = [[]];
  for (const [at, word] of words.entries()) {
    const isTime = time !== null && at >= time.start && at < time.end;
    if (isTime || isFunctionWord(word)) runs.push([]);
    else runs.at(-1)?.push(word);
  }
  const singles = [...new Set(runs.flat())].slice(0, MAX_TERMS);
  if (singles.length + (time === null ? 0 : 1) < 2 || singles.length === 0) return null;
  const pairs = runs.flatMap((run) => run.slice(1).map((word, at) => [run[at] ?? "", word] as const));
  for (const [at, word] of words.entries()) {
    const next = words[at + 1] ?? "";
    if (OWN.has(word) && singles.includes(next)) pairs.push([word, next]);
  }
  return {
    terms: [...singles.map(toWord), ...pairs.slice(0, MAX_TERMS).map(toPair)],
    time,
    leastWords: isQuestion ? 1 : Math.floor(singles.length / 2) + 1,
  };
}

/** A text of a script without spaces stays together. */
function wordsIn({ words }: Phrase): readonly string[] {
  return words.some((word) => BEYOND_ASCII.test(word)) ? [words.join(" ")] : words;
}

function toWord(word: string): Term {
  const stem = stemOf(word);
  const form = (text: string, weight: number): Term["forms"][number] => ({
    phrase: { words: text.split(" "), exact: text.includes(" ") },
    weight,
  });
  const others = otherFormsOf(word).map((other) => form(other, OTHER_FORM));
  const prefix = { phrase: { words: [stem], exact: false, isPrefix: true as const }, weight: OTHER_FORM };
  const hasStem = stem.length >= 3 && !stem.includes(" ");
  return { type: "word", forms: [form(word, 1), ...(hasStem ? [prefix] : []), ...others] };
}

function toPair([first, second]: readonly [string, string]): Term {
  const stem = stemOf(second);
  const prefix: Phrase = { words: [first, stem], exact: true, isPrefix: true };
  const typed: Phrase = { words: [first, second], exact: true };
  const phrases = second.startsWith(stem) ? [prefix] : [prefix, typed];
  return { type: "pair", forms: phrases.map((phrase) => ({ phrase, weight: PAIR })) };
}

/** A turn with the score of each form of each term, in their order; 0 for a form that it lacks. */
export interface ScoredTurn {
  readonly at: string | null;
  readonly scores: readonly (readonly number[])[];
}

export interface TurnRank<T> {
  readonly turn: T;
  readonly score: number;
}

/** The share of the weight of all words that a turn must have at least. */
const LEAST_COVERAGE = 0.25;
const [SESSION_SHARE, RECENT_BONUS] = [0.2, 0.4];
const CLOSE_BONUS = 4;
const [IN_TIME, NEAR_TIME] = [2.5, 1.6];

export interface Ranking {
  readonly match: BestMatch;
  /** For each term: greater for one that fewer turns have. */
  readonly rarity: readonly number[];
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** The turns of a session that count, the best first, with their ranks. */
export function rankBestMatch<T extends ScoredTurn>(
  turns: readonly T[],
  session: Pick<IndexedSession, "updatedAt">,
  ranking: Ranking,
): readonly TurnRank<T>[] {
  const best = ranking.match.terms.map(() => 0);
  const weighed = turns.map((turn) => {
    const { scores, score } = weigh(turn, ranking);
    for (const [at, one] of scores.entries()) best[at] = Math.max(best[at] ?? 0, one);
    return { turn, score };
  });
  const ofSession = SESSION_SHARE * best.reduce((sum, one) => sum + one, 0);
  return weighed
    .flatMap(({ turn, score }): TurnRank<T>[] => {
      if (score === null) return [];
      return [{ turn, score: (score + ofSession) * timeFactor(turn.at ?? session.updatedAt, ranking) }];
    })
    .sort((a, b) => b.score - a.score);
}

/** The rank of a turn before the other turns of its session are known; `null` for one that does not count. */
export function rankAlone(
  turn: ScoredTurn,
  session: Pick<IndexedSession, "updatedAt">,
  ranking: Ranking,
): number | null {
  const { score } = weigh(turn, ranking);
  return score === null ? null : score * timeFactor(turn.at ?? session.updatedAt, ranking);
}

interface TermScores {
  /** For each term, the score of its best form. */
  readonly scores: readonly number[];
  /** `null` if the turn has too few of the words. */
  readonly score: number | null;
}

function weigh(turn: ScoredTurn, { match: { terms, leastWords }, rarity }: Ranking): TermScores {
  const scores = terms.map(({ forms }, at) =>
    forms.reduce((most, { weight }, form) => Math.max(most, weight * (turn.scores[at]?.[form] ?? 0)), 0),
  );
  let [words, covered, mass] = [0, 0, 0];
  for (const [at, { type }] of terms.entries()) {
    if (type !== "word") continue;
    mass += rarity[at] ?? 0;
    if ((scores[at] ?? 0) <= 0) continue;
    words += 1;
    covered += rarity[at] ?? 0;
  }
  const coverage = mass === 0 ? 0 : covered / mass;
  const isEnough = words >= leastWords && coverage >= LEAST_COVERAGE;
  const sum = scores.reduce((all, one) => all + one, 0);
  return { scores, score: isEnough ? sum * (0.3 + 0.7 * coverage) : null };
}

/** @param closeness as `closenessOf` */
export function closeFactor(closeness: number): number {
  return 1 + CLOSE_BONUS * closeness ** 2;
}

function timeFactor(at: string | null, { match: { time }, nowMs }: Ranking): number {
  const ms = Date.parse(at ?? "");
  if (time === null) return 1 + RECENT_BONUS * recencyOf(ms, nowMs);
  if (ms >= time.from && ms < time.to) return IN_TIME;
  return ms >= time.from - time.aroundMs && ms < time.to + time.aroundMs ? NEAR_TIME : 1;
}
