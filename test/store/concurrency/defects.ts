/** Ways in which a store can be wrong. Each is a wrapper around some calls of a correct store. */

import { isContinuoError, type NewEvent, type Store, type StoredEvent } from "@continuo/core/model";
import type { RecordedStore } from "./record-history.ts";

/** Returns a function that returns true at every `n`th call. */
function every(n: number): () => boolean {
  let calls = 0;
  return () => ++calls % n === 0;
}

function changedAnswer(
  store: RecordedStore,
  change: (stored: StoredEvent) => StoredEvent,
): Partial<RecordedStore> {
  const wrong = every(4);
  return {
    append: async (logId, events, options) => {
      const stored = await store.append(logId, events, options);
      return wrong() ? stored.map(change) : stored;
    },
  };
}

function changedRefusal(
  store: RecordedStore,
  code: "conflict" | "fenced",
  change: Record<string, number>,
): Partial<RecordedStore> {
  return {
    append: async (logId, events, options) => {
      try {
        return await store.append(logId, events, options);
      } catch (error) {
        if (isContinuoError(error, code)) {
          for (const [key, by] of Object.entries(change)) {
            Object.assign(error.details, { [key]: Math.max(0, Number(error.details[key]) + by) });
          }
        }
        throw error;
      }
    },
  };
}

function changedPage(
  store: RecordedStore,
  change: (events: readonly StoredEvent[]) => readonly StoredEvent[],
): Partial<RecordedStore> {
  return {
    read: async (logId, options) => {
      const page = await store.read(logId, options);
      return { ...page, events: change(page.events) };
    },
  };
}

function changedTail(
  store: RecordedStore,
  change: (event: StoredEvent, n: number) => readonly StoredEvent[],
): Partial<RecordedStore> {
  return {
    tail: async function* (logId, options) {
      let n = 0;
      for await (const event of store.tail(logId, options)) yield* change(event, ++n);
    },
  };
}

function withoutIds(events: readonly NewEvent[]): readonly NewEvent[] {
  return events.map(({ id: _, ...event }) => event);
}

