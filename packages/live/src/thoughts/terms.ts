/** The words of a sentence by which its subject is known, without their endings. Pure. */

import { contentWords } from "../sentences/index.ts";

const STEM = 5;
const ARTICLE = /^(?:[وفبك]?ال|لل)(?=.{2})/u;
const PARTICLE = /^[\p{Script=Hiragana}ー]{1,3}$/u;

export function termsOf(text: string, lang: string): readonly string[] {
  return contentWords(text, lang)
    .map((word) => stemOf(word))
    .filter((word) => word !== "" && !PARTICLE.test(word));
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
