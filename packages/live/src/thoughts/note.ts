/** The note on a thought: its most telling sentences, in the order in which they were said. */

import { isFiller, type Sentence } from "../sentences/index.ts";
import { LIMITS } from "./limits.ts";
import { rankOf } from "./rank.ts";
import { termsOf } from "./terms.ts";

export interface ThoughtNote {
  readonly text: string;
  /** When the thought begins, and ends. */
  readonly startMs: number;
  readonly endMs: number;
  /** The sequences of the pieces of its sentences. */
  readonly pieces: readonly number[];
}

/** `null` for a greeting, an advertisement, music. */
export function noteOf(sentences: readonly Sentence[]): ThoughtNote | null {
  const spoken = sentences.filter(({ kind }) => kind === "speech");
  const telling = spoken.filter(({ text, lang }) => !isFiller(text, lang));
  const [first] = telling;
  const last = telling.at(-1);
  if (first === undefined || last === undefined || telling.length < spoken.length / 2) return null;
  const terms = telling.map(({ text, lang }) => termsOf(text, lang));
  if (new Set(terms.flat()).size < LIMITS.fewestTerms) return null;
  const chosen = chosenOf(telling, terms, LIMITS.noteSentences);
  return {
    text: textOfSentences(chosen),
    startMs: first.startMs,
    endMs: last.endMs,
    pieces: [...new Set(chosen.flatMap(({ pieces }) => pieces))],
  };
}

/** The sentences that tell most, at most so many, in the order in which they were said. */
export function keySentencesOf(sentences: readonly Sentence[], most: number): readonly Sentence[] {
  const telling = sentences.filter(({ kind, text, lang }) => kind === "speech" && !isFiller(text, lang));
  return chosenOf(
    telling,
    telling.map(({ text, lang }) => termsOf(text, lang)),
    most,
  );
}

/** Takes the sentence that adds most to what those before it say, one after the other. */
function chosenOf(
  sentences: readonly Sentence[],
  terms: readonly (readonly string[])[],
  most: number,
): readonly Sentence[] {
  const ranks = rankOf(terms);
  const counts = new Map<string, number>();
  for (const term of terms.flatMap((one) => [...new Set(one)])) counts.set(term, (counts.get(term) ?? 0) + 1);
  const said = new Set<string>();
  const chosen: number[] = [];
  let chars = 0;
  while (chosen.length < most) {
    let best = { at: -1, gain: 0 };
    for (const [at, { text }] of sentences.entries()) {
      const isFirst = chosen.length === 0;
      if (chosen.includes(at) || (!isFirst && chars + text.length > LIMITS.noteChars)) continue;
      const fresh = [...new Set(terms[at])].filter((term) => !said.has(term));
      const weight = fresh.reduce((sum, term) => sum + (counts.get(term) ?? 0) ** 1.5, 0);
      const gain = (ranks[at] ?? 0) * weight * fitOf(sentences[at], at);
      if (gain > best.gain) best = { at, gain };
    }
    if (best.at < 0) break;
    chosen.push(best.at);
    chars += sentences[best.at]?.text.length ?? 0;
    for (const term of terms[best.at] ?? []) said.add(term);
  }
  return chosen.toSorted((a, b) => a - b).flatMap((at) => sentences[at] ?? []);
}

/** Questions and very short sentences tell less, the first sentence more. */
function fitOf(sentence: Sentence | undefined, at: number): number {
  const text = sentence?.text ?? "";
  return (at === 0 ? 1.15 : 1) * (/[?？؟]$/u.test(text) ? 0.6 : 1) * (text.length < 12 ? 0.7 : 1);
}

/** Sentences as one text, also where captions have no punctuation. */
export function textOfSentences(sentences: readonly Sentence[]): string {
  const texts = sentences.map(textOf);
  return texts.join(/[。！？]$/u.test(texts[0] ?? "") ? "" : " ");
}

/** Captions without punctuation become sentences that one can read. */
function textOf({ text, lang }: Sentence): string {
  if (/[.!?…。！？؟।]["'”’»）)」』]*$/u.test(text)) return text;
  const bare = text.replace(/[,;:、،؛—–-]+$/u, "");
  return `${bare.slice(0, 1).toLocaleUpperCase(lang === "und" ? "en" : lang)}${bare.slice(1)}${/^(?:ja|zh)/u.test(lang) ? "。" : "."}`;
}
