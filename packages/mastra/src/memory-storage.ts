/**
 * The memory domain of Mastra's storage. Its rows are those of Mastra's `InMemoryMemory`, which answers each read. They
 * are folded from the log of one session. A change is decided here, and is stored before the rows change.
 */

import { randomUUID } from "node:crypto";
import { ContinuoError, type NewEvent, type Store } from "@continuo/core/model";
import { adapterSession, FoldedLog } from "@continuo/store/adapters";
import { MessageList } from "@mastra/core/agent/message-list";
import type { StorageThreadType } from "@mastra/core/memory";
import {
  type InMemoryDB,
  InMemoryMemory,
  MemoryStorage,
  type StorageCloneThreadInput,
  type StorageCopyThreadOutput,
  type StorageListMessagesByResourceIdInput,
  type StorageListMessagesInput,
  type StorageListMessagesOutput,
  type StorageListThreadsInput,
  type StorageListThreadsOutput,
  type StorageResourceType,
} from "@mastra/core/storage";
import {
  copiedMessages,
  type Message,
  type MessageUpdate,
  messageOf,
  rowOf,
  updatedRow,
} from "./messages.ts";
import {
  applyEvent,
  emptyRows,
  messageDeleted,
  messageSaved,
  resourceSaved,
  threadCopied,
  threadDeleted,
  threadMoved,
  threadSaved,
} from "./records.ts";

export interface ContinuoMemoryStorageOptions {
  /** The session that stores the memory; `mastra-memory` by default. */
  readonly sessionId?: string;
}

export class ContinuoMemoryStorage extends MemoryStorage {
  override readonly supportsPartialThreadUpdate = true;
  override readonly supportsObservationalMemory = false;
  readonly #store: Store;
  readonly #sessionId: string;
  readonly #rows: FoldedLog<InMemoryDB>;

