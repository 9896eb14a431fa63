/**
 * Continuous sessions: a session that lasts as long as a viewing, gathers evidence, and turns it into notes.
 *
 * The state, level, pending evidence and notes of a session are a fold of its log. One server owns a session and writes
 * its decisions; every server accepts input.
 *
 * Promises: input is acknowledged after one durable append; critical evidence is never dropped; a batch is decided
 * once, even if a server dies; evidence stays pending until its batch was decided; a session ends once.
 * Does not know: HTTP, sockets, tokens, how a model is called.
 */

export { type Measurement, onMeasurement } from "@continuo/files";
export { parseQuestion, type Question } from "./ask.ts";
export {
  type ComparedDraft,
  type ComparedNote,
  type DraftDecision,
  decideDrafts,
  type Rule,
} from "./batches/index.ts";
export { Outlines } from "./captions/index.ts";
export type { FrameDays, Frames } from "./evidence/index.ts";
export {
  type AudioFields,
  type AudioUpload,
  fetchContextWindow,
  parseAudio,
  parseEvidenceBatch,
  readEvidence,
} from "./evidence/index.ts";
export { LiveHost } from "./host.ts";
export type {
  Acknowledgement,
  AnsweredDraft,
  AskRequest,
  AskResult,
  AudioChunk,
  BlobPointer,
  BudgetState,
  Clock,
  ContextWindowOptions,
  Decision,
  Draft,
  Embedder,
  EvidenceBatch,
  EvidenceInput,
  EvidenceItem,
  FrameTier,
  Lanes,
  Level,
  LiveBudget,
  LiveCost,
  LiveHealth,
  LiveSession,
  LiveSessionRequest,
  LiveState,
  Note,
  NoteAction,
  NoteOperation,
  NotePicture,
  NoteRequest,
  NoteRevision,
  NoteStatus,
  NoteWriter,
  NoteWriterResult,
  OpenedLiveSession,
  PageDraftItem,
  PageRequest,
  PageResult,
  PurgeWarning,
  ReportedState,
  Span,
  TranscribedSegment,
  Transcriber,
  UnsureDraft,
  WriteOptions,
  WriterOffers,
} from "./kit/index.ts";
export {
  cosineOf,
  LIMITS,
  overlapOf,
  sessionsByState,
} from "./kit/index.ts";
export type { LiveVerifyResult } from "./log-checks.ts";
export {
  type HistoryQuery,
  parseHistoryQuery,
  parseNoteOperation,
  readHistory,
  readNoteHistory,
} from "./notes/index.ts";
export type { LiveOptions } from "./options.ts";
export { type OutlineItem, type OutlineKind, outlineOf, type SpokenPiece } from "./outline/index.ts";
export type { SessionOwner } from "./owner/index.ts";
export { parsePageOperation } from "./page/index.ts";
export {
  type Disagreement,
  type PageReplay,
  parseReplayContext,
  parseReplayMode,
  type ReplayReport,
  replayEvents,
} from "./replay/index.ts";
export { LiveService } from "./service.ts";
export { parseSessionRequest } from "./sessions/index.ts";
export { type Follower, stateOf } from "./state/index.ts";
export {
  type AgentWriterOptions,
  type AnthropicWriterOptions,
  agentWriter,
  anthropicWriter,
  extractiveWriter,
  type KeptAgent,
  lexicalEmbedder,
  type OpenAiEmbedderOptions,
  type OpenAiEndpoint,
  type OpenAiWriterOptions,
  openAiEmbedder,
  openAiTranscriber,
  openAiWriter,
} from "./writers/index.ts";
