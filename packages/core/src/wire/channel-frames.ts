/**
 * The frames of client and server over the WebSocket of a channel. `PROTOCOL.md` describes when each is sent, and shows
 * examples; `scripts/docs.ts` makes `protocol/channel.json` from these types.
 */

import type { Block } from "../model/index.ts";
import type { Attachment } from "./channel-data.ts";
import type { WireEvent } from "./channel-events.ts";
import type { WireError } from "./errors.ts";
import type {
  Count,
  DisplayName,
  Id,
  MessageText,
  Milliseconds,
  Name,
  ParticipantType,
  Reaction,
  Sequence,
  Timestamp,
} from "./scalars.ts";

export const PROTOCOL_VERSION = 1;
/** The subprotocol of the WebSocket. A token may follow as a second one: `bearer.TOKEN`. */
export const SUBPROTOCOL = "continuo.channel.1";

/** `interrupted` while an input was received and not answered, or after a message was left in progress. */
export type SessionStatus = "active" | "interrupted";

/** The server's record for `workspace:channel:handle`. */
export interface ParticipantSession {
  /** Events up to here were handed over. */
  readonly received: Sequence;
  /** Everything up to here is processed. */
  readonly processed: Sequence;
  readonly status: SessionStatus;
  /** The text that the client stored with the frame `sdk_session`. */
  readonly sdkSessionId: string | null;
}

/** The type of participants whose handle may have several connections. */
export const PERSON = "person";

/** A participant who is present now. */
export interface Participant {
  readonly handle: Name;
  readonly name: DisplayName;
  readonly type: ParticipantType;
  readonly capabilities: readonly string[];
}

/**
 * The start of the replay: after a sequence, after the last event that this handle has processed, at the last anchor,
 * or at the end.
 */
export type ReplayFrom = Sequence | "processed" | "anchor" | "latest";

/**
 * The part of the replay that is sent. `stream`: all events. `collect`: the newest messages, and the messages that are
 * addressed to the handle. `skip`: only the messages that are addressed to the handle.
 */
export type ReplayMode = "stream" | "collect" | "skip";

/** The first frame of a connection. */
export interface HelloFrame {
  readonly type: "hello";
  /** The version of the protocol: 1. Any other number is refused with `unsupported`. */
  readonly protocol: Count;
  /**
   * Left out if it was given as a subprotocol, or if the server requires no token.
   *
   * @maxLength tokenLength
   */
  readonly token?: string;
  /**
   * A text that the client chooses when it starts, and sends in the `hello` of every connection; a client with the same
   * text may take the handle again at once.
   */
  readonly instance: Id;
  /** Without a handle the client only reads, and nobody sees it. */
  readonly handle?: Name;
  /** The handle by default. */
  readonly name?: DisplayName;
  /** `person` by default. */
  readonly participantType?: ParticipantType;
  /**
   * Names of the abilities of the participant, such as methods that it answers; together at most 200 characters.
   *
   * @maxItems capabilities
   */
  readonly capabilities?: readonly Id[];
  /** A name for the device of a person, which has a cursor `received` of its own. */
  readonly device?: Name;
  /** Asks for a session: cursors, status, history. The value must be the workspace of the token. */
  readonly workspaceId?: Name;
  readonly after: ReplayFrom;
  /** `stream` by default. */
  readonly replay?: ReplayMode;
}

/** Sends a whole message, or with `state: "open"` the beginning of one that is written in parts. */
export interface SendFrame {
  readonly type: "send";
  /** The id of the event, and of the message. */
  readonly id: Id;
  /** Blocks are allowed only in a whole message; their JSON has the same limit as a text. */
  readonly content: MessageText | readonly Block[];
  /** More of the message follows, with `append`, `replace` and `complete`. Left out for a whole message. */
  readonly state?: "open";
  /**
   * Handles that are addressed.
   *
   * @maxItems addressees
   */
  readonly to?: readonly Name[];
  /** The id of a message of the channel. */
  readonly replyTo?: Id;
  /** @maxItems attachments */
  readonly attachments?: readonly Attachment[];
}

/** Adds to a message in progress. */
export interface AppendFrame {
  readonly type: "append";
  /** The id of the event. */
  readonly id: Id;
  readonly messageId: Id;
  readonly delta: MessageText;
}

/** Replaces the text of a message in progress. */
export interface ReplaceFrame {
  readonly type: "replace";
  /** The id of the event. */
  readonly id: Id;
  readonly messageId: Id;
  readonly content: MessageText;
}

/** Ends a message in progress. */
export interface CompleteFrame {
  readonly type: "complete";
  /** The id of the event. */
  readonly id: Id;
  readonly messageId: Id;
  /** The whole text, or blocks that have it: text, calls of tools and their results. */
  readonly content: MessageText | readonly Block[];
}

/** Replaces the content of a message that has ended. Only its author may do this. */
export interface EditFrame {
  readonly type: "edit";
  /** The id of the event. */
  readonly id: Id;
  readonly messageId: Id;
  readonly content: MessageText | readonly Block[];
}

