/** Sentences of an agent, and which of them report a decision or an open task. Pure. */

const MAX_TEXT_CHARS = 20_000;
const MAX_SENTENCE_CHARS = 1_000;
const MIN_SENTENCE_CHARS = 12;

/** Lines, and sentences within them; code and very short sentences are left out. */
export function sentencesOf(text: string): string[] {
  return text
    .slice(0, MAX_TEXT_CHARS)
    .replace(/^(`{3,}|~{3,})[\s\S]*?^\1/gmu, "\n")
    .split(/\n+|(?<=[.!?。！？])\s+(?=\S)/u)
    .map((sentence) => sentence.replace(/^[\s>#*•\-–\d.)]*\s/u, "").trim())
    .filter((sentence) => sentence.length >= MIN_SENTENCE_CHARS && sentence.length <= MAX_SENTENCE_CHARS);
}

/** Covers the languages that people use most with agents; sentences in other languages are not found. */
const DECIDED =
  /\b(?:decid(?:ed|es?)|decision|agreed|chose|chosen|settled on|going with|went with|instead of|rather than|root cause|the cause (?:is|was)|because|so that|(?:we|i)(?:'ll| will| should| must| now)? (?:use|keep|drop|switch|replace|avoid|move|store)|must (?:not|be)|never|always|entschieden|stattdessen|weil|ursache|décidé|plutôt que|parce que|decidimos|en lugar de|porque|решили|вместо|потому что)\b|決め|代わりに|决定|因为|改为/iu;

const OPEN =
  /\?\s*$|？\s*$|\b(?:todo|to do|fixme|not yet|still (?:need|miss|fail|open|to)\w*|remain(?:s|ing)|next steps?|left to do|follow[- ]up|unresolved|could not|cannot|noch nicht|offen|reste à|pas encore|falta|pendiente|осталось|ещё не)\b|まだ|还没|尚未/iu;

export function isDecision(sentence: string): boolean {
  return DECIDED.test(sentence) && !sentence.endsWith("?");
}

export function isOpen(sentence: string): boolean {
  return OPEN.test(sentence);
}
