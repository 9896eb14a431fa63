/** The decision on one batch as events: drafts, `decision_made`, notes, and questions to the person. */

import { type NewEvent, present, type Store } from "@continuo/core/model";
import {
  type Draft,
  type Embedder,
  isoOf,
  LIMITS,
  type NoteRules,
  type NoteWriterResult,
  overlapOf,
} from "../kit/index.ts";
import { FULL, noteEventsOf, readNotes } from "../notes/index.ts";
import { type LiveFold, roomForNotes } from "../state/index.ts";
import { lexicalEmbedder } from "../writers/index.ts";
import type { Lane } from "./batches.ts";
import { type ComparedDraft, type ComparedNote, type DraftDecision, decideDrafts } from "./decide.ts";

export interface DecideOptions {
  readonly store: Store;
  readonly sessionId: string;
  readonly fold: LiveFold;
  readonly embedder: Embedder;
  readonly newId: () => string;
  readonly nowMs: number;
  readonly rules: NoteRules;
  /**
   * A note that has only this evidence comes from a stand-in: a draft at its place replaces it, whatever the draft
   * says.
   */
  readonly standInEvidence?: ReadonlySet<string>;
  readonly signal?: AbortSignal;
}

export interface BatchDecision {
  readonly batchId: string;
  readonly lane: Lane;
  readonly sequences: readonly number[];
  readonly writer: string;
  /** One sentence that says why this writer stands in for the session's own. */
  readonly standsInFor?: string;
  readonly result: NoteWriterResult;
  /** Drafts about which a person has answered questions. No further question is asked about them. */
  readonly answered: readonly Draft[];
  /** True if the writer had no new evidence, and wrote what it had left open. */
  readonly isEnd: boolean;
  /** The sequences of the stand-in's decisions that this one replaces. */
  readonly redoes?: readonly number[];
}

/**
 * Returns the events: drafts first, then one `decision_made` for the batch, then its notes and its questions to a
 * person. Errors: those of the store, and those of the embedder.
 */
export async function decideBatch(
  batch: BatchDecision,
  options: DecideOptions,
): Promise<readonly NewEvent[]> {
  const { batchId, lane, sequences, writer, standsInFor, result, answered, isEnd, redoes } = batch;
  const { fold, rules } = options;
  let free = rules.openQuestions - fold.requests.size;
  const mayAsk = (draft: Draft): boolean =>
    !answered.some((one) => overlapOf(one, draft) >= rules.overlap) && free-- > 0;
  const decided = await decideAll(result.drafts, mayAsk, options);
  const decisionId = options.newId();
  const data = {
    decisionId,
    batchId,
    lane,
    sequences,
    writer,
    decisions: decided.map(({ decision }) => decision),
    cost: costOf(result),
    ...(isEnd ? { isEnd } : {}),
    ...(standsInFor === undefined ? {} : { standsInFor }),
    ...(redoes === undefined ? {} : { redoes }),
    ...(result.memory === undefined ? {} : { memory: result.memory }),
  };
  return [
    ...decided.map(({ draft }) => draftEvent(draft, batchId)),
    // The id follows from the batch: an append that is repeated because its result was lost stores the decision once.
    { type: "decision_made", id: `decided/${batchId}`, data },
    ...eventsAfter(decided, decisionId),
    ...decided.flatMap((one) => requestEvents(one, options)),
    ...fullEvents(decided, fold),
  ];
}

/**
 * Decides drafts whose question nobody answered: each becomes an unsure note, unless a note with the same content
 * already exists. Asks no model.
 */
export async function decideUnanswered(
  requests: readonly { readonly requestId: string; readonly draft: Draft }[],
  options: Omit<DecideOptions, "embedder">,
): Promise<readonly NewEvent[]> {
  const drafts = requests.map(({ draft }) => draft);
  const decided = await decideAll(drafts, () => false, { ...options, embedder: lexicalEmbedder() });
  const decisionId = options.newId();
  const data = {
    decisionId,
    sequences: [],
    requests: requests.map(({ requestId }) => requestId),
    decisions: decided.map(({ decision }) => decision),
  };
  // The confidence of a draft changes if it repeats what a note says.
  const weighed = decided.filter(({ draft }, n) => draft.confidence !== drafts[n]?.confidence);
  return [
    ...weighed.map(({ draft }) => draftEvent(draft, decisionId)),
    { type: "decision_made", data },
    ...eventsAfter(decided, decisionId),
    ...fullEvents(decided, options.fold),
  ];
}

