/** Frames of `/v1/live/KEY/ws`: a hello from the client, then replay, `ready`, and all later events. */

import { present } from "../model/index.ts";
import type { WireEvent } from "./channel-events.ts";
import type { WireError } from "./errors.ts";
import type { PurgeWarning } from "./live-evidence.ts";
import type { Level, ReportedState } from "./live-session.ts";

export const LIVE_SUBPROTOCOL = "continuo-live.1";

export type LiveClientFrame =
  | {
      readonly type: "hello";
      readonly token?: string;
      /** Replay begins after this sequence; 0 if none is given. */
      readonly after?: number;
      /** The session that `after` belongs to: if the key has another session now, everything is replayed. */
      readonly sessionId?: string;
    }
  | { readonly type: "heartbeat" };

export type LiveServerFrame =
  | {
      readonly type: "hello";
      readonly sessionId: string;
      readonly state: ReportedState;
      readonly latestSequence: number;
    }
  | { readonly type: "event"; readonly event: WireEvent }
  /** The replay is over. */
  | { readonly type: "ready"; readonly sequence: number }
  /** Sent when the level changes, on joining, and with every change of state. */
  | {
      readonly type: "backpressure";
      readonly level: Level;
      readonly depth: number;
      readonly restarts: number;
      readonly state: ReportedState;
    }
  | { readonly type: "degraded"; readonly reason: string }
  | {
      readonly type: "context_request";
      readonly requestId: string;
      readonly draftId: string;
      readonly question: string | null;
    }
  /**
   * Lists pictures of the video that will be removed within a day. Sent on joining, and later when more pictures become
   * due.
   */
  | { readonly type: "purge_warning"; readonly blobs: readonly PurgeWarning[] }
  | { readonly type: "heartbeat" }
  | { readonly type: "error"; readonly error: WireError["error"] }
  | { readonly type: "bye"; readonly retryMs: number };

/** The types of events that are sent. Events of all other types, such as those of runs, stay on the server. */
export const LIVE_FEED_TYPES: readonly string[] = [
  "transcript_added",
  "remark_added",
  "frame_captured",
  "evidence_dropped",
  "blob_purged",
  "draft_written",
  "decision_made",
  "context_requested",
  "note_written",
  "note_updated",
  "note_merged",
  "note_archived",
  "note_removed",
  "session_state_changed",
  "checkpoint_written",
  "event_quarantined",
  "notes_carried",
  "note_writer_chosen",
  "page_written",
  "page_changed",
];

/** `null` if the text is not a frame of a client. */
export function parseLiveClientFrame(text: string): LiveClientFrame | null {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof frame !== "object" || frame === null || !("type" in frame)) return null;
  if (frame.type === "heartbeat") return { type: "heartbeat" };
  if (frame.type !== "hello") return null;
  const { token, after, sessionId } = frame as Readonly<Record<string, unknown>>;
  if (token !== undefined && typeof token !== "string") return null;
  if (sessionId !== undefined && typeof sessionId !== "string") return null;
  if (after !== undefined && !(Number.isSafeInteger(after) && Number(after) >= 0)) return null;
  return present({ type: "hello", token, after: after === undefined ? undefined : Number(after), sessionId });
}
