/** The texts of `docs/speed.md` about what is measured: how large, and with which words. */

import { PER_FOREIGN, WORDS } from "../sessions/vocabulary.ts";

/** One paragraph each. */
export const MATERIALS: readonly string[] = [
  "The sessions are generated from a seed, in the formats of five agents. Most are short and a few are long, as in real homes. A row that depends on their number or on the size of one says it.",
  `The words are drawn, not written by people. There are ${WORDS.toLocaleString("en")} different ones, as many as in a person's real sessions. The most frequent are about forty words of English, German, Japanese and Russian; all others are made of English syllables, one in ${PER_FOREIGN} with an accent or a letter of another script. Short words are the most frequent. The word of rank r is drawn with a frequency of 1 / (r + 2.7)^1.05, which is Zipf's law in Mandelbrot's form; names in code are drawn in the same way. Words that are drawn one by one repeat less than those of a text, so an index of them is larger and slower to fill than one of real text. The next section has measurements with the text of real files.`,
];