async function decideAll(
  drafts: readonly Draft[],
  mayAsk: (draft: Draft) => boolean,
  options: DecideOptions,
): Promise<readonly DraftDecision[]> {
  const { embedder, newId, fold, rules } = options;
  const { overlap, confidence } = rules;
  let room = roomForNotes(fold.notes);
  const mayWrite = (): boolean => room-- > 0;
  const notes = await notesNear(drafts, options);
  if (notes.length === 0 && drafts.length < 2) {
    return decideDrafts(
      drafts.map((draft) => ({ draft, vector: [] })),
      [],
      { threshold: 1, overlap, confidence, newId, mayAsk, mayWrite },
    );
  }
  const texts = [...drafts, ...notes.map(({ note }) => note)].map(({ text }) => text);
  const vectors = await embedder.embed(texts, options.signal === undefined ? {} : { signal: options.signal });
  const compared = drafts.map((draft, n): ComparedDraft => ({ draft, vector: vectors[n] ?? [] }));
  const known = notes.map((one, n): ComparedNote => ({ ...one, vector: vectors[drafts.length + n] ?? [] }));
  const threshold = rules.similarity ?? embedder.threshold;
  return decideDrafts(compared, known, { threshold, overlap, confidence, newId, mayAsk, mayWrite });
}

/** The notes at the places of the drafts, only the most recently changed ones. */
async function notesNear(
  drafts: readonly Draft[],
  { store, sessionId, fold, nowMs, rules, standInEvidence }: DecideOptions,
): Promise<readonly Omit<ComparedNote, "vector">[]> {
  const entries = [...fold.notes.values()]
    // A note that a person removed is compared too, so that nothing brings it back.
    .filter(({ status, removed }) => status !== "archived" || removed !== undefined)
    .filter((entry) => drafts.some((draft) => overlapOf(draft, entry) >= rules.overlap))
    .slice(-LIMITS.comparedNotes);
  const byId = new Map(entries.map((entry) => [entry.noteId, entry]));
  const notes = await readNotes(store, sessionId, entries);
  return notes.map(({ hash, by, ...note }) => ({
    note,
    hash,
    isStandIn: note.evidence.length > 0 && note.evidence.every((id) => standInEvidence?.has(id)),
    by: note.status === "accepted" ? "person" : by,
    revisions: (byId.get(note.noteId)?.revisedAtMs ?? []).filter((at) => nowMs - at < LIMITS.revisionMs)
      .length,
  }));
}

function eventsAfter(decided: readonly DraftDecision[], decisionId: string): readonly NewEvent[] {
  return decided.flatMap(({ decision, draft, bases }) =>
    noteEventsOf(decision, { draft, bases, decisionId }),
  );
}

/** The event that reports the limit of notes in the session's health, unless it is the last error there already. */
function fullEvents(decided: readonly DraftDecision[], { health }: LiveFold): readonly NewEvent[] {
  const isFull = decided.some(({ decision }) => decision.reason === FULL);
  return isFull && health.lastError !== FULL ? [{ type: "error_raised", data: { message: FULL } }] : [];
}

/** The request contains the draft, so that a draft that is pruned later can still become a note. */
function requestEvents({ draft, decision }: DraftDecision, { nowMs }: DecideOptions): readonly NewEvent[] {
  const { action, requestId } = decision;
  if (action !== "ask" || requestId === undefined) return [];
  const { draftId, text, startMs, endMs, confidence, evidence, question, videoId } = draft;
  const expiresAt = isoOf(nowMs + LIMITS.answerMs);
  const data = { requestId, draftId, text, confidence, evidence, mediaTimeMs: startMs, endMs, expiresAt };
  return [{ type: "context_requested", data: { ...data, ...present({ question, videoId }) } }];
}

export function draftEvent(draft: Draft, batchId: string): NewEvent {
  const { draftId, text, startMs, endMs, confidence, evidence, videoId } = draft;
  const data = { draftId, text, mediaTimeMs: startMs, endMs, confidence, evidence, batchId };
  return { type: "draft_written", data: { ...data, ...present({ videoId }) } };
}

function costOf({
  usage,
  costUsd = 0,
  model,
  modelCalls,
}: NoteWriterResult): Readonly<Record<string, number>> {
  return {
    modelCalls: modelCalls ?? (model === undefined ? 0 : 1),
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    costUsd,
  };
}
