/** Thresholds of notes and levels that a server can set. */

import { ContinuoError } from "@continuo/core/model";
import { LIMITS } from "./limits.ts";

/** The rules by which drafts become notes. */
export interface NoteRules {
  /** The share of the shorter span from which two notes are at the same place, 0 to 1; 0.5 by default. */
  readonly overlap: number;
  /** The cosine from which two texts say the same, 0 to 1; that of the embedder by default. */
  readonly similarity: number | null;
  /** Drafts below this confidence are asked about, 0 to 1; 0.6 by default. */
  readonly confidence: number;
  /** The questions to a person that are open at once in a session; 20 by default, 0 for none. */
  readonly openQuestions: number;
  /** The tokens of the evidence that the writer gets with a draft that is not sure; 4,000 by default. */
  readonly questionTokens: number;
}

/** The depths at which the level of a session changes; 25, 50 and 100 by default. */
export interface LevelDepths {
  /** Below this depth, the level is `normal` again. */
  readonly normal: number;
  readonly warning: number;
  readonly critical: number;
}

export const NOTE_RULES: NoteRules = {
  overlap: LIMITS.sameOverlap,
  similarity: null,
  confidence: LIMITS.lowConfidence,
  openQuestions: LIMITS.openRequests,
  questionTokens: LIMITS.widestTokens,
};

export const LEVEL_DEPTHS: LevelDepths = {
  normal: LIMITS.normalDepth,
  warning: LIMITS.warningDepth,
  critical: LIMITS.criticalDepth,
};

/** Errors: `invalid`. */
export function noteRules(given: Partial<NoteRules> = {}): NoteRules {
  const rules = { ...NOTE_RULES, ...given };
  const shares = [rules.overlap, rules.similarity ?? 1, rules.confidence];
  const counts = [rules.openQuestions, rules.questionTokens];
  if (shares.every((one) => one >= 0 && one <= 1) && counts.every(isCount)) return rules;
  throw new ContinuoError("invalid", "a rule of notes is out of its range", {
    hint: "Use 0 to 1 for overlap, similarity and confidence, and whole numbers for the others.",
    details: { ...rules },
  });
}

/** Errors: `invalid`. */
export function levelDepths(given: Partial<LevelDepths> = {}): LevelDepths {
  const depths = { ...LEVEL_DEPTHS, ...given };
  const { normal, warning, critical } = depths;
  if ([normal, warning, critical].every(isCount) && normal > 0 && normal <= warning && warning < critical) {
    return depths;
  }
  throw new ContinuoError("invalid", "the depths of the levels are not in order", {
    hint: "Use whole numbers from 1: normal is at most warning, and warning is below critical.",
    details: { ...depths },
  });
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
