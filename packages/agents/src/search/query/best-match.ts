/**
 * The match by most of the words: for questions, and for words that no turn has all of. Words count by how rare they are,
 * in any form; words that stand next to each other in the query count more where they do so in a text; a named time counts
 * as well. Pure.
 */

import type { IndexedSession } from "../../catalog/index.ts";
import { isFunctionWord } from "./function-words.ts";
import { RECENT_DAYS } from "./ranking.ts";
import type { Phrase, SearchQuery } from "./search-query.ts";
import { irregularFormsOf, stemOf } from "./stems.ts";
import { type NamedTime, namedTime } from "./times.ts";

/** One word of the query in its forms, or two that stand next to each other. */
export interface Term {
  readonly type: "word" | "pair";
  /** The phrases of which the best counts, each with its weight. */
  readonly forms: readonly { readonly phrase: Phrase; readonly weight: number }[];
}

export interface BestMatch {
  readonly terms: readonly Term[];
  readonly time: Pick<NamedTime, "from" | "to" | "aroundMs"> | null;
  /** A turn with fewer words does not count. */
  readonly leastWords: number;
}

/** The words of a query that may be missing; the others stay as they are. */
const MAX_TERMS = 12;
const BEYOND_ASCII = /[^\0-\x7f]/u;
/** People ask with these words for what they have, and tell of it with them. */
const OWN: ReadonlySet<string> = new Set(["my", "our"]);
const [OTHER_FORM, PAIR] = [0.6, 1];

/** `null` where only one word could be missing. @param nowMs milliseconds since 1970: times are named from there */
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
  const others = irregularFormsOf(word).map((other) => form(other, OTHER_FORM));
  const prefix = { phrase: { words: [stem], exact: false, isPrefix: true as const }, weight: OTHER_FORM };
  const hasStem = stem.length >= 3 && !stem.includes(" ");
  return { type: "word", forms: [form(word, 1), ...(hasStem ? [prefix] : []), ...others] };
}

function toPair([first, second]: readonly [string, string]): Term {
  const phrase: Phrase = { words: [first, stemOf(second)], exact: true, isPrefix: true };
  return { type: "pair", forms: [{ phrase, weight: PAIR }] };
}

/** A turn with the score of each form of each term, in their order; 0 where it is not there. */
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

/**
 * The turns of a session that count, the best first, with their ranks.
 *
 * @param rarity of each term: greater for one that fewer turns have
 */
export function rankBestMatch<T extends ScoredTurn>(
  turns: readonly T[],
  session: Pick<IndexedSession, "updatedAt">,
  {
    match,
    rarity,
    nowMs,
  }: { readonly match: BestMatch; readonly rarity: readonly number[]; readonly nowMs: number },
): readonly TurnRank<T>[] {
  const { terms, time } = match;
  const isWord = terms.map(({ type }) => type === "word");
  const mass = rarity.reduce((sum, one, at) => sum + (isWord[at] ? one : 0), 0);
  const best = terms.map(() => 0);
  const scored = turns.map((turn) => {
    const scores = terms.map(({ forms }, at) =>
      forms.reduce((most, { weight }, form) => Math.max(most, weight * (turn.scores[at]?.[form] ?? 0)), 0),
    );
    for (const [at, score] of scores.entries()) best[at] = Math.max(best[at] ?? 0, score);
    const covered = scores.reduce((sum, one, at) => sum + (one > 0 && isWord[at] ? (rarity[at] ?? 0) : 0), 0);
    return {
      turn,
      words: scores.filter((one, at) => one > 0 && isWord[at]).length,
      sum: scores.reduce((all, one) => all + one, 0),
      coverage: mass === 0 ? 0 : covered / mass,
    };
  });
  const ofSession = best.reduce((sum, one) => sum + one, 0);
  return scored
    .filter(({ words, coverage }) => words >= match.leastWords && coverage >= LEAST_COVERAGE)
    .map(({ turn, sum, coverage }) => {
      const words = sum * (0.3 + 0.7 * coverage) + SESSION_SHARE * ofSession;
      return { turn, score: words * timeFactor(turn.at ?? session.updatedAt, { time, nowMs }) };
    })
    .sort((a, b) => b.score - a.score);
}

/** @param closeness as `closenessOf` */
export function closeFactor(closeness: number): number {
  return 1 + CLOSE_BONUS * closeness ** 2;
}

function timeFactor(
  at: string | null,
  { time, nowMs }: { readonly time: BestMatch["time"]; readonly nowMs: number },
): number {
  const ms = Date.parse(at ?? "");
  if (Number.isNaN(ms)) return 1;
  if (time === null) {
    const ageDays = Math.max(0, nowMs - ms) / 86_400_000;
    return 1 + RECENT_BONUS * Math.exp(-ageDays / RECENT_DAYS);
  }
  if (ms >= time.from && ms < time.to) return IN_TIME;
  return ms >= time.from - time.aroundMs && ms < time.to + time.aroundMs ? NEAR_TIME : 1;
}
