/** What client and server say to each other over the WebSocket of a channel. `PROTOCOL.md` says when. */

import type { Attachment, WireEvent } from "./channel-events.ts";
import type { WireError } from "./errors.ts";

export const PROTOCOL_VERSION = 1;
/** The subprotocol of the WebSocket. A token may follow as a second one: `bearer.TOKEN`. */
export const SUBPROTOCOL = "continuo.channel.1";

export type SessionStatus = "active" | "interrupted";

/** What the server keeps for `workspace:channel:handle`. */
export interface ParticipantSession {
  readonly received: number;
  readonly processed: number;
  readonly status: SessionStatus;
  readonly sdkSessionId: string | null;
}

/** The type of participants whose handle may have several connections. */
export const PERSON = "person";

export interface Participant {
  readonly handle: string;
  readonly name: string;
  /** `person`, `agent`, or the application's own word. */
  readonly type: string;
  readonly capabilities: readonly string[];
}

/** Where the replay begins: after a sequence, after what this handle has processed, at the last anchor, or at the end. */
export type ReplayFrom = number | "processed" | "anchor" | "latest";

/**
 * What of the replay is sent: everything; the newest messages and what is addressed to the handle; only what is
 * addressed to it.
 */
export type ReplayMode = "stream" | "collect" | "skip";

export interface HelloFrame {
  readonly type: "hello";
  readonly protocol: number;
  readonly token?: string;
  /** The same over all connections of one `connect()`; who has it may take the handle again at once. */
  readonly instance: string;
  /** Without a handle the client only reads, and nobody sees it. */
  readonly handle?: string;
  readonly name?: string;
  readonly participantType?: string;
  readonly capabilities?: readonly string[];
  /** A name for the device of a person, which has a cursor `received` of its own. */
  readonly device?: string;
  /** Asks for a session: cursors, status, history. */
  readonly workspaceId?: string;
  readonly after: ReplayFrom;
  /** `stream` when left out. */
  readonly replay?: ReplayMode;
}

/** Each has the id of its event, so that it can be sent again after a lost connection. */
export type PostFrame =
  | {
      readonly type: "send";
      readonly id: string;
      readonly content: string;
      readonly state?: "open";
      readonly to?: readonly string[];
      readonly replyTo?: string;
      readonly attachments?: readonly Attachment[];
    }
  | { readonly type: "append"; readonly id: string; readonly messageId: string; readonly delta: string }
  | { readonly type: "replace"; readonly id: string; readonly messageId: string; readonly content: string }
  | { readonly type: "complete"; readonly id: string; readonly messageId: string; readonly content: string }
  | {
      readonly type: "call";
      readonly id: string;
      readonly to: string;
      readonly method: string;
      readonly args: unknown;
    }
  | {
      readonly type: "answer";
      readonly id: string;
      readonly callId: string;
      readonly value: unknown;
      readonly done: boolean;
    }
  | { readonly type: "cancel"; readonly id: string; readonly callId: string; readonly reason: string };

/** What concerns this handle's session. */
export type SessionFrame =
  | { readonly type: "received"; readonly sequence: number }
  | { readonly type: "commit"; readonly sequence: number }
  | { readonly type: "sdk_session"; readonly sdkSessionId: string | null }
  | { readonly type: "store"; readonly id: string; readonly role: string; readonly content: string }
  | { readonly type: "history"; readonly limit: number }
  | { readonly type: "clear_history"; readonly id: string }
  /** An input that this agent answers now, by the sequence of its event. */
  | {
      readonly type: "claim";
      readonly sequence: number;
      readonly agent: string;
      /** Messages of agents since a person's last one, before the input is left unanswered. */
      readonly maxTurns?: number;
    }
  | {
      readonly type: "end_run";
      readonly runId: string;
      readonly status: RunEnd;
      readonly answer?: string;
      readonly error?: { readonly code: string; readonly message: string };
    };

export type RunEnd = "completed" | "failed" | "cancelled";

/** What a claim returns. `answerId` is the id of the message that answers it; every attempt has its own. */
export type ClaimedInput =
  | {
      readonly state: "claimed";
      readonly runId: string;
      readonly answerId: string;
      /** 1 for the first; more after an interruption. */
      readonly attempt: number;
      readonly content: string;
      readonly from: string;
      readonly messageId: string;
    }
  /** It was answered before, or given up after too many attempts. */
  | { readonly state: "done"; readonly runId: string | null };

export type RequestFrame = (PostFrame | SessionFrame) & {
  /** Counts up; the answer has it. */
  readonly request: number;
};

export type ClientFrame =
  | HelloFrame
  | RequestFrame
  | { readonly type: "heartbeat" }
  /** No more events until `resume`. */
  | { readonly type: "pause" }
  /** The events after this sequence, again or for the first time. */
  | { readonly type: "resume"; readonly after: number }
  /** The client leaves for good: its handle is free. */
  | { readonly type: "close" };

export interface HistoryItem {
  readonly role: string;
  readonly content: string;
  /** ISO 8601 UTC. */
  readonly timestamp: string;
  readonly sequence: number;
}

export interface WelcomeFrame {
  readonly type: "hello";
  readonly protocol: number;
  readonly workspaceId: string;
  readonly channel: string;
  readonly handle: string | null;
  /** Of the channel's log, when the handle was taken. */
  readonly latestSequence: number;
  /** Where the replay begins. */
  readonly after: number;
  /**
   * How many messages up to `upTo` are not sent, because `replay` asked for less. Those that are addressed to the handle
   * are counted here, and sent.
   */
  readonly omitted?: { readonly messages: number; readonly upTo: number };
  readonly session: ParticipantSession | null;
  /** Why there is no session although one was asked for. */
  readonly degraded: string | null;
}

export type ServerFrame =
  | WelcomeFrame
  /** Follows the event `after`; what lies between was left out on purpose (deltas of messages that ended). */
  | { readonly type: "event"; readonly after: number; readonly event: WireEvent }
  /** The replay is over: everything up to `sequence` was sent. */
  | { readonly type: "ready"; readonly sequence: number; readonly roster: readonly Participant[] }
  | { readonly type: "presence"; readonly change: "joined" | "left"; readonly participant: Participant }
  | { readonly type: "session"; readonly session: ParticipantSession }
  | { readonly type: "ok"; readonly request: number; readonly result: unknown }
  | { readonly type: "error"; readonly request?: number; readonly error: WireError["error"] }
  | { readonly type: "heartbeat" }
  /** The reader was too slow for too long; the connection ends, and the next one begins after this sequence. */
  | { readonly type: "catch_up"; readonly after: number }
  /** The server ends; come again after `retryMs`. */
  | { readonly type: "bye"; readonly retryMs: number };

/** Close codes of the WebSocket. */
export const CLOSE = {
  /** The client must not come again with the same `hello`. */
  refused: 4000,
  /** A frame that is none. */
  protocol: 4002,
  slow: 4008,
  draining: 4012,
  /** A frame that is larger than the server reads. */
  tooLarge: 1009,
  /** Its heartbeats stayed away, or its handle was given to somebody else. */
  gone: 4010,
} as const;
