/** Applies a regular expression to the texts of a turn, and finds the part that may be shown. Pure. */

import type { Passage, Voice } from "@continuo/native/index-file";
import { type Excerpt, excerptAt } from "./excerpt.ts";

export interface RegexSearch {
  readonly regex: RegExp;
  readonly mask: ((text: string) => string) | undefined;
  readonly voices: readonly Voice[];
}

/** `null` if no text of these voices matches. */
export function firstMatch(passages: readonly Passage[], search: RegexSearch): Excerpt | null {
  const first = new RegExp(search.regex.source, search.regex.flags.replace("g", ""));
  const passage = passageWith(first, passages, search);
  if (passage === undefined) return null;
  const shown = masked(passage, search.mask);
  const hit = first.exec(shown.text);
  const range = hit === null ? NOWHERE : { start: hit.index, end: hit.index + hit[0].length };
  return excerptAt(shown, range);
}

/** True if `firstMatch` is not `null`; no text is masked. */
export function hasMatch(passages: readonly Passage[], search: Omit<RegexSearch, "mask">): boolean {
  const { source, flags } = search.regex;
  return passageWith(new RegExp(source, flags.replace("g", "")), passages, search) !== undefined;
}

function passageWith(
  first: RegExp,
  passages: readonly Passage[],
  { voices }: Pick<RegexSearch, "voices">,
): Passage | undefined {
  return passages.find(({ voice, text }) => voices.includes(voice) && first.test(text));
}

/** If a mask hides the match, the excerpt shows the beginning of the text. */
const NOWHERE = { start: 0, end: 0 };

export function masked(passage: Passage, mask: RegexSearch["mask"]): Passage {
  return mask === undefined ? passage : { ...passage, text: mask(passage.text) };
}
