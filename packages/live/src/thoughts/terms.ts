/** The words of a sentence that identify its subject, without their endings. Pure. */

import { contentWords, type Sentence } from "../sentences/index.ts";

const STEM = 5;
const ARTICLE = /^(?:[وفبك]?ال|لل)(?=.{2})/u;
const PARTICLE = /^[\p{Script=Hiragana}ー]{1,3}$/u;

export function termsOf(text: string, lang: string): readonly string[] {
  return contentWords(text, lang)
    .map(termOf)
    .filter((term) => term !== "");
}

/** The same for a single word in lower case; empty for a word that identifies no subject. */
export function termOf(word: string): string {
  const stem = stemOf(word);
  return PARTICLE.test(stem) ? "" : stem;
}

const known = new WeakMap<Sentence, readonly string[]>();

/** The words of a sentence are needed repeatedly, so they are remembered as long as the sentence is. */
export function termsOfSentence(sentence: Sentence): readonly string[] {
  const before = known.get(sentence);
  if (before !== undefined) return before;
  const terms = sentence.kind === "sound" ? [] : termsOf(sentence.text, sentence.lang);
  known.set(sentence, terms);
  return terms;
}

function stemOf(word: string): string {
  if (/\p{Script=Arabic}/u.test(word)) return ARABIC.has(word) ? "" : word.replace(ARTICLE, "").slice(0, 4);
  if (!/\p{Script=Latin}/u.test(word)) return word;
  const single = word.length > 3 ? word.replace(/(?:['’]s|s)$/u, "") : word;
  return single.length < 2 ? "" : single.slice(0, STEM);
}

/** Function words of Arabic. */
const ARABIC: ReadonlySet<string> = new Set(
  `في من إلى على عن مع أن إن هذا هذه ذلك تلك التي الذي كان كانت و أو لكن لأن ثم كل هو هي هم ما لا لم لن قد بعد قبل عند
  عندما إذا حتى منها كما بل غير جدا عام تحت فوق كلها بعض أي بين`.split(/\s+/u),
);
