/** The types of continuous sessions and their ports: note writers, embedders, transcribers, the clock. */

import type { AgentRequest, StoredEvent, Usage } from "@continuo/core/model";
import type { Note, OfferedWriter, PageItem, Span } from "@continuo/core/wire";

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
} from "@continuo/core/wire";

/** Time as a port, which tests control. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, never synchronously. The returned function cancels it. */
  after(ms: number, call: () => void): () => void;
}

/** Evidence as a note writer receives it: an event of the log with its place in the medium. */
export interface EvidenceItem extends Span {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
  readonly retention: "critical" | "supplementary";
  /** The text of the words that a person said or that the medium showed; empty if there is none. */
  readonly text: string;
  readonly lang?: string;
  /** The video of its place, if that is not the video of the session. */
  readonly videoId?: string;
  readonly event: StoredEvent;
}

/** A note that the writer proposes. */
export interface Draft extends Span {
  readonly draftId: string;
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** Ids of the events that the draft is based on. */
  readonly evidence: readonly string[];
  /** The question to the person if the confidence stays below the limit (0.6 by default). */
  readonly question?: string;
  /** The video of its span, if that is not the video of the session; by default that of its evidence in the request. */
  readonly videoId?: string;
}

/**
 * An unsure draft of the first try, with the evidence within 60 s of its middle that the writer did not receive yet.
 */
export interface UnsureDraft {
  readonly draft: Draft;
  readonly evidence: readonly EvidenceItem[];
}

/** A draft about which a person was asked, with the answer, which is also part of the batch. */
export interface AnsweredDraft {
  readonly requestId: string;
  readonly draft: Draft;
  readonly answer: EvidenceItem;
}

export type NoteAction = "write" | "update" | "merge" | "ask" | "keep";

/**
 * The decision on one draft, as `decision_made` records it. With `keep`, the draft is not used; `reason` says why, for
 * example because a person edited the note, or because the session has no room for another note.
 */
export interface Decision {
  readonly draftId: string;
  readonly action: NoteAction;
  /** The note that was written, updated or merged; for `keep`, the note that stays unchanged, if there is one. */
  readonly noteId?: string;
  /** The notes that were merged. */
  readonly sources?: readonly string[];
  /** Hashes of the updated or merged notes before the decision. */
  readonly hashes?: readonly string[];
  /** The id of the request, for `ask`. */
  readonly requestId?: string;
  /** The overlap with the most similar compared note. */
  readonly overlap?: number;
  readonly cosine?: number;
  /** The confidence below which its note is unsure, if it is not 0.6. */
  readonly unsureBelow?: number;
  readonly reason?: string;
}

/** A picture of a frame, for a model. */
export interface NotePicture {
  /** The id of the frame's event. */
  readonly evidenceId: string;
  readonly atMs: number;
  readonly mediaType: string;
  readonly data: Uint8Array;
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
  /** Notes of the key's earlier sessions. */
  readonly inherited: readonly Note[];
  /** The `memory` of the writer's last result; `null` at first. */
  readonly memory: unknown;
  /** Not empty when the writer is asked again: a draft with the same `draftId` replaces one of these. */
  readonly unsure: readonly UnsureDraft[];
  /** Drafts below this confidence are asked about, 0 to 1; 0.6 by default. */
  readonly unsureBelow?: number;
  /** Drafts about which the person answered a question. */
  readonly answered: readonly AnsweredDraft[];
  /** Nobody speaks for now, or the session ends: what the writer left open must be written. */
  readonly isEnd: boolean;
  /**
   * `now`: somebody is still speaking, so the batch may cut a sentence, and the next one has the rest. `paused`: nobody
   * speaks, and more may follow. Left out for the last batch, and after the end of the video.
   */
  readonly speech?: "now" | "paused";
  /** Reads pictures of the batch: few, small, one for each change of scene; the list can be empty. May be left out. */
  readonly pictures?: () => Promise<readonly NotePicture[]>;
  /** The ids of pieces of evidence, of this batch or of earlier ones. */
  readonly idsOf: (sequences: readonly number[]) => Promise<readonly string[]>;
  /** Yields evidence around a time of the medium, most useful first, up to the token budget. */
  readonly context: (timestampMs: number, options?: ContextWindowOptions) => AsyncIterable<EvidenceItem>;
}

export interface ContextWindowOptions {
  /** The first window, before and after the time; 3,000 by default. */
  readonly primaryWindowMs?: number;
  /**
   * The window when the confidence is below 0.6 or the first window has fewer than 3 critical items; 10,000 by default.
   */
  readonly secondaryWindowMs?: number;
  /** 1,500 by default. */
  readonly tokenBudget?: number;
  readonly confidence?: () => number;
  readonly signal?: AbortSignal;
}