/** Deletes a message that has ended. Its author may do this, and a token that administers the workspace. */
export interface DeleteFrame {
  readonly type: "delete";
  /** The id of the event. */
  readonly id: Id;
  readonly messageId: Id;
  /** @maxLength idLength */
  readonly reason?: string;
}

/**
 * Adds a reaction to a message, or removes one. Adding a reaction that exists, or removing one that is already removed,
 * changes nothing. A reaction that this handle never had is refused with `not_found`.
 */
export interface ReactFrame {
  readonly type: "react";
  /** The id of the event. */
  readonly id: Id;
  readonly messageId: Id;
  readonly reaction: Reaction;
  readonly change: "added" | "removed";
}

/** Calls a method of another participant. */
export interface CallFrame {
  readonly type: "call";
  /** The id of the event, and of the call. */
  readonly id: Id;
  /** The handle of the participant that answers. */
  readonly to: Name;
  readonly method: Id;
  /** Any JSON of at most 262,144 characters. */
  readonly args: unknown;
}

/** One result of a call; several may come before the last. */
export interface AnswerFrame {
  readonly type: "answer";
  /** The id of the event. */
  readonly id: Id;
  readonly callId: Id;
  /** Any JSON of at most 262,144 characters. */
  readonly value: unknown;
  /** `true` for the last result. */
  readonly done: boolean;
}

/** The caller does not wait for a result any more. */
export interface CancelFrame {
  readonly type: "cancel";
  /** The id of the event. */
  readonly id: Id;
  readonly callId: Id;
  /** @maxLength idLength */
  readonly reason: string;
}

/** A frame that becomes an event of the log. Its id allows the client to send it again after a lost connection. */
export type PostFrame =
  | SendFrame
  | AppendFrame
  | ReplaceFrame
  | CompleteFrame
  | EditFrame
  | DeleteFrame
  | ReactFrame
  | CallFrame
  | AnswerFrame
  | CancelFrame;

/** A frame about a message that the participant is still writing. */
export type PartFrame = AppendFrame | ReplaceFrame | CompleteFrame;

/** A frame about a message that has ended. */
export type ChangeFrame = EditFrame | DeleteFrame | ReactFrame;

/** Events up to here were handed over to the reader. Answered with `null`. */
export interface ReceivedFrame {
  readonly type: "received";
  readonly sequence: Sequence;
}

/** Everything up to here is processed. Answered with the session. */
export interface CommitFrame {
  readonly type: "commit";
  readonly sequence: Sequence;
}

/** Stores a name that the client finds in the session of its next connection. Answered with the session. */
export interface SdkSessionFrame {
  readonly type: "sdk_session";
  readonly sdkSessionId: Id | null;
}

/** Adds a message to the history of the session, which only its participant sees. */
export interface StoreFrame {
  readonly type: "store";
  readonly id: Id;
  /** `user`, `assistant` or `system`. */
  readonly role: Id;
  readonly content: MessageText;
}

/**
 * Asks for the newest messages of the history. Answered with a list of `HistoryItem`, oldest first, with fewer messages
 * if they are very long.
 */
export interface HistoryFrame {
  readonly type: "history";
  /**
   * @minimum 1
   * @maximum historyItems
   */
  readonly limit: Count;
}

/** Empties the history. */
export interface ClearHistoryFrame {
  readonly type: "clear_history";
  readonly id: Id;
}

/** Takes an input that this agent answers now. Answered with a `ClaimedInput`. */
export interface ClaimFrame {
  readonly type: "claim";
  /** The sequence of the event that is the input. */
  readonly sequence: Sequence;
  /** The name of the agent's program, for the run. */
  readonly agent: Id;
  /** If agents have sent this many messages since the last message of a person, the input stays unanswered. */
  readonly maxTurns?: Count;
}

/** Ends the run of a claimed input. Answered with the session. */
export interface EndRunFrame {
  readonly type: "end_run";
  /** @maxLength runIdLength */
  readonly runId: string;
  readonly status: RunEnd;
  readonly answer?: MessageText;
  readonly error?: {
    readonly code: Id;
    /** @maxLength callLength */
    readonly message: string;
  };
}

/** A frame about the session of this handle. */
export type SessionFrame =
  | ReceivedFrame
  | CommitFrame
  | SdkSessionFrame
  | StoreFrame
  | HistoryFrame
  | ClearHistoryFrame
  | ClaimFrame
  | EndRunFrame;

export type RunEnd = "completed" | "failed" | "cancelled";

/** The result of a claim. `answerId` is the id of the message that answers the input; each attempt has another id. */
export type ClaimedInput =
  | {
      readonly state: "claimed";
      readonly runId: string;
      readonly answerId: Id;
      /** 1 for the first; more after an interruption. */
      readonly attempt: Count;
      readonly content: string;
      readonly from: string;
      readonly messageId: string;
      /** The id of the edit from which `content` comes; left out for a message that was not edited. */
      readonly editId?: Id;
      /** The ids that the answers of earlier attempts have, if they were begun; left out for the first attempt. */
      readonly earlierAnswerIds?: readonly Id[];
    }
  /** The input was answered before, or it was given up, for example after too many attempts. */
  | { readonly state: "done"; readonly runId: string | null };

