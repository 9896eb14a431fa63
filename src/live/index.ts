/**
 * Continuous sessions: a session that lasts as long as a viewing, gathers evidence, and turns it into notes.
 *
 * Everything that a session is, is a fold of its log: state, level, pending evidence, notes. One server owns a session
 * and writes its decisions; every server accepts input.
 *
 * Promises: input is acknowledged after one durable append; critical evidence is never dropped; a batch is decided
 * once, whichever server dies; evidence stays pending until its batch was decided; a session ends once.
 * Does not know: HTTP, sockets, tokens, how a model is called.
 */

export { type AgentWriterOptions, agentWriter } from "./agent-writer.ts";
export { parseQuestion, type Question } from "./ask.ts";
export { type AudioFields, type AudioUpload, parseAudio } from "./audio.ts";
export { fetchContextWindow } from "./context-window.ts";
export {
  type ComparedDraft,
  type ComparedNote,
  type DraftDecision,
  decideDrafts,
  type Rule,
} from "./decide.ts";
export { parseEvidenceBatch, readEvidence } from "./evidence.ts";
export { extractiveWriter } from "./extractive-writer.ts";
export { type Follower, stateOf } from "./follower.ts";
export type { FrameDays, Frames } from "./frames.ts";
export {
  type HistoryQuery,
  parseHistoryQuery,
  readHistory,
  readNoteHistory,
} from "./history.ts";
export { LiveHost } from "./host.ts";
export type { SessionOwner } from "./keeper.ts";
export { lexicalEmbedder } from "./lexical-embedder.ts";
export { cosineOf, overlapOf } from "./likeness.ts";
export { LIMITS } from "./limits.ts";
export { parseNoteOperation } from "./note-operations.ts";
export { parseSessionRequest } from "./open-session.ts";
export { type OpenAiEmbedderOptions, type OpenAiEndpoint, openAiEmbedder } from "./openai.ts";
export { openAiTranscriber } from "./openai-transcriber.ts";
export type { LiveOptions } from "./options.ts";
export { type Disagreement, parseReplayMode, type ReplayReport, replayEvents } from "./replay.ts";
export { LiveService } from "./service.ts";
export type * from "./types.ts";
