/** Applies a regular expression to the texts of a turn, and finds the part that may be shown. Pure. */

import type { Passage, Voice } from "@continuo/native/index-file";
import { type Excerpt, excerptAt } from "./excerpt.ts";

export interface RegexSearch {
  readonly regex: RegExp;
  readonly mask: ((text: string) => string) | undefined;
  readonly voices: readonly Voice[];
}

/** `null` if no text of these voices matches. */
export function firstMatch(
  passages: readonly Passage[],
  { regex, mask, voices }: RegexSearch,
): Excerpt | null {
  const first = new RegExp(regex.source, regex.flags.replace("g", ""));
  for (const passage of passages) {
    if (!voices.includes(passage.voice) || !first.test(passage.text)) continue;
    const shown = masked(passage, mask);
    const hit = first.exec(shown.text);
    const range = hit === null ? NOWHERE : { start: hit.index, end: hit.index + hit[0].length };
    return excerptAt(shown, range);
  }
  return null;
}

/** If a mask hides the match, the excerpt shows the beginning of the text. */
const NOWHERE = { start: 0, end: 0 };

export function masked(passage: Passage, mask: RegexSearch["mask"]): Passage {
  return mask === undefined ? passage : { ...passage, text: mask(passage.text) };
}