/** A frame that the server answers with `ok` or `error`. */
export type RequestFrame = (PostFrame | SessionFrame) & {
  /** The client counts its requests: 1, 2, 3 …, over all connections. The answer has the same number. */
  readonly request: Count;
};

/** Shows that its sender is alive; each side sends one every 3 s. */
export interface HeartbeatFrame {
  readonly type: "heartbeat";
}

/** Asks the server to send no more events until `resume`. */
export interface PauseFrame {
  readonly type: "pause";
}

/** Asks for the events after this sequence, whether or not they were sent before. */
export interface ResumeFrame {
  readonly type: "resume";
  readonly after: Sequence;
}

/** The client leaves permanently: its handle is free. The server then closes the WebSocket. */
export interface CloseFrame {
  readonly type: "close";
}

export type ClientFrame = HelloFrame | RequestFrame | HeartbeatFrame | PauseFrame | ResumeFrame | CloseFrame;

export interface HistoryItem {
  readonly role: string;
  readonly content: string;
  readonly timestamp: Timestamp;
  readonly sequence: Sequence;
}

/** The server accepted the client. */
export interface WelcomeFrame {
  readonly type: "hello";
  readonly protocol: Count;
  readonly workspaceId: Name;
  readonly channel: Name;
  readonly handle: Name | null;
  /** The newest sequence of the log when the handle was taken: the replay ends there. */
  readonly latestSequence: Sequence;
  /** The replay begins after this sequence. */
  readonly after: Sequence;
  /**
   * The number of messages up to `upTo`, which are left out because of `replay`. Messages that are addressed to the
   * handle are sent nevertheless, but they are included in the number.
   */
  readonly omitted?: { readonly messages: Count; readonly upTo: Sequence };
  readonly session: ParticipantSession | null;
  /** Why there is no session although one was requested. */
  readonly degraded: string | null;
}

/** An event of the log. Events between `after` and this one were left out on purpose (parts of messages that ended). */
export interface EventFrame {
  readonly type: "event";
  /** The sequence of the event that was sent before it. */
  readonly after: Sequence;
  readonly event: WireEvent;
}

/**
 * The replay is over: everything up to `sequence` was sent. It is sent again after a `resume` from an earlier sequence.
 */
export interface ReadyFrame {
  readonly type: "ready";
  readonly sequence: Sequence;
  /** The participants who are connected now. */
  readonly roster: readonly Participant[];
}

/** A participant joined or left. */
export interface PresenceFrame {
  readonly type: "presence";
  readonly change: "joined" | "left";
  readonly participant: Participant;
}

/** The session, which could not be opened before, is open now, or another connection of the same person changed it. */
export interface SessionStateFrame {
  readonly type: "session";
  readonly session: ParticipantSession;
}

/** The request is done, and durable. */
export interface OkFrame {
  readonly type: "ok";
  readonly request: Count;
  /** `{ sequence }` for a frame that becomes an event; otherwise the result that the frame describes. */
  readonly result: unknown;
}

/** With a `request`, this request failed; without one, the connection ends. */
export interface ErrorFrame {
  readonly type: "error";
  readonly request?: Count;
  readonly error: WireError["error"];
}

/** The reader was too slow for too long: the connection ends, and the next connection begins after this sequence. */
export interface CatchUpFrame {
  readonly type: "catch_up";
  readonly after: Sequence;
}

/** The server stops; the client connects again after `retryMs`. */
export interface ByeFrame {
  readonly type: "bye";
  readonly retryMs: Milliseconds;
}

export type ServerFrame =
  | WelcomeFrame
  | EventFrame
  | ReadyFrame
  | PresenceFrame
  | SessionStateFrame
  | OkFrame
  | ErrorFrame
  | HeartbeatFrame
  | CatchUpFrame
  | ByeFrame;

/** Close codes of the WebSocket. */
export const CLOSE = {
  /** The client must not connect again with the same `hello`. */
  refused: 4000,
  /** A message that is not a valid frame. */
  protocol: 4002,
  slow: 4008,
  draining: 4012,
  /** A frame that is larger than the server reads. */
  tooLarge: 1009,
  /** No heartbeats of the client came, or its handle was given to somebody else. */
  gone: 4010,
} as const;

/**
 * Codes of an `error` without a `request` after which the client ends, because another try would get the same error.
 * After any other code, including unknown ones, the client connects again.
 */
export const FINAL_CODES: readonly string[] = [
  "unauthorized",
  "forbidden",
  "invalid",
  "not_found",
  "gone",
  "handle_taken",
  "too_large",
  "unsupported",
  "usage",
  "log_closed",
  "out_of_range",
];
