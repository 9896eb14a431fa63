/** Stores what a participant writes: frames become events of the channel's log, fenced with the participant's lease. */

import {
  ContinuoError,
  isContinuoError,
  type NewEvent,
  present,
  readAll,
  type Store,
  type StoredEvent,
  type Write,
} from "@continuo/core/model";
import {
  authorOf,
  CHANNEL_LIMITS,
  type ChangeFrame,
  headOf,
  isByWriter,
  type MessageHead,
  type PartFrame,
  type PostFrame,
  recordOf,
  textOfContent,
} from "@continuo/core/wire";
import type { Fence } from "./handles.ts";
import { LIMITS } from "./limits.ts";
import { type ChangeAuthor, changeOf } from "./message-changes.ts";
import { type ConnectionRef, channelLogId } from "./names.ts";
import { authorOfMessage, blobsFor, headOfSent } from "./sent-messages.ts";

export interface Author extends ChangeAuthor {
  /** `person` or `agent`; a participant of any other type writes as an agent. */
  readonly type: string;
  readonly instance: string;
  /** Left out for messages of senders that are not connected. */
  readonly fence?: Fence;
}

/** The unfinished messages of this participant, by id. */
export type OpenMessages = ReadonlyMap<string, { readonly length: number; readonly head: MessageHead }>;

export interface Post {
  readonly frame: PostFrame;
  /** All unfinished messages of this author: nobody else can write under its lease. */
  readonly open: OpenMessages;
  /** Other writes in the same transaction. */
  readonly also?: readonly Write[];
}

/**
 * Stores one event and returns it; an event with the same id is returned as it was stored. Errors: `not_found` for the
 * message that a reply or a change names, `conflict` for a message that is not in progress, or for a change of a
 * message that is in progress or deleted, `forbidden` for a change of the message of another participant, `too_large`,
 * `fenced`.
 */
export async function post(store: Store, author: Author, { frame, open, also }: Post): Promise<StoredEvent> {
  if (isChange(frame)) {
    const { event, refusal, same } = await changeOf(store, author, frame);
    return (
      same ??
      (await append(store, author, { event: { ...headerOf(author, frame), ...event }, refusal, also }))
    );
  }
  const event = await toEvent(store, author, { frame, open });
  const isOver = isPart(frame) && !open.has(frame.messageId);
  const refusal = isOver ? notInProgress(author, frame.messageId) : null;
  return append(store, author, { event, refusal, also });
}

/**
 * Stores whole messages together, with one commit, and returns their events in the same order. Errors: those of `post`,
 * and `conflict` if only some of them are already stored; then nothing is stored.
 */
export async function postTogether(
  store: Store,
  author: Author,
  frames: readonly SendFrame[],
): Promise<readonly StoredEvent[]> {
  const open = new Map();
  const events = await Promise.all(frames.map((frame) => toEvent(store, author, { frame, open })));
  return await store.append(channelLogId(author.channel), events, present({ lease: author.fence }));
}

interface Append {
  readonly event: NewEvent;
  /** The reason why a new event is refused. */
  readonly refusal: ContinuoError | null;
  readonly also: readonly Write[] | undefined;
}

async function append(store: Store, author: Author, { event, refusal, also }: Append): Promise<StoredEvent> {
  const given = present({ lease: author.fence, also });
  // The log may have accepted a refused event earlier: the append has a sequence that no log can have, so it can only
  // return a stored event.
  const options = refusal === null ? given : { ...given, expectedSequence: Number.MAX_SAFE_INTEGER };
  const stored = await store
    .append(channelLogId(author.channel), [event], options)
    .catch((error: unknown) => {
      throw refusal !== null && isContinuoError(error, "conflict") ? refusal : error;
    });
  const [first] = stored;
  if (first === undefined) throw new ContinuoError("unavailable", "the store returned no event");
  return first;
}

const PARTS: ReadonlySet<string> = new Set<PartFrame["type"]>(["append", "replace", "complete"]);
const CHANGES: ReadonlySet<string> = new Set<ChangeFrame["type"]>(["edit", "delete", "react"]);

/** Returns true for a frame of a type that adds to a message in progress, replaces its text, or completes it. */
export function isPart(frame: PostFrame): frame is Extract<PostFrame, PartFrame> {
  return PARTS.has(frame.type);
}

function isChange(frame: PostFrame): frame is Extract<PostFrame, ChangeFrame> {
  return CHANGES.has(frame.type);
}

function headerOf(author: Author, { id }: PostFrame): Required<Pick<NewEvent, "id" | "actor">> {
  return { id, actor: { kind: author.type === "person" ? "person" : "agent", id: author.handle } };
}

