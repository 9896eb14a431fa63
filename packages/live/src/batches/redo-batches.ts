/**
 * While the session's own note writer fails, another writer, the stand-in, writes the batches. These batches are owed
 * to the note writer: when it works again, it receives their evidence, and its drafts replace the notes that the
 * stand-in made from this evidence. Notes that a person changed stay.
 */

import type { NewEvent, Store } from "@continuo/core/model";
import { readSequences } from "../evidence/index.ts";
import { type Embedder, isFields, LIMITS, type NoteRules, type NoteWriter } from "../kit/index.ts";
import type { Follower, LiveFold, OwedBatch } from "../state/index.ts";
import type { Batch, Lane } from "./batches.ts";
import { decideBatch } from "./decide-batch.ts";
import { writeDrafts } from "./drafts.ts";
import { noteRequest } from "./note-request.ts";

export interface RedoOptions {
  readonly store: Store;
  readonly runStore: Store;
  readonly follower: Follower;
  readonly lane: Lane;
  readonly writer: NoteWriter;
  readonly embedder: Embedder;
  readonly rules: NoteRules;
  readonly newId: () => string;
  readonly nowMs: number;
  readonly signal: AbortSignal;
  /** Appends as the owner. Errors: `fenced`, and those of the store. */
  readonly append: (events: readonly NewEvent[]) => Promise<unknown>;
  /** Runs one decision after the other, because decisions change notes. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** The batches of the lane that a stand-in wrote, oldest first. */
export function owedIn({ owed }: Pick<LiveFold, "owed">, lane: Lane): readonly OwedBatch[] {
  return owed.filter((one) => lane === "all" || one.lane === lane);
}

/**
 * Gives the writer as many of the oldest owed batches as one batch can hold. Errors: those of the writer, and those of
 * the store.
 */
export async function redoOwed(options: RedoOptions): Promise<void> {
  const { store, runStore, follower, lane, writer, rules, newId, nowMs, signal } = options;
  const { sessionId, fold } = follower;
  const group = await groupOf(store, sessionId, owedIn(fold, lane));
  const evidence = await readSequences(store, sessionId, group.sequences);
  const given = evidence.map(({ sequence, type, retention, occurredAt }) => {
    return { sequence, type, retention, atMs: Date.parse(occurredAt) };
  });
  const batch: Batch = { batchId: newId(), lane, given, dropped: [], isEnd: false };
  // Events that exceed the size limit of a batch are left out: the notes that the stand-in made from them stay.
  const { request } = await noteRequest({ store, sessionId, fold, batch, evidence, isEnd: false, nowMs });
  const run = { store: runStore, sessionId, batch, request, signal, writer, rules };
  // The memory of the writer belongs to its newest batch, so the memory after these older batches is left out.
  const { memory: _, ...result } = await writeDrafts(run);
  await options.inTurn(async () => {
    const events = await decideBatch(
      {
        batchId: batch.batchId,
        lane,
        sequences: [],
        writer: writer.name,
        result,
        answered: [],
        isEnd: false,
        redoes: group.decisions,
      },
      { ...options, sessionId, fold: follower.fold, standInEvidence: group.owedIds },
    );
    await options.append(events);
  });
}

interface Group {
  /** The sequences of the decisions that are made again. */
  readonly decisions: readonly number[];
  /** The sequences of their evidence, in order. */
  readonly sequences: readonly number[];
  /** The ids of the evidence of all owed batches: a thought may extend beyond one batch. */
  readonly owedIds: ReadonlySet<string>;
}

async function groupOf(store: Store, sessionId: string, owed: readonly OwedBatch[]): Promise<Group> {
  const decisions: number[] = [];
  const sequences: number[] = [];
  const all: number[] = [];
  const events = await readSequences(
    store,
    sessionId,
    owed.map(({ sequence }) => sequence),
  );
  let isFull = false;
  for (const { sequence, data } of events) {
    const decided = isFields(data) && Array.isArray(data.sequences) ? (data.sequences as number[]) : [];
    all.push(...decided);
    isFull ||= decisions.length > 0 && sequences.length + decided.length > LIMITS.batchEvents;
    if (isFull) continue;
    decisions.push(sequence);
    sequences.push(...decided);
  }
  const evidence = await readSequences(store, sessionId, inOrder(all));
  return { decisions, sequences: inOrder(sequences), owedIds: new Set(evidence.map(({ id }) => id)) };
}

function inOrder(sequences: readonly number[]): readonly number[] {
  return [...new Set(sequences)].toSorted((a, b) => a - b);
}
