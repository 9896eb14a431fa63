/** Titles of chapters: the words and pairs of words that this chapter has and the others do not. Pure. */

import { cutText } from "@continuo/core/model";
import {
  functionWords,
  isFiller,
  languageOf,
  type Sentence,
  STOP_WORDS,
  segmenterOf,
} from "../sentences/index.ts";
import { termOf } from "../thoughts/index.ts";
import { OUTLINE_LIMITS as LIMITS } from "./limits.ts";

interface Phrase {
  readonly text: string;
  /** The stems of its words. */
  readonly stems: readonly string[];
  count: number;
}

/** One title for each chapter, in their order. Yields after each chapter. */
export function* titlesOf(
  chapters: readonly (readonly Sentence[])[],
): Generator<void, readonly string[], void> {
  const phrases: ReadonlyMap<string, Phrase>[] = [];
  for (const chapter of chapters) {
    phrases.push(phrasesIn(chapter));
    yield;
  }
  const spread = new Map<string, number>();
  for (const own of phrases) {
    for (const stem of new Set([...own.values()].flatMap(({ stems }) => stems)))
      spread.set(stem, (spread.get(stem) ?? 0) + 1);
  }
  return phrases.map((own, n) => titleOf([...own.values()], spread, chapters.length, chapters[n] ?? []));
}

function titleOf(
  phrases: readonly Phrase[],
  spread: ReadonlyMap<string, number>,
  chapters: number,
  sentences: readonly Sentence[],
): string {
  const scored = phrases
    .map((phrase) => ({ phrase, score: scoreOf(phrase, spread, chapters) }))
    .toSorted((a, b) => b.score - a.score);
  const said = new Set<string>();
  const chosen: string[] = [];
  let chars = 0;
  for (const { phrase } of scored) {
    if (chosen.length >= LIMITS.titlePhrases) break;
    if (phrase.stems.some((stem) => said.has(stem)) || chars + phrase.text.length > LIMITS.titleChars)
      continue;
    // A word that was said once is used as a subject only if no word was said more often.
    if (phrase.count < 2 && chosen.length > 0) continue;
    chosen.push(phrase.text);
    chars += phrase.text.length + 2;
    for (const stem of phrase.stems) said.add(stem);
  }
  const lang = sentences[0]?.lang ?? "und";
  const title = chosen.join(/^(?:ja|zh)/u.test(lang) ? "、" : /^ar/u.test(lang) ? "، " : ", ");
  const text = title === "" ? (sentences[0]?.text ?? "") : title;
  return capital(cutText(text, LIMITS.titleChars), lang);
}

function scoreOf({ stems, count }: Phrase, spread: ReadonlyMap<string, number>, chapters: number): number {
  const rarity = stems.map((stem) => Math.log((1 + chapters) / (spread.get(stem) ?? 1)) + 0.1);
  const mean = rarity.reduce((sum, one) => sum + one, 0) / Math.max(1, rarity.length);
  return count * mean * (stems.length > 1 ? 1.7 : 1);
}

/** Words, and pairs of words that follow each other, in the form in which they were said first. */
function phrasesIn(sentences: readonly Sentence[]): ReadonlyMap<string, Phrase> {
  const phrases = new Map<string, Phrase>();
  const add = (text: string, stems: readonly string[]): void => {
    const known = phrases.get(stems.join(" "));
    if (known === undefined) phrases.set(stems.join(" "), { text, stems, count: 1 });
    else known.count++;
  };
  for (const { text, lang, kind } of sentences) {
    if (kind === "sound" || isFiller(text, lang)) continue;
    let last: { readonly word: string; readonly stem: string; readonly end: number } | null = null;
    for (const { word, stem, index } of tellingWords(text, lang)) {
      add(word, [stem]);
      const gap: string = last === null ? "-" : text.slice(last.end, index);
      if (last !== null && /^ ?$/u.test(gap)) add(`${last.word}${gap}${word}`, [last.stem, stem]);
      last = { word, stem, end: index + word.length };
    }
  }
  return phrases;
}

function tellingWords(
  text: string,
  lang: string,
): readonly { readonly word: string; readonly stem: string; readonly index: number }[] {
  const stops = STOP_WORDS[languageOf(lang)] ?? functionWords;
  return [...segmenterOf(lang).segment(text)].flatMap(({ segment: word, isWordLike, index }) => {
    if (isWordLike !== true || stops.has(word.toLowerCase()) || /^\p{N}+$/u.test(word)) return [];
    if (word.length < (/\p{Script=Han}/u.test(word) ? 1 : 3)) return [];
    const stem = termOf(word.normalize("NFKC").toLowerCase());
    return stem === "" ? [] : [{ word, stem, index }];
  });
}

function capital(text: string, lang: string): string {
  return `${text.slice(0, 1).toLocaleUpperCase(lang === "und" ? "en" : lang)}${text.slice(1)}`;
}
