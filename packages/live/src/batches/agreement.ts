/**
 * A draft at the place of a note with the same content changes the confidence of the note: the confidence rises if both
 * texts agree, and falls if they do not. Pure.
 */

import { type Draft, LIMITS } from "../kit/index.ts";
import type { NoteContent } from "../notes/index.ts";

type Opinion = Pick<NoteContent, "text" | "confidence" | "evidence">;

/**
 * The confidence of the note that is made of earlier notes and a draft at the same place with the same content. Only a
 * draft with evidence of its own counts as another opinion; a draft that expresses the same evidence in other words
 * keeps the higher confidence. Texts disagree if both have numbers but none in common, or if only one has a negation.
 */
export function confidenceOf(draft: Draft, bases: readonly Opinion[]): number {
  let { confidence } = draft;
  let evidence = new Set(draft.evidence);
  for (const base of bases) {
    const [low, high] = [Math.min(confidence, base.confidence), Math.max(confidence, base.confidence)];
    const isOwn = base.evidence.length > 0 && base.evidence.every((id) => !evidence.has(id));
    if (disagree(draft.text, base.text)) confidence = low * LIMITS.disagreement;
    else confidence = isOwn ? high + (1 - high) * low * LIMITS.agreement : high;
    evidence = new Set([...evidence, ...base.evidence]);
  }
  return Math.round(Math.min(LIMITS.mostConfidence, Math.max(0, confidence)) * 1_000) / 1_000;
}

/** True if both texts have numbers but none in common, or if only one of them has a negation. */
function disagree(a: string, b: string): boolean {
  const [one, other] = [numbersIn(a), numbersIn(b)];
  const isOther = one.size > 0 && other.size > 0 && [...one].every((number) => !other.has(number));
  return isOther || NEGATION.test(a) !== NEGATION.test(b);
}

function numbersIn(text: string): ReadonlySet<string> {
  return new Set(text.normalize("NFKC").match(/\p{N}+(?:[.,:]\p{N}+)*/gu) ?? []);
}

const NEGATION =
  /(?<!\p{L})(?:not|never|nobody|nothing|cannot|\p{L}+n['’]t|nicht|nie|niemals|kein(?:e[mnrs]?)?|niemand|nunca|jamais|ne\s+\p{L}+\s+pas|niet|nooit|geen|لا|لم|لن|ليس)(?!\p{L})|(?:ない|ません|なかった|没有|不是)/iu;
