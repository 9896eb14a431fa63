/** Bounds of an outline. */

export const OUTLINE_LIMITS = {
  /** With fewer sentences or less time, a talk has no outline. */
  fewestSentences: 6,
  shortestMs: 30_000,
  /** The number of chapters grows with the square root of the minutes. */
  chaptersPerRoot: 2.2,
  mostChapters: 40,
  /** The shortest length of a chapter, and its smallest share of the average length. */
  shortestChapterMs: 20_000,
  shortestShare: 0.4,
  /** Sentences before and after a place that are compared. */
  comparedSentences: 5,
  /** The number of words about the subject after which no more sentences are compared. */
  comparedTerms: 36,
  /** The score from which a chapter may begin. */
  beginScore: 0.35,
  /** Sentences of a chapter, of the summary, and the items of a kind. */
  chapterSentences: 2,
  summarySentences: 6,
  mostItems: 12,
  titleChars: 60,
  titlePhrases: 3,
  /** The sentences after a question that may answer it. */
  answerSentences: 4,
  /** The distance, before and after, in which a piece may repeat what was heard before a seek back. */
  heardAgainMs: 10_000,
} as const;
