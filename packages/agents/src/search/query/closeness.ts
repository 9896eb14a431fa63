/** The share of the words that stand close together: in one sentence, or in one name in code. Pure. */

import { type Passage, partsOf, type Voice, wordsOf } from "@continuo/native/index-file";
import type { Ranking, Term } from "./best-match.ts";

/** The number of best turns of a session whose texts are read. */
export const CLOSE_TURNS = 2;
/** A person's own words weigh most. */
const VOICE_SHARES: Readonly<Record<Voice, number>> = {
  person: 1,
  agent: 0.7,
  call: 0.9,
  result: 0.6,
  other: 0.4,
};
/** Only this many characters of a text count. */
const MAX_CHARS = 50_000;
const SENTENCE_END = /(?<=[.!?。！？])\s+|\n+|[;{}]/u;
/** A person who asks wants the answer more than earlier questions of the same kind. */
const QUESTION_SHARE = 0.7;
/** A match that is longer than `MAX_NAME_CHARS` is data; `NAME` would be tried from each of its characters. */
const RUN = /\w+/gu;
const MAX_NAME_CHARS = 200;
const NAME = /[A-Za-z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+/gu;
/** People search for code by a name that has several of the words. */
const NAME_SHARE = 1.2;

/** Returns a number from 0, if no words stand close together, to about 1, if all of them do. */
export function closenessOf(
  passages: readonly Passage[],
  { match, rarity }: Pick<Ranking, "match" | "rarity">,
): number {
  const words = match.terms.flatMap((term, at) =>
    term.type === "word" ? [{ term, weight: rarity[at] ?? 0 }] : [],
  );
  const mass = words.reduce((sum, { weight }) => sum + weight, 0);
  if (mass === 0) return 0;
  let best = 0;
  const shareIn = (there: ReadonlySet<string>): number =>
    words.reduce((sum, { term, weight }) => sum + weight * weightIn(there, term), 0) / mass;
  for (const { voice, text } of passages) {
    const looked = text.slice(0, MAX_CHARS);
    const voiceShare = VOICE_SHARES[voice];
    for (const sentence of looked.split(SENTENCE_END)) {
      const share = /[?？]$/u.test(sentence) ? voiceShare * QUESTION_SHARE : voiceShare;
      best = Math.max(best, share * shareIn(new Set(wordsOf(sentence))));
    }
    for (const name of namesIn(looked)) {
      const parts = new Set([...partsOf(name), ...wordsOf(name)]);
      best = Math.max(best, NAME_SHARE * shareIn(parts));
    }
  }
  return best;
}

function namesIn(text: string): readonly string[] {
  const runs = (text.match(RUN) ?? []).filter((run) => run.length <= MAX_NAME_CHARS);
  return runs.flatMap((run) => run.match(NAME) ?? []);
}

function weightIn(there: ReadonlySet<string>, { forms }: Term): number {
  let most = 0;
  for (const { phrase, weight } of forms) {
    const [word = ""] = phrase.words;
    if (weight <= most) continue;
    const isThere =
      there.has(word) || (phrase.isPrefix === true && [...there].some((one) => one.startsWith(word)));
    if (isThere) most = weight;
  }
  return most;
}