export interface NoteWriterResult {
  readonly drafts: readonly Draft[];
  /** The writer's memory of the conversation: plain JSON, kept in the checkpoint. */
  readonly memory?: unknown;
  readonly model?: string;
  /** 1 by default if there is a `model`. */
  readonly modelCalls?: number;
  readonly usage?: Usage;
  readonly costUsd?: number;
}

/** An item of the page as a writer proposes it. */
export type PageDraftItem = Omit<PageItem, "itemId" | "by" | "status">;

/** A pass over the page of a session, with everything that was said. */
export interface PageRequest {
  readonly sessionId: string;
  readonly videoId: string;
  readonly title: string | null;
  /** The page so far, with the changes of people, which stay regardless of the writer's answer. */
  readonly items: readonly PageItem[];
  /** The page that is made without a model. */
  readonly outline: readonly PageDraftItem[];
  /** The notes that the pass may revise, which no person edited or accepted. */
  readonly notes: readonly Note[];
  /**
   * The words of the session in the order of the log; if they are too many, those that the outline and the notes cite.
   */
  readonly evidence: readonly EvidenceItem[];
}

/** A better text for a note. */
export interface NoteRevision extends Pick<Note, "noteId" | "text" | "confidence"> {}

export interface PageResult extends Pick<NoteWriterResult, "model" | "modelCalls" | "usage" | "costUsd"> {
  readonly items: readonly PageDraftItem[];
  readonly revisions: readonly NoteRevision[];
}

/** A person's question, with the notes and the evidence that may answer it, most likely first. */
export interface AskRequest {
  readonly sessionId: string;
  readonly videoId: string;
  readonly title: string | null;
  readonly question: string;
  /** The time of the medium at which it was asked. */
  readonly mediaTimeMs: number | null;
  readonly notes: readonly Note[];
  readonly evidence: readonly EvidenceItem[];
  readonly memory: unknown;
}

export interface AskResult {
  readonly text: string;
  /** Ids of the events and notes that the answer is based on. */
  readonly evidence: readonly string[];
  readonly noteIds: readonly string[];
  readonly model?: string;
  readonly usage?: Usage;
  readonly costUsd?: number;
}

export interface WriteOptions {
  readonly signal: AbortSignal;
  /** The turn of the run, for writers that pass it on to an agent. */
  readonly turn: AgentRequest;
}

/** The budget of one session; an omitted limit does not apply. */
export interface LiveBudget {
  /** Input and output tokens together. */
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
}

/** Writes drafts from evidence. Repeated calls with the same batch must be safe. */
export interface NoteWriter {
  readonly name: string;
  /** `true` for a model of this machine that costs nothing. */
  readonly isFree?: boolean;
  write(request: NoteRequest, options: WriteOptions): Promise<NoteWriterResult>;
  /**
   * True if its memory has something that is in no draft yet. Then it is called again, without evidence, when nothing
   * is said for a while and when the session ends.
   */
  hasOpen?(memory: unknown): boolean;
  /** Writes the page in a pass; without this function, the page is an outline. */
  writePage?(request: PageRequest, options: WriteOptions): Promise<PageResult>;
  /** Closes what the writer keeps open for a session on which this server no longer works. */
  end?(sessionId: string): Promise<void>;
  /** Answers a question; without this function, the most likely note or evidence is quoted. */
  answer?(request: AskRequest, options: WriteOptions): Promise<AskResult>;
}

/** Note writers of the server's machine that a person can choose, in addition to those that the server was started with. */
export interface WriterOffers {
  find(): Promise<readonly Pick<OfferedWriter, "name" | "kind">[]>;
  /** The writer of a name that `find` returned, in this process or in another one; `null` for any other name. */
  named(name: string): NoteWriter | null;
  /** The writer that was chosen last, for sessions that name none; `null` if none was chosen. */
  chosen(): string | null;
  choose(name: string): void;
}

/** Turns texts into vectors. `threshold` is the cosine from which two notes count as the same. */
export interface Embedder {
  readonly name: string;
  readonly threshold: number;
  embed(
    texts: readonly string[],
    options: { readonly signal?: AbortSignal },
  ): Promise<readonly (readonly number[])[]>;
}

/** One recording of a speech segment, as a complete file. */
export interface AudioChunk extends Span {
  readonly bytes: Uint8Array;
  readonly mediaType: "audio/webm" | "audio/wav";
  readonly lang?: string;
  /** The speaker, if the page knows it. */
  readonly speaker?: string;
  /** Its video, if that is not the video of the session. */
  readonly videoId?: string;
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
