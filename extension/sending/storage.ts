/**
 * IndexedDB of the extension: waiting items, by session and in order, and the outbox of the client. An item is accepted
 * once, however often a page sends it, and is moved to the outbox in a single transaction.
 */

import type { Outbox, OutboxBatch, OutboxState } from "@continuo/core/client/live";
import type { Item, ItemKind } from "./items.ts";
import { frameRoom, nextBatch, type SendingState, sendable } from "./policy.ts";

export interface StoredItem {
  readonly order: number;
  readonly key: string;
  readonly kind: ItemKind;
  readonly item: Item;
}

interface StoredProducer {
  readonly key: string;
  readonly producerId: string;
  readonly sessionId: string;
  readonly nextSequence: number;
}

interface StoredBatch extends OutboxBatch {
  readonly key: string;
}

const NAME = "continuo";
const VERSION = 1;
/** The number of waiting items that are examined for the next batch. */
const WINDOW = 200;

let opened: Promise<IDBDatabase> | null = null;

function database(): Promise<IDBDatabase> {
  opened ??= open().catch((error: unknown) => {
    opened = null;
    throw error;
  });
  return opened;
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, VERSION);
  request.onupgradeneeded = () => {
    const db = request.result;
    const waiting = db.createObjectStore("waiting", { keyPath: "order", autoIncrement: true });
    waiting.createIndex("key", ["key", "order"]);
    waiting.createIndex("id", ["key", "item.id"]);
    waiting.createIndex("kind", ["key", "kind", "order"]);
    db.createObjectStore("seen");
    db.createObjectStore("producers", { keyPath: "key" });
    db.createObjectStore("batches", { keyPath: ["key", "sequence"] });
  };
  return new Promise((resolve, reject) => {
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const db = request.result;
      // Another version of the extension wants to open the database.
      db.onversionchange = () => {
        db.close();
        opened = null;
      };
      db.onclose = () => {
        opened = null;
      };
      resolve(db);
    };
  });
}

/** Resolves when the transaction is stored on disk. */
async function change(
  stores: readonly string[],
  act: (transaction: IDBTransaction) => Promise<void> | void,
): Promise<void> {
  const transaction = (await database()).transaction([...stores], "readwrite", { durability: "strict" });
  const done = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("the transaction was aborted"));
  });
  try {
    await act(transaction);
  } catch (error) {
    transaction.abort();
    await done.catch(() => undefined);
    throw error;
  }
  await done;
}

function result<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function read<Value>(store: string, act: (store: IDBObjectStore) => IDBRequest<Value>): Promise<Value> {
  return result(act((await database()).transaction(store).objectStore(store)));
}

const ofKey = (key: string): IDBKeyRange => IDBKeyRange.bound([key], [key, []]);

/** Adds items in order, except those that were added before. */
export function enqueue(key: string, items: readonly Item[]): Promise<void> {
  return change(["waiting", "seen"], async (transaction) => {
    const [waiting, seen] = [transaction.objectStore("waiting"), transaction.objectStore("seen")];
    for (const item of items) {
      const name = [key, item.id];
      if ((await result(seen.getKey(name))) !== undefined) continue;
      seen.put(1, name);
      waiting.put({ key, kind: item.kind, item });
    }
  });
}

/** The next items that may be sent. */
export async function nextItems(key: string, standing: SendingState): Promise<readonly StoredItem[]> {
  const kinds = sendable(standing);
  if (kinds.length === 0) return [];
  if (kinds.length === 1) {
    const range = IDBKeyRange.bound([key, kinds[0]], [key, kinds[0], []]);
    return nextBatch(
      (await read("waiting", (store) => store.index("kind").getAll(range, WINDOW))) as StoredItem[],
      kinds,
    );
  }
  const found = await read("waiting", (store) => store.index("key").getAll(ofKey(key), WINDOW));
  return nextBatch(found as StoredItem[], kinds);
}

/** Remarks that were not sent yet, in their order. */
export async function waitingRemarks(key: string): Promise<readonly Extract<Item, { kind: "remark" }>[]> {
  const range = IDBKeyRange.bound([key, "remark"], [key, "remark", []]);
  const found = (await read("waiting", (store) => store.index("kind").getAll(range))) as StoredItem[];
  return found.flatMap(({ item }) => (item.kind === "remark" ? [item] : []));
}

