/** What becomes of drafts: the events of a decision on one batch. */

import type { NewEvent, Store } from "../model/index.ts";
import type { Batch } from "./batches.ts";
import type { LiveFold } from "./fold.ts";
import { noteEvent } from "./note-events.ts";
import type { Decision, Draft, NoteWriterResult } from "./types.ts";

export interface DecideOptions {
  readonly store: Store;
  readonly sessionId: string;
  readonly fold: LiveFold;
  readonly batch: Batch;
  readonly result: NoteWriterResult;
  readonly newId: () => string;
  readonly nowMs: number;
}

/** One `decision_made` for the batch, after its drafts and before its notes. */
export async function decide({ batch, result, newId }: DecideOptions): Promise<readonly NewEvent[]> {
  const { batchId, lane, given } = batch;
  const decisionId = newId();
  const notes: NewEvent[] = [];
  const decisions = result.drafts.map((draft): Decision => {
    const noteId = newId();
    notes.push(written(draft, noteId, decisionId));
    return { draftId: draft.draftId, action: "write", noteId };
  });
  const data = {
    decisionId,
    batchId,
    lane,
    sequences: given.map(({ sequence }) => sequence),
    decisions,
    cost: costOf(result),
    ...(result.memory === undefined ? {} : { memory: result.memory }),
  };
  return [
    ...result.drafts.map((draft) => draftEvent(draft, batchId)),
    { type: "decision_made", data },
    ...notes,
  ];
}

function draftEvent(draft: Draft, batchId: string): NewEvent {
  const { draftId, text, startMs, endMs, confidence, evidence } = draft;
  const data = { draftId, text, mediaTimeMs: startMs, endMs, confidence, evidence, batchId };
  return { type: "draft_written", data };
}

function written(draft: Draft, noteId: string, decisionId: string): NewEvent {
  const { text, startMs, endMs, confidence, evidence } = draft;
  const note = {
    noteId,
    text,
    startMs,
    endMs,
    confidence,
    evidence,
    status: "written",
    lineage: [],
  } as const;
  return noteEvent("note_written", note, { decisionId });
}

function costOf({ usage, costUsd = 0, model }: NoteWriterResult): Readonly<Record<string, number>> {
  return {
    modelCalls: model === undefined ? 0 : 1,
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    costUsd,
  };
}
