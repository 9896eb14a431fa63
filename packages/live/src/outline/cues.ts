/** Sentences that state a decision, and questions that nobody answers. Pure. */

import { languageOf } from "../sentences/index.ts";
import type { KnownSentence } from "./chapters.ts";
import { OUTLINE_LIMITS as LIMITS } from "./limits.ts";

const DECISIONS: Readonly<Record<string, RegExp>> = {
  en: /\b(?:(?:we|they|i|the (?:team|board|group|committee|council|court)) (?:have |has |had )?(?:decided|agreed|settled on|resolved)|(?:let's|let us|we will|we'll) (?:go with|agree (?:on|to)|settle on|stick with)|(?:it (?:is|was) )(?:decided|agreed)|(?:the|our) (?:decision|verdict|conclusion) (?:is|was)|so it is agreed)\b/iu,
  de: /(?:^|\s)(?:(?:haben|hat|habe|hatten|wurde|wird|ist) (?:\p{L}+ ){0,6}(?:beschlossen|entschieden|vereinbart)|(?:haben|hat) (?:\p{L}+ ){0,4}(?:uns|sich) (?:\p{L}+ ){0,6}(?:geeinigt|entschieden)|(?:beschließen|entscheiden uns|einigen uns|vereinbaren)|die entscheidung (?:ist|war|lautet)|es bleibt dabei)(?:\s|[.,!]|$)/iu,
  es: /(?:^|\s)(?:(?:hemos|han|se ha) (?:decidido|acordado)|(?:decidimos|acordamos|decidieron|acordaron)|la decisión (?:es|fue))(?:\s|[.,]|$)/iu,
  fr: /(?:^|\s)(?:(?:avons|ont|a) (?:décidé|convenu)|(?:nous décidons|on a décidé)|la décision (?:est|était))(?:\s|[.,]|$)/iu,
  ja: /(?:ことに(?:しました|決めました|決まりました|決定しました)|に決定(?:しました|です)|と決めました|で合意しました)/u,
  ar: /(?:قررنا|قرروا|قرر|اتفقنا|اتفقوا|القرار هو)/u,
};

const QUESTION = /[?？؟]["'”’»）)」』]*$/u;

export function isQuestion(text: string): boolean {
  return QUESTION.test(text.trimEnd());
}

export function isDecision(text: string, lang: string): boolean {
  return !isQuestion(text) && (DECISIONS[languageOf(lang)]?.test(text) ?? false);
}

/** A question is open if the next sentences have none of its words, and at the end of a talk. */
export function openQuestionsIn(known: readonly KnownSentence[]): readonly KnownSentence[] {
  return known.filter(({ sentence, terms }, at) => {
    if (sentence.kind === "sound" || terms.length < 2 || !isQuestion(sentence.text)) return false;
    const own = new Set(terms);
    const answers = known
      .slice(at + 1, at + 1 + LIMITS.answerSentences)
      .filter(({ sentence: next }) => next.kind === "speech" && !isQuestion(next.text));
    return answers.every((answer) => answer.terms.every((term) => !own.has(term)));
  });
}
