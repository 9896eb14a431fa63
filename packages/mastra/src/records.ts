/** The events of a memory, and the rows of Mastra's own memory that are folded from them. */

import type { NewEvent, StoredEvent } from "@continuo/core/model";
import type { StorageThreadType } from "@mastra/core/memory";
import { InMemoryDB, type StorageMessageType, type StorageResourceType } from "@mastra/core/storage";

/** A row as JSON, in which times are texts. */
type RowJson<Row> = Omit<Row, "createdAt" | "updatedAt"> & {
  readonly createdAt: string;
  readonly updatedAt?: string;
};

export interface ThreadCopy {
  readonly from: string;
  readonly thread: StorageThreadType;
  /** The ids of the copies, by the ids of the messages. */
  readonly ids: Readonly<Record<string, string>>;
  /** The owner of the copies, if it changes. */
  readonly resourceId?: string;
}

const THREAD = "mastra.thread";
const THREAD_DELETED = "mastra.thread_deleted";
const THREAD_COPIED = "mastra.thread_copied";
const THREAD_MOVED = "mastra.thread_moved";
const MESSAGE = "mastra.message";
const MESSAGE_DELETED = "mastra.message_deleted";
const RESOURCE = "mastra.resource";

export const threadSaved = (thread: StorageThreadType): NewEvent => event(THREAD, { thread });
export const threadDeleted = (id: string): NewEvent => event(THREAD_DELETED, { id });
export const threadCopied = (copied: ThreadCopy): NewEvent => event(THREAD_COPIED, copied);
/** All messages of the thread get its owner. */
export const threadMoved = (thread: StorageThreadType): NewEvent => event(THREAD_MOVED, { thread });
export const messageSaved = (message: StorageMessageType): NewEvent => event(MESSAGE, { message });
export const messageDeleted = (id: string): NewEvent => event(MESSAGE_DELETED, { id });
export const resourceSaved = (resource: StorageResourceType): NewEvent => event(RESOURCE, { resource });

/** Copies the data as JSON, so that later changes of the caller's object have no effect. */
function event(type: string, data: unknown): NewEvent {
  return { type, data: JSON.parse(JSON.stringify(data)) };
}

export function emptyRows(): InMemoryDB {
  return new InMemoryDB();
}

export function applyEvent(rows: InMemoryDB, { type, data }: StoredEvent): void {
  // A redacted payload is skipped.
  if (data !== null) APPLY[type]?.(rows, data as never);
}

const APPLY: Readonly<Record<string, (rows: InMemoryDB, data: never) => void>> = {
  [THREAD]: ({ threads }, { thread }: { readonly thread: RowJson<StorageThreadType> }) => {
    threads.set(thread.id, withTimes(thread));
  },
  [THREAD_DELETED]: ({ threads, messages }, { id }: { readonly id: string }) => {
    threads.delete(id);
    for (const message of messagesOf(messages, id)) messages.delete(message.id);
  },
  [THREAD_COPIED]: applyCopy,
  [THREAD_MOVED]: ({ threads, messages }, { thread }: { readonly thread: RowJson<StorageThreadType> }) => {
    threads.set(thread.id, withTimes(thread));
    for (const message of messagesOf(messages, thread.id)) message.resourceId = thread.resourceId;
  },
  [MESSAGE]: ({ messages }, { message }: { readonly message: RowJson<StorageMessageType> }) => {
    messages.set(message.id, { ...message, createdAt: new Date(message.createdAt) });
  },
  [MESSAGE_DELETED]: ({ messages }, { id }: { readonly id: string }) => {
    messages.delete(id);
  },
  [RESOURCE]: ({ resources }, { resource }: { readonly resource: RowJson<StorageResourceType> }) => {
    resources.set(resource.id, withTimes(resource));
  },
};

function applyCopy(
  { threads, messages }: InMemoryDB,
  { from, thread, ids, resourceId }: ThreadCopy & { readonly thread: RowJson<StorageThreadType> },
): void {
  threads.set(thread.id, withTimes(thread as RowJson<StorageThreadType>));
  for (const message of messagesOf(messages, from)) {
    const id = ids[message.id];
    if (id === undefined) continue;
    messages.set(id, {
      ...message,
      id,
      thread_id: thread.id,
      resourceId: resourceId ?? message.resourceId,
    });
  }
}

export function messagesOf(
  messages: ReadonlyMap<string, StorageMessageType>,
  threadId: string,
): StorageMessageType[] {
  return [...messages.values()].filter((message) => message.thread_id === threadId);
}

function withTimes<Row extends { readonly createdAt: Date; readonly updatedAt: Date }>(
  kept: RowJson<Row>,
): Row {
  const times = {
    createdAt: new Date(kept.createdAt),
    updatedAt: new Date(kept.updatedAt ?? kept.createdAt),
  };
  return { ...kept, ...times } as unknown as Row;
}
