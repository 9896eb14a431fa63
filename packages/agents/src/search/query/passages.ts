/** Applies a regular expression to the texts of a turn, and finds the part that may be shown. Pure. */

import type { Passage, Voice } from "@continuo/native/index-file";
import { type Excerpt, excerptAt } from "./excerpt.ts";

export interface RegexSearch {
  /** It must not have the flag `g`, with which a test begins at the end of the last match. */
  readonly regex: RegExp;
  readonly mask: ((text: string) => string) | undefined;
  readonly voices: readonly Voice[];
}

/** The same expression, which finds only the first match in a text. */
export function withoutGlobal({ source, flags }: RegExp): RegExp {
  return new RegExp(source, flags.replace("g", ""));
}

/** `null` if no text of these voices matches. */
export function firstMatch(passages: readonly Passage[], search: RegexSearch): Excerpt | null {
  const passage = passageWith(passages, search);
  if (passage === undefined) return null;
  const shown = masked(passage, search.mask);
  const hit = search.regex.exec(shown.text);
  const range = hit === null ? NOWHERE : { start: hit.index, end: hit.index + hit[0].length };
  return excerptAt(shown, range);
}

/** True if `firstMatch` is not `null`; no text is masked. */
export function hasMatch(passages: readonly Passage[], search: Omit<RegexSearch, "mask">): boolean {
  return passageWith(passages, search) !== undefined;
}

function passageWith(
  passages: readonly Passage[],
  { regex, voices }: Omit<RegexSearch, "mask">,
): Passage | undefined {
  return passages.find(({ voice, text }) => voices.includes(voice) && regex.test(text));
}

/** If a mask hides the match, the excerpt shows the beginning of the text. */
const NOWHERE = { start: 0, end: 0 };

export function masked(passage: Passage, mask: RegexSearch["mask"]): Passage {
  return mask === undefined ? passage : { ...passage, text: mask(passage.text) };
}
