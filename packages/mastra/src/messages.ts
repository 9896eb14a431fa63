/** Messages of Mastra as rows of its memory, and the selection of messages for a copy of a thread. */

import type { MemoryStorage, StorageCloneThreadInput, StorageMessageType } from "@mastra/core/storage";
import { messagesOf } from "./records.ts";

export type Message = Parameters<MemoryStorage["saveMessages"]>[0]["messages"][number];
export type MessageUpdate = Parameters<MemoryStorage["updateMessages"]>[0]["messages"][number];

export function rowOf(message: Message): StorageMessageType {
  return {
    id: message.id,
    thread_id: message.threadId ?? "",
    content: JSON.stringify(message.content),
    role: message.role,
    type: message.type ?? "text",
    createdAt: message.createdAt,
    resourceId: message.resourceId ?? null,
  };
}

export function messageOf({
  id,
  thread_id,
  content,
  role,
  type,
  createdAt,
  resourceId,
}: StorageMessageType): Message {
  const owner = resourceId === null ? {} : { resourceId };
  return {
    id,
    threadId: thread_id,
    content: JSON.parse(content),
    role,
    type,
    createdAt,
    ...owner,
  } as Message;
}

/** Parts of the content that an update does not name stay, including parts of its metadata. */
export function updatedRow(row: StorageMessageType, update: MessageUpdate): StorageMessageType {
  const content = update.content === undefined ? row.content : mergedContent(row.content, update.content);
  return {
    ...row,
    content,
    role: update.role ?? row.role,
    type: update.type ?? row.type,
    thread_id: update.threadId || row.thread_id,
    resourceId: update.resourceId === undefined ? row.resourceId : update.resourceId,
  };
}

function mergedContent(text: string, update: object): string {
  const before = JSON.parse(text) as { readonly metadata?: object };
  const after = update as { readonly metadata?: object };
  const metadata =
    before.metadata === undefined || after.metadata === undefined
      ? {}
      : { metadata: { ...before.metadata, ...after.metadata } };
  return JSON.stringify({ ...before, ...after, ...metadata });
}

/** The messages in the order of their times; a limit keeps the newest. */
export function copiedMessages(
  messages: ReadonlyMap<string, StorageMessageType>,
  { sourceThreadId, options: { messageFilter, messageLimit } = {} }: StorageCloneThreadInput,
): readonly StorageMessageType[] {
  const { startDate, endDate, messageIds = [] } = messageFilter ?? {};
  const chosen = messagesOf(messages, sourceThreadId)
    .filter(({ id }) => messageIds.length === 0 || messageIds.includes(id))
    .filter(({ createdAt }) => startDate === undefined || createdAt >= startDate)
    .filter(({ createdAt }) => endDate === undefined || createdAt <= endDate)
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  return messageLimit === undefined || messageLimit <= 0 ? chosen : chosen.slice(-messageLimit);
}
