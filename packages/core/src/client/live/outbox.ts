/**
 * The outbox: evidence that was not acknowledged yet. It is a port, so that a page can store the evidence in a place
 * that survives a reload. If a page gives no outbox, the evidence stays in memory.
 */

import type { EvidenceInput } from "../../wire/index.ts";
import type { RecordingBox, StoredRecording } from "./recordings.ts";

export interface OutboxBatch {
  /** The number of the batch for its producer. */
  readonly sequence: number;
  readonly evidence: readonly EvidenceInput[];
}

export interface OutboxState {
  readonly producerId: string;
  /** The session that the numbers belong to. */
  readonly sessionId: string;
  /** The sequence of the next batch. */
  readonly nextSequence: number;
  readonly batches: readonly OutboxBatch[];
}

/** Each call resolves when the change would survive a reload. Calls come one after another. */
export interface Outbox {
  load(): Promise<OutboxState | null>;
  /** Begins a new producer, and replaces everything that was stored before. */
  reset(state: OutboxState): Promise<void>;
  /** Adds a batch; `nextSequence` is one more than its number. */
  add(batch: OutboxBatch): Promise<void>;
  remove(sequence: number): Promise<void>;
  /** The box for recorded speech. If none is given, recordings wait only in memory. */
  readonly recordings?: RecordingBox;
}

export function memoryOutbox(): Outbox {
  let state: OutboxState | null = null;
  const recordings = new Map<string, StoredRecording>();
  return {
    recordings: {
      load: async () => [...recordings.values()],
      add: async (recording) => void recordings.set(recording.id, recording),
      remove: async (id) => void recordings.delete(id),
    },
    load: async () => state,
    reset: async (next) => {
      state = next;
    },
    add: async (batch) => {
      if (state === null) return;
      state = { ...state, nextSequence: batch.sequence + 1, batches: [...state.batches, batch] };
    },
    remove: async (sequence) => {
      if (state === null) return;
      state = { ...state, batches: state.batches.filter((batch) => batch.sequence !== sequence) };
    },
  };
}
