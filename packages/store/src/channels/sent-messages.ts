/** The beginnings of messages in the log of a channel, and the blobs that a message refers to. */

import { type Block, ContinuoError, type Store, type StoredEvent } from "@continuo/core/model";
import { type Attachment, authorOf, headOf, type MessageHead, recordOf } from "@continuo/core/wire";
import { type ConnectionRef, channelLogId } from "./names.ts";

export async function findSent(
  store: Store,
  channel: string,
  messageId: string,
): Promise<StoredEvent | undefined> {
  const { events } = await store.read(channelLogId(channel), { id: messageId, types: ["message_sent"] });
  return events[0];
}

/** The handle that wrote the message; empty for a message of the server. Errors: `not_found`. */
export async function authorOfMessage(store: Store, channel: string, messageId: string): Promise<string> {
  const found = await findSent(store, channel, messageId);
  if (found !== undefined) return authorOf(found) ?? "";
  throw noMessage(channel, messageId);
}

export async function headOfSent(
  store: Store,
  { channel }: ConnectionRef,
  messageId: string,
): Promise<MessageHead> {
  const found = await findSent(store, channel, messageId);
  return found === undefined ? {} : headOf(recordOf(found.data));
}

export function noMessage(channel: string, messageId: string): ContinuoError {
  return new ContinuoError("not_found", `there is no message ${messageId} in the channel ${channel}`, {
    hint: "Name the id of a message of the channel.",
    details: { channel, messageId },
  });
}

interface MessageParts {
  readonly content?: string | readonly Block[];
  readonly attachments?: readonly Attachment[];
}

const HASH = /^[0-9a-f]{64}$/u;

/** The blobs of its attachments, and of images and files among its blocks. */
export function blobsOf({ content, attachments = [] }: MessageParts): readonly string[] {
  const blocks = typeof content === "object" ? content : [];
  const inBlocks = blocks.map((block) => recordOf(block).blob).filter((blob) => typeof blob === "string");
  const blobs = [...attachments.map(({ blob }) => blob), ...inBlocks.filter((blob) => HASH.test(blob))];
  return [...new Set(blobs)];
}

/** The same blobs as fields of an event. */
export function blobsFor(parts: MessageParts): { readonly blobs?: readonly string[] } {
  const blobs = blobsOf(parts);
  return blobs.length === 0 ? {} : { blobs };
}
