/** The words of continuous sessions, and the ports: who writes notes, who measures likeness, who hears. */

import type { AgentRequest, StoredEvent, Usage } from "../model/index.ts";
import type { Note, Span } from "../wire/index.ts";

export type {
  Acknowledgement,
  BlobPointer,
  BudgetState,
  EvidenceBatch,
  EvidenceInput,
  FrameTier,
  Lanes,
  Level,
  LiveCost,
  LiveHealth,
  LiveSession,
  LiveSessionRequest,
  LiveState,
  Note,
  NoteOperation,
  NoteStatus,
  OpenedLiveSession,
  PurgeWarning,
  ReportedState,
  Span,
} from "../wire/index.ts";

/** Time as a port: a test steps it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, and never at once. The result cancels it. */
  after(ms: number, call: () => void): () => void;
}

/** Evidence as notes are made of it: an event of the log, and its place in the medium. */
export interface EvidenceItem extends Span {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
  readonly retention: "critical" | "supplementary";
  /** What was said or seen, as text; empty where there is no text. */
  readonly text: string;
  readonly lang?: string;
  readonly event: StoredEvent;
}

/** What the agent proposes as a note. */
export interface Draft extends Span {
  readonly draftId: string;
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** Ids of the events that it is made of. */
  readonly evidence: readonly string[];
  /** What the person is asked when the confidence stays below 0.6. */
  readonly question?: string;
}

/** A draft of the first try that was not sure, and the evidence of up to 60 s to either side of it. */
export interface UnsureDraft {
  readonly draft: Draft;
  readonly evidence: readonly EvidenceItem[];
}

/** A draft that a person was asked about, and what the person said; the answer is also part of the batch. */
export interface AnsweredDraft {
  readonly requestId: string;
  readonly draft: Draft;
  readonly answer: EvidenceItem;
}

export type NoteAction = "write" | "update" | "merge" | "ask" | "keep";

/**
 * What became of one draft, as `decision_made` records it. `keep`: an existing note stays as it is (a person edited
 * it, or it was revised often enough), and the draft is not used.
 */
export interface Decision {
  readonly draftId: string;
  readonly action: NoteAction;
  /** The note that was written, updated, or came out of a merge; for `keep` the note that stays. */
  readonly noteId?: string;
  /** The notes that were merged. */
  readonly sources?: readonly string[];
  /** Of the note that was updated, or of the notes that were merged, as they were before. */
  readonly hashes?: readonly string[];
  /** Of `ask`. */
  readonly requestId?: string;
  /** Of the likeliest note that was looked at. */
  readonly overlap?: number;
  readonly cosine?: number;
  readonly reason?: string;
}

export interface NoteRequest {
  readonly sessionId: string;
  readonly batchId: string;
  readonly videoId: string;
  readonly title: string | null;
  /** The batch, in the order of the log. */
  readonly evidence: readonly EvidenceItem[];
  /** The newest notes, oldest first. */
  readonly notes: readonly Note[];
  /** Notes of the sessions of this key that ended before. */
  readonly inherited: readonly Note[];
  /** What the writer returned as `memory` the last time; `null` at first. */
  readonly memory: unknown;
  /** Not empty when the writer is asked again: drafts with the same `draftId` take the place of these. */
  readonly unsure: readonly UnsureDraft[];
  /** Drafts that the person answered for. */
  readonly answered: readonly AnsweredDraft[];
  /** Evidence around a time of the medium, most useful first; ends at the token budget. */
  readonly context: (timestampMs: number, options?: ContextWindowOptions) => AsyncIterable<EvidenceItem>;
}

export interface ContextWindowOptions {
  /** To either side of the time; 3,000 where none is given. */
  readonly primaryWindowMs?: number;
  /** Used when confidence is below 0.6 or the first window has fewer than 3 critical items; 10,000. */
  readonly secondaryWindowMs?: number;
  /** 1,500 where none is given. */
  readonly tokenBudget?: number;
  readonly confidence?: () => number;
  readonly signal?: AbortSignal;
}

export interface NoteWriterResult {
  readonly drafts: readonly Draft[];
  /** The writer's understanding of the conversation: plain JSON, kept in the checkpoint. */
  readonly memory?: unknown;
  readonly model?: string;
  /** 1 where none is given and `model` is. */
  readonly modelCalls?: number;
  readonly usage?: Usage;
  readonly costUsd?: number;
}

/** A question of a person, with the notes and the evidence that may answer it, likeliest first. */
export interface AskRequest {
  readonly sessionId: string;
  readonly videoId: string;
  readonly title: string | null;
  readonly question: string;
  /** Where in the medium it was asked. */
  readonly mediaTimeMs: number | null;
  readonly notes: readonly Note[];
  readonly evidence: readonly EvidenceItem[];
  readonly memory: unknown;
}

export interface AskResult {
  readonly text: string;
  /** Ids of the events and notes that the answer is made of. */
  readonly evidence: readonly string[];
  readonly noteIds: readonly string[];
  readonly model?: string;
  readonly usage?: Usage;
  readonly costUsd?: number;
}

export interface WriteOptions {
  readonly signal: AbortSignal;
  /** The turn of the run that asks, for writers that pass it on to an agent. */
  readonly turn: AgentRequest;
}

/** Of one session; a limit that is left out does not exist. */
export interface LiveBudget {
  /** Of input and output together. */
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
}

/** Makes drafts from evidence. It must be safe to call again with the same batch. */
export interface NoteWriter {
  readonly name: string;
  write(request: NoteRequest, options: WriteOptions): Promise<NoteWriterResult>;
  /** Answers a question; without it, the likeliest note or evidence is quoted. */
  answer?(request: AskRequest, options: WriteOptions): Promise<AskResult>;
}

/** Texts as vectors. `threshold` is the cosine from which two notes say the same. */
export interface Embedder {
  readonly name: string;
  readonly threshold: number;
  embed(
    texts: readonly string[],
    options: { readonly signal?: AbortSignal },
  ): Promise<readonly (readonly number[])[]>;
}

/** One recording of a speech segment: a complete file. */
export interface AudioChunk extends Span {
  readonly bytes: Uint8Array;
  readonly mediaType: "audio/webm" | "audio/wav";
  readonly lang?: string;
}

export interface TranscribedSegment extends Span {
  readonly text: string;
  readonly confidence?: number;
  readonly speaker?: string;
}

export interface Transcriber {
  readonly name: string;
  transcribe(
    chunk: AudioChunk,
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly segments: readonly TranscribedSegment[]; readonly lang?: string }>;
}
