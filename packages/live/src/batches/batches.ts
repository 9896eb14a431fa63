/** Batches: the evidence that the note writer receives together, in one run of the session manager. */

import {
  type Agent,
  type AgentRequest,
  type AgentResult,
  ContinuoError,
  isContinuoError,
  isTurnComplete,
  type NewEvent,
  present,
  type Run,
  type Store,
} from "@continuo/core/model";
import { cancelRun, executeRun, startRun } from "@continuo/store/sessions";
import { rangesOf } from "../evidence/index.ts";
import {
  isFields,
  LIMITS,
  type NoteRequest,
  type NoteWriter,
  type NoteWriterResult,
  openSideLog,
} from "../kit/index.ts";
import { countsByType, type LiveFold, type PendingEvidence, shed } from "../state/index.ts";
import { measureCall } from "../writers/index.ts";

export type Lane = "all" | "critical" | "supplementary";

export interface Batch {
  readonly batchId: string;
  readonly lane: Lane;
  readonly given: readonly PendingEvidence[];
  /** Stored, but not given to the model. */
  readonly dropped: readonly PendingEvidence[];
  /** Set if the window closed by itself, so that more evidence may follow. */
  readonly goesOn?: true;
  /** True if the batch has no evidence, and the writer finishes what it left open. */
  readonly isEnd: boolean;
}

export function lanesOf({ lanes }: Pick<LiveFold, "lanes">): readonly Lane[] {
  return lanes === "split" ? ["critical", "supplementary"] : ["all"];
}

export function isInLane(lane: Lane, { retention }: Pick<PendingEvidence, "retention">): boolean {
  return lane === "all" || lane === retention;
}

/** Makes a batch of the oldest pending evidence of the lane; `null` if there is none. */
export function planBatch(fold: LiveFold, lane: Lane, batchId: string): Batch | null {
  const pending = [...fold.pending.values()].filter((one) => isInLane(lane, one));
  const { given, dropped } = shed(pending);
  if (pending.length === 0) return null;
  return { batchId, lane, given: given.slice(0, LIMITS.batchEvents), dropped, isEnd: false };
}

/** `evidence_dropped` with the counts by type; no event if nothing was dropped. */
export function droppedEvents({ batchId, dropped }: Batch, occurredAt: string): readonly NewEvent[] {
  if (dropped.length === 0) return [];
  const data = {
    count: dropped.length,
    kinds: countsByType(dropped),
    reason: "load",
    batchId,
    sequences: dropped.map(({ sequence }) => sequence),
  };
  return [{ type: "evidence_dropped", data, occurredAt }];
}

export interface BatchRunOptions {
  /**
   * A separate view of the store with its own slots, so that runs of continuous sessions do not use up those of other
   * runs.
   */
  readonly store: Store;
  readonly sessionId: string;
  readonly writer: NoteWriter;
  readonly batch: Batch;
  readonly request: NoteRequest;
  readonly signal: AbortSignal;
}

/** Makes one try. Errors: `agent_failed` with the reason, and those of the store. */
export async function runBatch(options: BatchRunOptions): Promise<NoteWriterResult> {
  const { store, sessionId, writer, batch, request, signal } = options;
  const { batchId, lane, given } = batch;
  const sequences = given.map(({ sequence }) => sequence);
  let written: NoteWriterResult | undefined;
  await runTurn({
    store,
    sessionId,
    beside: lane === "supplementary" ? "supplementary" : null,
    name: writer.name,
    input: batch.isEnd ? "Write what is open." : `Write notes from the events ${rangesOf(sequences)}.`,
    metadata: { live: { batchId, lane, sequences } },
    signal,
    turn: async (turn, turnSignal) => {
      written = await measureCall(writer.name, async () =>
        withVideos(checked(await writer.write(request, { signal: turnSignal, turn })), request),
      );
      const { drafts, memory, usage, costUsd } = written;
      return present({ value: { drafts, memory: memory ?? null }, usage, costUsd });
    },
  });
  if (written !== undefined) return written;
  throw new ContinuoError("agent_failed", `${writer.name} wrote no notes`, { details: { batchId } });
}

