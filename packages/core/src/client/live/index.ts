/**
 * `continuo/client/live`: one continuous session of a page, in Node and in browsers.
 *
 * Promises: evidence is in the outbox before it is sent, and leaves it when the server stored it; it arrives once and
 * in order, in spite of lost connections, reloads, degraded sessions, revoked tokens and sessions that ended; no
 * `node:` import.
 * Does not know: how the server stores anything, how a page records speech or pictures.
 */

export type {
  Acknowledgement,
  BlobPointer,
  EvidenceInput,
  LiveAnswer,
  LiveOutline,
  LiveServerFrame,
  LiveSession,
  Note,
  NoteOperation,
  PurgeWarning,
} from "../../wire/index.ts";
export { LiveClient, type OpenLiveOptions, openLive } from "./client.ts";
export { type LiveWatch, type WatchLiveOptions, watchLive } from "./feed.ts";
export { memoryOutbox, type Outbox, type OutboxBatch, type OutboxState } from "./outbox.ts";
export type { AudioRecording, RecordingBox, StoredRecording } from "./recordings.ts";
