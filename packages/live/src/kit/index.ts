/**
 * The kit of continuous sessions: their types and ports, limits, clock, metrics, and periodic work.
 *
 * Promises: periodic work is done by one server of a store at a time.
 * Does not know: the state of a session, and the other rooms of `live`.
 */

export { isoOf, pause, SYSTEM_CLOCK } from "./clock.ts";
export {
  type ChainPlace,
  type Damage,
  type DamageReport,
  damageIn,
  damagesIn,
  damagesOf,
  isAmong,
  missing,
} from "./damage.ts";
export { JointCommits } from "./joint-commits.ts";
export { LIMITS } from "./limits.ts";
export {
  count,
  countCitations,
  countDecisions,
  countDropped,
  countInput,
  observeSessions,
  record,
  recordTime,
  sessionsByState,
} from "./metrics.ts";
export { onOneServer, startPeriodicWork } from "./periodic-work.ts";
export { RecentNames } from "./recent-names.ts";
export {
  findRemoval,
  findSession,
  forgetRemoval,
  isRemoved,
  listRemovals,
  nearestShown,
  putRemoval,
  type Removal,
} from "./removals.ts";
export type { SessionOwnerSettings } from "./settings.ts";
export { findSideLog, openSideLog, sideLogsOf } from "./side-logs.ts";
export { cosineOf, overlapOf } from "./similarity.ts";
export { eventsAround, readAround, soundStore, tailAround } from "./sound-store.ts";
export {
  LEVEL_DEPTHS,
  type LevelDepths,
  levelDepths,
  NOTE_RULES,
  type NoteRules,
  noteRules,
} from "./tuning.ts";
export { breathing, runSteps } from "./turns.ts";
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
} from "./types.ts";
export { type Fields, isFields, sha256 } from "./values.ts";