export interface TurnOptions {
  readonly store: Store;
  readonly sessionId: string;
  /** The side log that holds the run; `null` if the run is in the session itself. */
  readonly beside: "supplementary" | "questions" | "replay" | "page" | null;
  readonly name: string;
  readonly input: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly turn: (request: AgentRequest, signal: AbortSignal) => Promise<AgentResult>;
}

/** Completes one run. Errors: `agent_failed` with the reason, and those of the store. */
export async function runTurn(options: TurnOptions): Promise<void> {
  const { store, sessionId, beside, name, input, metadata, signal, turn } = options;
  const runSessionId = beside === null ? sessionId : await openSideLog(store, sessionId, beside);
  if (beside !== "questions") await cancelLeft(store, runSessionId);
  const run: Run = await startRun(store, runSessionId, input, present({ agent: name, metadata, signal }));
  const agent: Agent = { name, execute: (request, { signal: runSignal }) => turn(request, runSignal) };
  const result = await executeRun(store, agent, run.runId, {
    continuation: false,
    leaseMs: LIMITS.runLeaseMs,
    maxParallel: LIMITS.parallelRuns,
    timeoutMs: LIMITS.writerMs,
    graceMs: LIMITS.writerLeavesMs,
    signal,
  });
  if (isTurnComplete(result.status)) return;
  const message = result.status === "failed" ? result.error.message : `the run ended as ${result.status}`;
  throw new ContinuoError("agent_failed", `${name} failed: ${message}`, {
    details: { status: result.status },
  });
}

/**
 * Cancels runs of an earlier owner. The owner starts runs one after the other, so a waiting run is from an owner that
 * is gone: it would block later runs, and many of them would use up all slots.
 */
async function cancelLeft(store: Store, sessionId: string): Promise<void> {
  for (;;) {
    const { items } = await store.listRuns({ sessionId, status: "pending", limit: 100 });
    for (const { runId } of items) {
      try {
        await cancelRun(store, runId, { reason: "the server that started it no longer owns the session" });
      } catch (error) {
        // The run has ended in the meantime.
        if (!isContinuoError(error, "invalid_transition")) throw error;
      }
    }
    if (items.length < 100) return;
  }
}

/** Checks the result of a writer, which comes from a model. Errors: `agent_failed`. */
function checked(result: NoteWriterResult): NoteWriterResult {
  const drafts: unknown = isFields(result) ? result.drafts : undefined;
  if (Array.isArray(drafts) && drafts.length <= LIMITS.draftsPerBatch && drafts.every(isDraft)) {
    if (JSON.stringify(result.memory ?? null).length <= LIMITS.rememberedChars) return result;
    // A memory that is too long is left out, so that the earlier one stays.
    const { memory: _, ...rest } = result;
    return rest;
  }
  throw new ContinuoError("agent_failed", "the note writer returned no drafts that can be read");
}

/** If the writer does not name the video of a draft, it is the video of the draft's evidence. */
function withVideos(result: NoteWriterResult, { evidence }: NoteRequest): NoteWriterResult {
  const videos = new Map(
    evidence.flatMap(({ id, videoId }) => (videoId === undefined ? [] : [[id, videoId]])),
  );
  if (videos.size === 0) return result;
  const drafts = result.drafts.map((draft) => {
    const [first = ""] = draft.evidence;
    const videoId = draft.videoId ?? videos.get(first);
    return videoId === undefined ? draft : { ...draft, videoId };
  });
  return { ...result, drafts };
}

function isDraft(draft: unknown): boolean {
  if (!isFields(draft)) return false;
  const { draftId, text, startMs, endMs, confidence, evidence, question, videoId } = draft;
  return (
    typeof draftId === "string" &&
    typeof text === "string" &&
    text !== "" &&
    text.length <= LIMITS.textChars &&
    Number.isSafeInteger(startMs) &&
    Number.isSafeInteger(endMs) &&
    Number(startMs) >= 0 &&
    Number(endMs) >= Number(startMs) &&
    typeof confidence === "number" &&
    confidence >= 0 &&
    confidence <= 1 &&
    Array.isArray(evidence) &&
    evidence.length <= LIMITS.noteEvidence &&
    evidence.every((id) => typeof id === "string") &&
    (videoId === undefined || (typeof videoId === "string" && videoId.length <= LIMITS.nameLength)) &&
    (question === undefined || (typeof question === "string" && question.length <= LIMITS.textChars))
  );
}