  /** The store belongs to the caller, who closes it. */
  constructor(store: Store, { sessionId = "mastra-memory" }: ContinuoMemoryStorageOptions = {}) {
    super();
    this.#store = store;
    this.#sessionId = sessionId;
    const made = { agent: "mastra", title: "Memory" };
    this.#rows = new FoldedLog(adapterSession(store, sessionId, made), {
      initial: emptyRows,
      apply: applyEvent,
    });
  }

  /** Mastra's memory computes its answer synchronously, so no later event changes it. */
  async #look<Result>(look: (memory: InMemoryMemory) => Promise<Result>): Promise<Result> {
    return structuredClone(await this.#rows.read((db) => look(new InMemoryMemory({ db }))));
  }

  async #change<Result>(decide: (rows: InMemoryDB) => Change<Result>): Promise<Result> {
    return structuredClone(await this.#rows.change(decide));
  }

  override getThreadById(args: { threadId: string; resourceId?: string }): Promise<StorageThreadType | null> {
    return this.#look((memory) => memory.getThreadById(args));
  }

  override listThreads(args: StorageListThreadsInput): Promise<StorageListThreadsOutput> {
    return this.#look((memory) => memory.listThreads(args));
  }

  override listMessages(args: StorageListMessagesInput): Promise<StorageListMessagesOutput> {
    return this.#look((memory) => memory.listMessages(args));
  }

  override listMessagesByResourceId(
    args: StorageListMessagesByResourceIdInput,
  ): Promise<StorageListMessagesOutput> {
    return this.#look((memory) => memory.listMessagesByResourceId(args));
  }

  override listMessagesById(args: { messageIds: string[] }): Promise<{ messages: Message[] }> {
    return this.#look((memory) => memory.listMessagesById(args));
  }

  override getResourceById(args: { resourceId: string }): Promise<StorageResourceType | null> {
    return this.#look((memory) => memory.getResourceById(args));
  }

  override saveThread({ thread }: { thread: StorageThreadType }): Promise<StorageThreadType> {
    return this.#change(() => ({ events: [threadSaved(thread)], result: thread }));
  }

  override updateThread(args: ThreadUpdate): Promise<StorageThreadType> {
    return this.#change((rows) => threadChange(existing(rows, args.id), args));
  }

  /**
   * The decision uses the stored data, including changes by other processes: `update` is called again if another
   * process wrote in the meantime.
   */
  override updateThreadMetadata({
    id,
    resourceId,
    update,
  }: {
    id: string;
    resourceId?: string;
    update: (thread: StorageThreadType) => Record<string, unknown> | undefined;
  }): Promise<StorageThreadType | null> {
    return this.#change<StorageThreadType | null>((rows) => {
      const thread = rows.threads.get(id);
      if (thread === undefined || (resourceId !== undefined && thread.resourceId !== resourceId)) {
        return { events: [], result: null };
      }
      const metadata = update(structuredClone(thread));
      return metadata === undefined ? { events: [], result: thread } : threadChange(thread, { metadata });
    });
  }

  override updateThreadResourceId({
    threadId,
    resourceId,
  }: {
    threadId: string;
    resourceId: string;
  }): Promise<StorageThreadType> {
    return this.#change((rows) => {
      const thread = existing(rows, threadId);
      if (thread.resourceId === resourceId) return { events: [], result: thread };
      const moved = { ...thread, resourceId, updatedAt: laterThan(thread.updatedAt) };
      return { events: [threadMoved(moved)], result: moved };
    });
  }

  override deleteThread({ threadId }: { threadId: string }): Promise<void> {
    return this.#change(() => ({ events: [threadDeleted(threadId)], result: undefined }));
  }

  override copyThread(args: StorageCloneThreadInput): Promise<StorageCopyThreadOutput> {
    return this.#change(({ threads, messages }) => {
      const source = existing({ threads }, args.sourceThreadId);
      const id = args.newThreadId || randomUUID();
      if (threads.has(id)) throw new ContinuoError("conflict", `the thread ${id} exists already`);
      const copied = copiedMessages(messages, args);
      const now = new Date();
      const clone = { sourceThreadId: source.id, clonedAt: now, lastMessageId: copied.at(-1)?.id };
      const thread = {
        id,
        resourceId: args.resourceId || source.resourceId,
        title: args.title || (source.title === undefined ? undefined : `Clone of ${source.title}`),
        metadata: { ...args.metadata, clone },
        createdAt: now,
        updatedAt: now,
      } as StorageThreadType;
      const ids = Object.fromEntries(copied.map((message) => [message.id, randomUUID()]));
      const owner = args.resourceId ? { resourceId: args.resourceId } : {};
      return {
        events: [threadCopied({ from: source.id, thread, ids, ...owner })],
        result: { thread, messageIdMap: ids },
      };
    });
  }

  override saveMessages({ messages }: { messages: Message[] }): Promise<{ messages: Message[] }> {
    return this.#change(({ threads }) => ({
      events: [
        ...messages.map((message) => messageSaved(rowOf(message))),
        ...touched(threads, new Set(messages.map(({ threadId }) => threadId))),
      ],
      result: { messages: new MessageList().add(messages, "memory").get.all.db() },
    }));
  }

  override updateMessages({ messages }: { messages: MessageUpdate[] }): Promise<Message[]> {
    return this.#change((rows) => {
      const changed = new Map<string, ReturnType<typeof rowOf>>();
      const threadIds = new Set<string | undefined>();
      for (const update of messages) {
        const row = changed.get(update.id) ?? rows.messages.get(update.id);
        if (row === undefined) continue;
        const updated = updatedRow(row, update);
        threadIds.add(row.thread_id).add(updated.thread_id);
        changed.set(row.id, updated);
      }
      const events = [...[...changed.values()].map(messageSaved), ...touched(rows.threads, threadIds)];
      return { events, result: [...changed.values()].map(messageOf) };
    });
  }

  override deleteMessages(messageIds: string[]): Promise<void> {
    return this.#change(({ threads, messages }) => {
      const known = messageIds.flatMap((id) => messages.get(id) ?? []);
      const threadIds = new Set(known.map((message) => message.thread_id));
      const events = [...known.map(({ id }) => messageDeleted(id)), ...touched(threads, threadIds)];
      return { events, result: undefined };
    });
  }

  override saveResource({ resource }: { resource: StorageResourceType }): Promise<StorageResourceType> {
    return this.#change(() => ({ events: [resourceSaved(resource)], result: resource }));
  }

  override updateResource({
    resourceId,
    workingMemory,
    metadata,
  }: {
    resourceId: string;
    workingMemory?: string;
    metadata?: Record<string, unknown>;
  }): Promise<StorageResourceType> {
    return this.#change(({ resources }) => {
      const now = new Date();
      const known = resources.get(resourceId);
      const resource: StorageResourceType = {
        ...(known ?? { id: resourceId, createdAt: now }),
        metadata: { ...known?.metadata, ...metadata },
        updatedAt: now,
      };
      if (workingMemory !== undefined) resource.workingMemory = workingMemory;
      return { events: [resourceSaved(resource)], result: resource };
    });
  }

  /** Deletes the session, and all data with it. */
  override async dangerouslyClearAll(): Promise<void> {
    if ((await this.#store.getSession(this.#sessionId)) !== null) {
      await this.#store.deleteSession(this.#sessionId);
    }
  }
}

interface Change<Result> {
  readonly events: readonly NewEvent[];
  readonly result: Result;
}

interface ThreadUpdate {
  id: string;
  title?: string;
  metadata?: Record<string, unknown>;
}

function existing({ threads }: Pick<InMemoryDB, "threads">, id: string): StorageThreadType {
  const thread = threads.get(id);
  if (thread === undefined) throw new ContinuoError("not_found", `there is no thread ${id}`);
  return thread;
}

function threadChange(
  thread: StorageThreadType,
  { title = thread.title, metadata }: Omit<ThreadUpdate, "id">,
): Change<StorageThreadType> {
  const updated = {
    ...thread,
    ...(title === undefined ? {} : { title }),
    metadata: { ...thread.metadata, ...metadata },
    updatedAt: laterThan(thread.updatedAt),
  };
  return { events: [threadSaved(updated)], result: updated };
}

/** Sets the present time as the update time of threads whose messages change. */
function touched(
  threads: ReadonlyMap<string, StorageThreadType>,
  ids: ReadonlySet<string | undefined>,
): readonly NewEvent[] {
  return [...ids].flatMap((id) => {
    const thread = id === undefined ? undefined : threads.get(id);
    if (thread === undefined) return [];
    return [threadSaved({ ...thread, updatedAt: laterThan(thread.updatedAt) })];
  });
}

/** The times of a thread grow with each change, even if changes happen within one millisecond. */
function laterThan(before: Date): Date {
  return new Date(Math.max(Date.now(), before.getTime() + 1));
}