/** Returns true if a message has ended. The client may be sending its first event again. */
export async function hasEnded(store: Store, channel: string, message: StoredEvent): Promise<boolean> {
  const { id, sequence } = message;
  const types = ["message_completed", "message_interrupted"];
  const place = { after: sequence, types, limit: LIMITS.pageEvents };
  for await (const event of readAll(store, channelLogId(channel), place)) {
    if (recordOf(event.data).messageId === id && isByWriter(event, authorOf(message))) return true;
  }
  return false;
}

/** The messages in progress after a frame was stored as an event. */
export function openAfter(open: OpenMessages, frame: PostFrame, { data }: StoredEvent): OpenMessages {
  const next = new Map(open);
  if (frame.type === "send" && frame.state === "open") {
    next.set(frame.id, { length: textOfContent(frame.content).length, head: headOf(recordOf(data)) });
  }
  const message = isPart(frame) ? open.get(frame.messageId) : undefined;
  if (message === undefined || !isPart(frame)) return next;
  const { messageId } = frame;
  if (frame.type === "append")
    next.set(messageId, { ...message, length: message.length + frame.delta.length });
  if (frame.type === "replace") next.set(messageId, { ...message, length: frame.content.length });
  if (frame.type === "complete") next.delete(messageId);
  return next;
}

interface MessagePost extends Post {
  readonly frame: Exclude<PostFrame, ChangeFrame>;
}

async function toEvent(store: Store, author: Author, { frame, open }: MessagePost): Promise<NewEvent> {
  const { id, actor } = headerOf(author, frame);
  switch (frame.type) {
    case "send":
      return { id, type: "message_sent", actor, ...(await sent(store, author, { frame, open })) };
    case "append": {
      const { messageId, delta } = frame;
      assertLength((open.get(messageId)?.length ?? 0) + delta.length);
      return { id, type: "message_streamed", actor, data: { messageId, delta } };
    }
    case "replace": {
      const { messageId, content } = frame;
      return { id, type: "message_updated", actor, data: { messageId, content } };
    }
    case "complete": {
      const { messageId, content } = frame;
      return {
        id,
        type: "message_completed",
        actor,
        // A client that did not receive the answer sends the event again, and the message may have ended by then: the
        // event must be the same.
        data: {
          messageId,
          content,
          ...(open.get(messageId)?.head ?? (await headOfSent(store, author, messageId))),
        },
        ...blobsFor({ content }),
      };
    }
    case "call": {
      const { to, method, args } = frame;
      return { id, type: "method_called", actor, data: { callId: id, to, method, args } };
    }
    case "answer": {
      const { callId, value, done } = frame;
      return { id, type: "method_answered", actor, data: { callId, value, done } };
    }
    case "cancel": {
      const { callId, reason } = frame;
      return { id, type: "method_cancelled", actor, data: { callId, reason } };
    }
  }
}

type SendFrame = Extract<PostFrame, { readonly type: "send" }>;

async function sent(
  store: Store,
  author: Author,
  { frame, open }: { readonly frame: SendFrame; readonly open: OpenMessages },
): Promise<Pick<NewEvent, "data" | "blobs">> {
  const { id, content, to, replyTo, attachments = [] } = frame;
  if (frame.state === "open") assertRoom(open, author, id);
  const replyToHandle =
    replyTo === undefined ? undefined : await authorOfMessage(store, author.channel, replyTo);
  const data = {
    messageId: id,
    content,
    ...present({ to }),
    ...(replyTo === undefined ? {} : { replyTo, replyToHandle }),
    ...(frame.state === undefined ? {} : { state: frame.state, writer: author.instance }),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
  return { data, ...blobsFor({ content, attachments }) };
}

function notInProgress({ channel }: ConnectionRef, messageId: string): ContinuoError {
  return new ContinuoError("conflict", `the message ${messageId} is not in progress`, {
    hint: "Send a new message; this one was completed or interrupted.",
    details: { channel, messageId },
  });
}

function assertRoom(open: OpenMessages, { handle }: ConnectionRef, id: string): void {
  if (open.size < CHANNEL_LIMITS.openMessages || open.has(id)) return;
  throw new ContinuoError(
    "too_large",
    `cannot begin another message: ${handle} already has ${open.size} in progress`,
    {
      hint: "Complete some of them first.",
      details: { limit: CHANNEL_LIMITS.openMessages },
    },
  );
}

function assertLength(length: number): void {
  if (length <= CHANNEL_LIMITS.messageLength) return;
  throw new ContinuoError(
    "too_large",
    `the message is longer than ${CHANNEL_LIMITS.messageLength} characters`,
    {
      details: { limit: CHANNEL_LIMITS.messageLength, length },
    },
  );
}
