/** Channels over HTTP: lists, and windows of whole messages, from the newest ones. */

import type { Block } from "../model/index.ts";
import type { Attachment } from "./channel-data.ts";
import type { Participant } from "./channel-frames.ts";
import type { Id, MessageText, Name, ParticipantType, Reaction, Sequence, Timestamp } from "./scalars.ts";
import type { Access } from "./scopes.ts";

/** A message as late readers see it, however it was written. */
export interface ChannelMessage {
  readonly messageId: string;
  readonly sequence: number;
  /** `null` for a line of the channel itself, whose kind is `system`, and for a message stored without an author. */
  readonly handle: string | null;
  /** `person`, `agent`, `system`, or another kind of author. */
  readonly kind: string;
  readonly content: string;
  /** All of a message that has more than text: its text, calls of tools and results, images. */
  readonly blocks?: readonly Block[];
  readonly timestamp: string;
  /** A deleted message has no content. */
  readonly state: "complete" | "open" | "interrupted" | "deleted";
  readonly to?: readonly string[];
  readonly replyTo?: string;
  /** The time of the last edit by its author. */
  readonly editedAt?: Timestamp;
  /** In the order in which each reaction was first added. */
  readonly reactions?: readonly MessageReaction[];
}

export interface MessageReaction {
  readonly reaction: Reaction;
  /** The handles with this reaction, in the order in which they reacted. */
  readonly handles: readonly string[];
}

/** The answer of `GET /v1/channels/NAME/messages`. */
export interface MessagesWindow {
  /** Oldest first. */
  readonly messages: readonly ChannelMessage[];
  /** The sequence of the newest event of these messages: a reader continues after it. */
  readonly sequence: number;
  /** True if there are older ones: ask with `before`, the sequence of the first message. */
  readonly hasOlder: boolean;
}

/** The answer of `GET /v1/channels/NAME`. */
export interface ChannelHead {
  readonly channel: string;
  readonly workspaceId: string;
  readonly latestSequence: number;
  readonly roster: readonly Participant[];
  /** The kinds of access that the token allows here. */
  readonly access: readonly Access[];
  /** The only handle that the token may use; `null` for any. */
  readonly handle: string | null;
}

/** The body of `POST /v1/channels/NAME/messages`: a whole message of an author that is not connected. */
export interface MessageRequest {
  readonly content: MessageText | readonly Block[];
  /** The handle of the author; it may be left out if the token names a handle. */
  readonly handle?: Name;
  /** The id of the event and of the message: a request that is sent again stores the message once. */
  readonly id?: Id;
  /** @maxItems addressees */
  readonly to?: readonly Name[];
  readonly replyTo?: Id;
  /** @maxItems attachments */
  readonly attachments?: readonly Attachment[];
  /**
   * `person` (the default) or `agent`, as in the hello of a connection. Only the messages of agents count towards the
   * limit at which agents that mention each other stop.
   */
  readonly participantType?: ParticipantType;
}

/** The body of `PUT /v1/channels/NAME/messages/ID`: a new content for a message that has ended. */
export interface MessageEditRequest {
  readonly content: MessageText | readonly Block[];
  /** The author; it may be left out if the token names a handle. */
  readonly handle?: Name;
  /** The id of the event: a request that is sent again has no further effect. */
  readonly id?: Id;
}

/** The answer to a request that writes or changes a message. */
export interface MessageAnswer {
  readonly messageId: Id;
  readonly sequence: Sequence;
}

/** The answer of `GET /v1/channels/NAME/anchor`; 0 if there is no anchor. */
export interface AnchorAnswer {
  readonly sequence: Sequence;
}

/** The newest message of a channel, and the numbers of its connected participants. */
export interface ChannelSummary {
  /** `null` if nobody has written yet. Its content is shortened to its beginning. */
  readonly newest: ChannelMessage | null;
  /** The number of people who are connected now, and the number of agents. */
  readonly people: number;
  readonly agents: number;
}

/** One page of the channels that a token may read, by name. */
export interface ChannelsPage {
  readonly channels: readonly ChannelRow[];
  /** The cursor of the next page; `null` after the last one. */
  readonly nextCursor: string | null;
}

/** One line of `GET /v1/channels`. */
export interface ChannelRow {
  readonly channel: string;
  readonly latestSequence: number;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  readonly changedAt: string;
  /** Present with `?summary=true`. `null` if an earlier version of the server did not look for it. */
  readonly summary?: ChannelSummary | null;
}