export const DEFECTS: Readonly<Record<string, (store: RecordedStore) => Partial<RecordedStore>>> = {
  "ignores the expected sequence": (store) => ({
    append: (logId, events, { expectedSequence: _, ...options } = {}) => store.append(logId, events, options),
  }),
  "stores a repetition again": (store) => ({
    append: (logId, events, { expectedSequence: _, ...options } = {}) =>
      store.append(logId, withoutIds(events), options),
  }),
  "ignores the fencing token": (store) => ({
    append: (logId, events, { lease: _, ...options } = {}) => store.append(logId, events, options),
  }),
  "acknowledges before it stores": (store) => {
    const later: (() => Promise<unknown>)[] = [];
    return {
      append: async (logId, events, options) => {
        const head = (await store.getLog(logId))?.latestSequence ?? 0;
        for (const stored of later.splice(0)) await stored();
        later.push(() => store.append(logId, events, options).catch(() => undefined));
        return [{ sequence: head + 1 } as never];
      },
    };
  },
  "answers without storing": (store) => {
    const lazy = every(5);
    return {
      append: async (logId, events, options) => {
        if (!lazy()) return store.append(logId, events, options);
        return [{ sequence: (options?.expectedSequence ?? 0) + 1, chainHash: "" } as never];
      },
    };
  },
  "stores what it refuses": (store) => {
    const wrong = every(3);
    return {
      append: async (logId, events, { expectedSequence, ...options } = {}) => {
        try {
          return await store.append(logId, events, {
            ...options,
            ...(expectedSequence === undefined ? {} : { expectedSequence }),
          });
        } catch (error) {
          if (isContinuoError(error, "conflict") && wrong())
            await store.append(logId, events).catch(() => undefined);
          throw error;
        }
      },
    };
  },
  "stores an event under another id too": (store) => {
    const wrong = every(6);
    return {
      append: async (logId, events, options) => {
        const stored = await store.append(logId, events, options);
        if (wrong()) await store.append(logId, withoutIds(events));
        return stored;
      },
    };
  },
  "answers with the sequence of the event before": (store) =>
    changedAnswer(store, (stored) => ({ ...stored, sequence: stored.sequence - 1 })),
  "answers with the sequence of the event after": (store) =>
    changedAnswer(store, (stored) => ({ ...stored, sequence: stored.sequence + 1 })),
  "answers with another hash": (store) =>
    changedAnswer(store, (stored) => ({ ...stored, chainHash: stored.payloadHash })),
  "reports an old head in its refusals": (store) => changedRefusal(store, "conflict", { latestSequence: -3 }),
  "reports a future head in its refusals": (store) =>
    changedRefusal(store, "conflict", { latestSequence: 4 }),
  "reports an old token in its refusals": (store) => changedRefusal(store, "fenced", { token: -1 }),
  "reports a future token in its refusals": (store) => changedRefusal(store, "fenced", { token: 1_000 }),
  "reports an old head": (store) => {
    const asks = every(4);
    let old: Awaited<ReturnType<Store["getLog"]>> = null;
    return {
      getLog: async (logId) => {
        if (old === null || asks()) old = await store.getLog(logId);
        return old;
      },
    };
  },
  "reports a future head": (store) => ({
    getLog: async (logId) => {
      const log = await store.getLog(logId);
      return log === null ? null : { ...log, latestSequence: log.latestSequence + 1 };
    },
  }),
  "reports the hash of another head": (store) => {
    let hash = "0".repeat(64);
    return {
      getLog: async (logId) => {
        const log = await store.getLog(logId);
        if (log === null) return null;
        const told = { ...log, chainHash: hash };
        hash = log.chainHash;
        return told;
      },
    };
  },
  "leaves an event out of a page": (store) => changedPage(store, (events) => events.toSpliced(1, 1)),
  "leaves the newest events out of a page": (store) => changedPage(store, (events) => events.slice(0, -2)),
  "shows a page in another order": (store) => changedPage(store, (events) => events.toReversed()),
  "shows an event of a page twice": (store) =>
    changedPage(store, (events) => [...events, ...events.slice(-1)]),
  "shows a hash that is another event's": (store) =>
    changedPage(store, (events) =>
      events.map((event, n) => ({ ...event, chainHash: events[Math.max(0, n - 1)]?.chainHash ?? "" })),
    ),
  "shows what it refused": (store) => {
    const refused: NewEvent[] = [];
    return {
      append: async (logId, events, options) => {
        try {
          return await store.append(logId, events, options);
        } catch (error) {
          refused.push(...events);
          throw error;
        }
      },
      read: async (logId, options) => {
        const page = await store.read(logId, options);
        const last = page.events.at(-1);
        const dirty = refused.at(-1);
        if (last === undefined || dirty?.id === undefined) return page;
        return { ...page, events: [...page.events, { ...last, id: dirty.id, sequence: last.sequence + 1 }] };
      },
    };
  },
  "leaves an event out of a tail": (store) => changedTail(store, (event, n) => (n % 9 === 0 ? [] : [event])),
  "sends an event of a tail twice": (store) =>
    changedTail(store, (event, n) => (n % 9 === 0 ? [event, event] : [event])),
  "sends the events of a tail in another order": (store) => {
    let held: StoredEvent | undefined;
    return changedTail(store, (event, n) => {
      if (n === 4) held = event;
      return n === 4 ? [] : n === 5 && held !== undefined ? [event, held] : [event];
    });
  },
  "sends a wrong hash to a tail": (store) =>
    changedTail(store, (event) => [{ ...event, chainHash: event.payloadHash }]),
  "gives the same token twice": (store) => {
    let last: Awaited<ReturnType<Store["acquireLease"]>> | undefined;
    const wrong = every(4);
    return {
      acquireLease: async (name, options) => {
        const lease = await store.acquireLease(name, options);
        if (wrong() && last !== undefined) return last;
        last = lease;
        return lease;
      },
    };
  },
};
