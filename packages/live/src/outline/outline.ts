/** The outline of a talk from its pieces. */

import { isFiller, type Sentence } from "../sentences/index.ts";
import { keySentencesOf, termsOfSentence, textOfSentences } from "../thoughts/index.ts";
import { chaptersIn, type KnownSentence } from "./chapters.ts";
import { isDecision, openQuestionsIn } from "./cues.ts";
import { OUTLINE_LIMITS as LIMITS } from "./limits.ts";
import { spokenSentences } from "./speech.ts";
import { titlesOf } from "./titles.ts";
import type { OutlineItem, OutlineKind, SpokenPiece } from "./types.ts";

/** Empty for a talk that is too short. The pieces are in the order of their sequences. */
export function outlineOf(pieces: readonly SpokenPiece[]): readonly OutlineItem[] {
  const steps = outlineSteps(pieces);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Does the same in small steps, between which other work can run. */
export function* outlineSteps(pieces: readonly SpokenPiece[]): Generator<void, readonly OutlineItem[], void> {
  const sentences = yield* spokenSentences(pieces);
  const known: KnownSentence[] = [];
  for (const sentence of sentences) {
    known.push({ sentence, terms: termsOfSentence(sentence) });
    yield;
  }
  if (isTooShort(sentences)) return [];
  const chapters = chaptersIn(known)
    .map((chapter) => chapter.map(({ sentence }) => sentence))
    .filter((chapter) => chapter.some(({ kind }) => kind === "speech"));
  yield;
  const titles = yield* titlesOf(chapters);
  const items: OutlineItem[] = [];
  const tellings: Sentence[] = [];
  for (const [n, chapter] of chapters.entries()) {
    const chosen = keySentencesOf(chapter, LIMITS.chapterSentences);
    const shown = chosen.length > 0 ? chosen : chapter.filter(({ kind }) => kind === "speech").slice(0, 1);
    items.push(
      chapterItem(chapter, { shown, title: titles[n] ?? "", nextMs: chapters[n + 1]?.[0]?.startMs }),
    );
    tellings.push(...keySentencesOf(chapter, 1));
    yield;
  }
  const summary = keySentencesOf(tellings, LIMITS.summarySentences).map((one) => item("summary", one));
  return [...summary, ...items, ...decisionsIn(known), ...questionsIn(known)];
}

function isTooShort(sentences: readonly Sentence[]): boolean {
  const telling = sentences.filter(({ kind, text, lang }) => kind === "speech" && !isFiller(text, lang));
  const lengthMs = (telling.at(-1)?.endMs ?? 0) - (telling[0]?.startMs ?? 0);
  return telling.length < LIMITS.fewestSentences || lengthMs < LIMITS.shortestMs;
}

function chapterItem(
  chapter: readonly Sentence[],
  {
    shown,
    title,
    nextMs,
  }: {
    readonly shown: readonly Sentence[];
    readonly title: string;
    readonly nextMs: number | undefined;
  },
): OutlineItem {
  const endMs = Math.max(...chapter.map((sentence) => sentence.endMs));
  const startMs = chapter[0]?.startMs ?? 0;
  return {
    kind: "chapter",
    title,
    text: textOfSentences(shown),
    startMs,
    endMs: Math.max(startMs, Math.min(endMs, nextMs ?? endMs)),
    pieces: piecesOf(shown),
  };
}

function decisionsIn(known: readonly KnownSentence[]): readonly OutlineItem[] {
  return known
    .filter(({ sentence }) => sentence.kind === "speech" && isDecision(sentence.text, sentence.lang))
    .slice(-LIMITS.mostItems)
    .map(({ sentence }) => item("decision", sentence));
}

function questionsIn(known: readonly KnownSentence[]): readonly OutlineItem[] {
  return openQuestionsIn(known)
    .slice(-LIMITS.mostItems)
    .map(({ sentence }) => item("question", sentence));
}

function item(kind: Exclude<OutlineKind, "chapter">, sentence: Sentence): OutlineItem {
  const { startMs, endMs } = sentence;
  return {
    kind,
    title: null,
    text: textOfSentences([sentence]),
    startMs,
    endMs: Math.max(startMs, endMs),
    pieces: piecesOf([sentence]),
  };
}

function piecesOf(sentences: readonly Sentence[]): readonly number[] {
  return [...new Set(sentences.flatMap(({ pieces }) => pieces))].toSorted((a, b) => a - b);
}