/** The number of items that the server has not acknowledged, including those that are on their way. */
export async function countWaiting(key: string): Promise<number> {
  const waiting = await read("waiting", (store) => store.index("key").count(ofKey(key)));
  const batches = (await read("batches", (store) => store.getAll(ofKey(key)))) as readonly StoredBatch[];
  return batches.reduce((sum, { evidence }) => sum + evidence.length, waiting);
}

/** The keys of the sessions that have waiting items. */
export async function keysWaiting(): Promise<readonly string[]> {
  const keys = new Set<string>();
  const store = (await database()).transaction("waiting").objectStore("waiting");
  for (let after: IDBValidKey = []; ; ) {
    const range: IDBKeyRange = IDBKeyRange.lowerBound(after, true);
    const cursor = await result(store.index("key").openKeyCursor(range));
    if (cursor === null) return [...keys];
    const [key] = cursor.key as [string];
    keys.add(key);
    after = [key, []];
  }
}

/** Removes items that were sent, or that the server will never accept. */
export function removeItems(orders: readonly number[]): Promise<void> {
  return change(["waiting"], (transaction) => {
    for (const order of orders) transaction.objectStore("waiting").delete(order);
  });
}

/** Removes the oldest frames above the limit, and returns their number. */
export async function trimFrames(key: string, standing: SendingState): Promise<number> {
  let removed = 0;
  await change(["waiting"], async (transaction) => {
    const waiting = transaction.objectStore("waiting");
    const range = IDBKeyRange.bound([key, "frame"], [key, "frame", []]);
    const orders = await result(waiting.index("kind").getAllKeys(range));
    const old = orders.slice(0, Math.max(0, orders.length - frameRoom(standing)));
    for (const order of old) waiting.delete(order);
    removed = old.length;
  });
  return removed;
}

/** Forgets the ids of items of a session that ended, because they cannot come again. */
export function forget(key: string): Promise<void> {
  return change(["seen"], (transaction) => {
    transaction.objectStore("seen").delete(ofKey(key));
  });
}

/** The outbox of the client of one session. Adding a batch removes its items from the waiting ones. */
export function outboxOf(key: string): Outbox {
  const batchesOf = async (): Promise<readonly OutboxBatch[]> =>
    ((await read("batches", (store) => store.getAll(ofKey(key)))) as StoredBatch[]).map(
      ({ sequence, evidence }) => ({
        sequence,
        evidence,
      }),
    );
  return {
    load: async () => {
      const found = (await read("producers", (store) => store.get(key))) as StoredProducer | undefined;
      if (found === undefined) return null;
      const { producerId, sessionId, nextSequence } = found;
      return { producerId, sessionId, nextSequence, batches: await batchesOf() };
    },
    reset: ({ producerId, sessionId, nextSequence, batches }: OutboxState) =>
      change(["producers", "batches"], (transaction) => {
        const store = transaction.objectStore("batches");
        store.delete(ofKey(key));
        for (const batch of batches) store.put({ key, ...batch });
        transaction.objectStore("producers").put({ key, producerId, sessionId, nextSequence });
      }),
    add: (batch) =>
      change(["producers", "batches", "waiting"], async (transaction) => {
        const producers = transaction.objectStore("producers");
        const producer = (await result(producers.get(key))) as StoredProducer | undefined;
        if (producer === undefined) throw new Error("the outbox has no producer");
        producers.put({ ...producer, nextSequence: batch.sequence + 1 });
        transaction.objectStore("batches").put({ key, ...batch });
        const waiting = transaction.objectStore("waiting");
        for (const { id } of batch.evidence) {
          const order = id === undefined ? undefined : await result(waiting.index("id").getKey([key, id]));
          if (order !== undefined) waiting.delete(order);
        }
      }),
    remove: (sequence) =>
      change(["batches"], (transaction) => {
        transaction.objectStore("batches").delete([key, sequence]);
      }),
  };
}
