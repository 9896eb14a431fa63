/** Evidence as clients send it: one shape for each type of input. */

/** A blob of the server that an event points to, without pinning it. */
export interface BlobPointer {
  /** SHA-256, 64 hex digits. */
  readonly hash: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** ISO 8601 UTC; set by the server. */
  readonly expiresAt?: string;
}

/** The size of a frame's picture. */
export type FrameTier = "full" | "thumbnail";

/** A picture that is removed within a day, unless it is kept. */
export interface PurgeWarning {
  readonly hash: string;
  readonly tier: FrameTier;
  /** The session and the place of the frame that points to it. */
  readonly sessionId: string;
  readonly mediaTimeMs: number;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

/** The answer of `GET /v1/live/KEY/expiring`. */
export interface ExpiringPictures {
  readonly pictures: readonly PurgeWarning[];
  /** A client with `write` may keep the pictures. */
  readonly access: readonly ("read" | "write")[];
}

export interface TranscriptInput {
  readonly type: "transcript_added";
  readonly text: string;
  /** The beginning in the medium, in milliseconds: a whole number from 0. */
  readonly mediaTimeMs: number;
  readonly endMs?: number;
  /** BCP 47. Without a language, no word is a stop word. */
  readonly lang?: string;
  readonly speaker?: string;
  /** 0 to 1. */
  readonly confidence?: number;
  /** The video that it was said in, if that is not the video of the session. */
  readonly videoId?: string;
}

export interface RemarkInput {
  readonly type: "remark_added";
  readonly text: string;
  readonly mediaTimeMs: number;
  readonly endMs?: number;
  readonly lang?: string;
  readonly speaker?: string;
  /** The video that it is about, if that is not the video of the session. */
  readonly videoId?: string;
}

export interface FrameInput {
  readonly type: "frame_captured";
  readonly mediaTimeMs: number;
  /** Uploaded before, as a blob. */
  readonly full?: BlobPointer;
  readonly thumbnail?: BlobPointer;
  readonly embedding?: readonly number[];
  /** The version of the model that made the embedding: embeddings of different versions are never compared. */
  readonly embeddingVersion?: string;
  readonly description?: string;
  /** A person captured it: it begins a batch, as a remark does. */
  readonly asked?: true;
  /** The `context_requested` that a person answers with it. */
  readonly requestId?: string;
  /** The video that it shows, if that is not the video of the session. */
  readonly videoId?: string;
}

export interface VoiceActivityInput {
  readonly type: "voice_activity";
  readonly activity: "speaking" | "silent";
  readonly mediaTimeMs: number;
}

/** The video was paused or ended, or somebody moved to another position: the open thought ends. */
export interface PlaybackInput {
  readonly type: "playback_changed";
  readonly state: "paused" | "moved" | "ended";
  /** The last position that was played. */
  readonly mediaTimeMs: number;
  /** The video, if that is not the video of the session. */
  readonly videoId?: string;
}

export interface TelemetryInput {
  readonly type: "telemetry_reported";
  readonly name: string;
  readonly value?: unknown;
  readonly mediaTimeMs?: number;
}

/**
 * All captions of the video, before they are played: the outline is made from them, and the note writer does not
 * receive them.
 */
export interface CaptionsInput {
  readonly type: "captions_listed";
  /** From 1 to 500 captions; a longer list is sent in several pieces of evidence. */
  readonly cues: readonly ListedCue[];
  /** BCP 47. */
  readonly lang?: string;
  /** Their video, if that is not the video of the session. */
  readonly videoId?: string;
}

/** One caption and its place in the medium, in milliseconds: whole numbers from 0. */
export interface ListedCue {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

/** `id` is the idempotency key of the event; the server makes one if none is given. */
export type EvidenceInput = (
  | TranscriptInput
  | RemarkInput
  | FrameInput
  | VoiceActivityInput
  | PlaybackInput
  | TelemetryInput
  | CaptionsInput
) & { readonly id?: string };

export const EVIDENCE_TYPES: readonly EvidenceInput["type"][] = [
  "transcript_added",
  "remark_added",
  "frame_captured",
  "voice_activity",
  "playback_changed",
  "telemetry_reported",
  "captions_listed",
];

/**
 * The body of `POST /v1/live/KEY/evidence`. A producer numbers its batches 0, 1, 2 …. A batch that was stored before is
 * acknowledged again, but not stored again. A client that no longer knows its number begins a new epoch, with batch 0.
 */
export interface EvidenceBatch {
  readonly producerId: string;
  /** The session that the batch was made for; the current session of the key if none is given. */
  readonly sessionId?: string;
  readonly epoch: number;
  readonly sequence: number;
  readonly evidence: readonly EvidenceInput[];
}
