/**
 * Changes of messages that have ended: edits, deletions and reactions. The log keeps the earlier text. The rights to
 * change a message are checked here, however the change was sent.
 */

import {
  ContinuoError,
  type NewEvent,
  present,
  readAll,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import {
  authorOf,
  CHANGE_TYPES,
  CHANNEL_LIMITS,
  type ChangeableMessage,
  type ChangeFrame,
  changedMessage,
  headOf,
  isByWriter,
  recordOf,
  toMessageChange,
} from "@continuo/core/wire";
import { LIMITS } from "./limits.ts";
import { type ConnectionRef, channelLogId } from "./names.ts";
import { blobsFor, findSent, noMessage } from "./sent-messages.ts";

export interface ChangeAuthor extends ConnectionRef {
  /** True if the author may delete the messages of others. */
  readonly moderates?: boolean;
}

/** The event that a frame becomes, or the stored event that already makes the same change. */
export interface MessageChange {
  readonly event: Pick<NewEvent, "type" | "data" | "blobs">;
  /**
   * The reason why the change cannot be made now. If the same event was stored earlier, it is returned all the same.
   */
  readonly refusal: ContinuoError | null;
  readonly same: StoredEvent | null;
}

/** Errors: `not_found` for the message. */
export async function changeOf(
  store: Store,
  author: ChangeAuthor,
  frame: ChangeFrame,
): Promise<MessageChange> {
  const { channel } = author;
  const { messageId } = frame;
  const sent = await findSent(store, channel, messageId);
  if (sent === undefined) throw noMessage(channel, messageId);
  const later = await Array.fromAsync(eventsOf(store, channel, sent));
  const facts = { sent, later, writer: authorOf(sent) };
  const refusal = refusalOf(author, frame, facts);
  const handle = facts.writer ?? "";
  switch (frame.type) {
    case "edit": {
      const { content } = frame;
      const data = { messageId, content, ...headOf(recordOf(sent.data)) };
      return { event: { type: "message_edited", data, ...blobsFor(frame) }, refusal, same: null };
    }
    case "delete": {
      const messageSequence = sent.sequence;
      const data = { messageId, handle, messageSequence, ...present({ reason: frame.reason }) };
      return { event: { type: "message_deleted", data }, refusal, same: null };
    }
    case "react": {
      const { reaction, change } = frame;
      const event = { type: `reaction_${change}`, data: { messageId, handle, reaction } };
      const last = lastReaction(later, frame, author.handle);
      const same = refusal === null && last?.type === event.type ? last : null;
      return { event, refusal, same };
    }
  }
}

interface ChangedMessage {
  readonly sent: StoredEvent;
  /** The end of the message, and its changes since then. */
  readonly later: readonly StoredEvent[];
  readonly writer: string | null;
}

const END_TYPES = ["message_completed", "message_interrupted"];

function eventsOf(store: Store, channel: string, { id, sequence }: StoredEvent): AsyncIterable<StoredEvent> {
  return readAll(store, channelLogId(channel), {
    after: sequence,
    types: [...END_TYPES, ...CHANGE_TYPES],
    texts: [JSON.stringify(id)],
    limit: LIMITS.pageEvents,
  });
}

function refusalOf(author: ChangeAuthor, frame: ChangeFrame, message: ChangedMessage): ContinuoError | null {
  const { handle, channel, moderates } = author;
  const { messageId } = frame;
  const { sent, later, writer } = message;
  const details = { channel, messageId };
  const ofMessage = later.filter(({ data }) => recordOf(data).messageId === sent.id);
  if (ofMessage.some(({ type }) => type === "message_deleted")) {
    return new ContinuoError("conflict", `the message ${messageId} was deleted`, { details });
  }
  if (frame.type === "react") return reactionRefusal(author, frame, { ...message, later: ofMessage });
  if (writer !== handle && !(frame.type === "delete" && moderates)) {
    return new ContinuoError("forbidden", `${handle} did not write the message ${messageId}`, {
      hint: "Ask the author, or delete the message with a token that has the scope admin.",
      details,
    });
  }
  const isOpen = recordOf(sent.data).state === "open";
  const hasEnded = ofMessage.some((event) => END_TYPES.includes(event.type) && isByWriter(event, writer));
  if (!isOpen || hasEnded) return null;
  return new ContinuoError("conflict", `the message ${messageId} is in progress`, {
    hint: "Complete it first; until then its writer can replace the text.",
    details,
  });
}

type ReactFrame = Extract<ChangeFrame, { readonly type: "react" }>;

function reactionRefusal(
  { handle, channel }: ChangeAuthor,
  { messageId, reaction, change }: ReactFrame,
  { later, writer }: ChangedMessage,
): ContinuoError | null {
  const none: ChangeableMessage = { handle: writer, content: "", state: "complete" };
  const changes = later.map(toMessageChange).filter((one) => one !== null);
  const { reactions = [] } = changes.reduce(changedMessage<ChangeableMessage>, none);
  const own = reactions.filter(({ handles }) => handles.includes(handle)).map((one) => one.reaction);
  if (change === "added" && !own.includes(reaction) && own.length >= CHANNEL_LIMITS.reactions) {
    return new ContinuoError("too_large", `${handle} has ${own.length} reactions to this message already`, {
      hint: "Delete one of them first.",
      details: { limit: CHANNEL_LIMITS.reactions },
    });
  }
  const isKnown = later.some((event) => isReaction(event, handle, reaction));
  if (change === "added" || isKnown) return null;
  return new ContinuoError("not_found", `${handle} has no reaction ${reaction} to the message ${messageId}`, {
    details: { channel, messageId, reaction },
  });
}

/** The participant's last event about one reaction to a message. */
function lastReaction(
  events: readonly StoredEvent[],
  { messageId, reaction }: ReactFrame,
  handle: string,
): StoredEvent | null {
  const isOf = (event: StoredEvent): boolean =>
    recordOf(event.data).messageId === messageId && isReaction(event, handle, reaction);
  return events.findLast(isOf) ?? null;
}

function isReaction(event: StoredEvent, handle: string, reaction: string): boolean {
  return (
    event.type.startsWith("reaction_") &&
    authorOf(event) === handle &&
    recordOf(event.data).reaction === reaction
  );
}

/** The messages that were deleted after a sequence, by id. */
export async function deletedAfter(
  store: Store,
  channel: string,
  after: number,
): Promise<ReadonlySet<string>> {
  const deleted = new Set<string>();
  const place = { after, types: ["message_deleted"], limit: LIMITS.pageEvents };
  for await (const { data } of readAll(store, channelLogId(channel), place)) {
    const { messageId } = recordOf(data);
    if (typeof messageId === "string") deleted.add(messageId);
  }
  return deleted;
}

/** The last edit of a message by its author; `undefined` if there is none. */
export async function lastEdit(
  store: Store,
  channel: string,
  sent: Pick<StoredEvent, "id" | "sequence" | "actor">,
): Promise<{ readonly id: string; readonly content: unknown } | undefined> {
  const place = { after: sent.sequence, types: ["message_edited"], limit: LIMITS.pageEvents };
  let edit: { readonly id: string; readonly content: unknown } | undefined;
  for await (const event of readAll(store, channelLogId(channel), {
    ...place,
    texts: [JSON.stringify(sent.id)],
  })) {
    const data = recordOf(event.data);
    if (data.messageId === sent.id && isByWriter(event, authorOf(sent)))
      edit = { id: event.id, content: data.content };
  }
  return edit;
}
