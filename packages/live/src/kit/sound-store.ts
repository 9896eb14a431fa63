/**
 * Reads a store although parts of it are damaged. If the content of an event is not the content that was written, the
 * event comes without its payload. If the row of an event cannot be read, a placeholder comes instead of the event. All
 * other functions are those of the store.
 */

import { setImmediate as otherWork } from "node:timers/promises";
import {
  type CallOptions,
  type EventPage,
  isContinuoError,
  type MediaOptions,
  type MediaPage,
  type ReadOptions,
  type Store,
  type StoredEvent,
  type TailOptions,
} from "@continuo/core/model";
import { hasItsPayload, payloadReason, UNREADABLE } from "./damage.ts";
import { LIMITS } from "./limits.ts";

export interface SoundStoreOptions {
  /**
   * Returns why an event is known to be damaged although its payload matches its hash; `null` if it is not known to be
   * damaged.
   */
  readonly known: (logId: string, sequence: number) => string | null;
  /** Called with the id of the log whenever an event is damaged that `known` does not know. */
  readonly onFound: (logId: string) => void;
}

export function soundStore(store: Store, options: SoundStoreOptions): Store {
  const reads = soundReads(store, options);
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "forWorkspace") return (id: string) => soundStore(target.forWorkspace(id), options);
      const value: unknown = Reflect.get(reads, name) ?? Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function soundReads(
  store: Store,
  { known, onFound }: SoundStoreOptions,
): Pick<Store, "read" | "readMedia" | "tail"> {
  const sound = (event: StoredEvent): StoredEvent => {
    const isFound = event.damaged !== undefined || !hasItsPayload(event);
    const reason = known(event.logId, event.sequence);
    if (!isFound && reason === null) return event;
    if (reason === null) onFound(event.logId);
    return { ...event, data: null, damaged: reason ?? event.damaged ?? payloadReason(event.sequence) };
  };
  return {
    read: async (logId, readOptions) => {
      const page = await readAround(store, logId, readOptions);
      return { ...page, events: page.events.map(sound) };
    },
    readMedia: async (logId, mediaOptions) => {
      const page = await readMediaAround(store, logId, mediaOptions);
      return { ...page, events: page.events.map(sound) };
    },
    async *tail(logId, tailOptions) {
      for await (const event of tailAround(store, logId, tailOptions)) yield sound(event);
    },
  };
}

/**
 * Reads a page, with a placeholder for an event whose row cannot be read. A page ends at such an event. With `types` or
 * another filter the placeholder is left out. Errors: those of the store, but no `corrupt` for a single event.
 */
export async function readAround(store: Store, logId: string, options: ReadOptions = {}): Promise<EventPage> {
  try {
    return await store.read(logId, options);
  } catch (error) {
    const sequence = unreadableIn(error);
    if (sequence === null) throw error;
    const { types, id, runId, texts, order } = options;
    const isFiltered = [types, id, runId, texts].some((filter) => filter !== undefined);
    const own = isFiltered ? [] : [placeholder(logId, sequence, error)];
    if (order === "newest") {
      const newer = await readAround(store, logId, { ...options, after: sequence });
      return newer.nextAfter === null ? { events: [...own, ...newer.events], nextAfter: sequence } : newer;
    }
    const older = await readAround(store, logId, { ...options, before: sequence });
    return older.nextAfter === null ? { events: [...older.events, ...own], nextAfter: sequence } : older;
  }
}

/** Every event of a log, with placeholders for those whose rows cannot be read. Errors: those of `readAround`. */
export async function* eventsAround(
  store: Store,
  logId: string,
  { after: from = 0, ...call }: CallOptions & { readonly after?: number } = {},
): AsyncGenerator<StoredEvent, void, void> {
  for (let after: number | null = from; after !== null; ) {
    const place = { after, limit: LIMITS.restorePage, ...call };
    const page: EventPage = await readAround(store, logId, place);
    yield* page.events;
    after = page.nextAfter;
    // Other work can run between two pages.
    if (after !== null) await otherWork();
  }
}

/** Follows a log, with a placeholder for an event whose row cannot be read. */
export async function* tailAround(
  store: Store,
  logId: string,
  options: TailOptions = {},
): AsyncGenerator<StoredEvent, void, void> {
  for (let after = options.after; ; ) {
    try {
      for await (const event of store.tail(logId, after === undefined ? options : { ...options, after })) {
        yield event;
        after = event.sequence;
      }
      return;
    } catch (error) {
      const sequence = unreadableIn(error);
      if (sequence === null) throw error;
      const from = typeof after === "number" ? after : 0;
      const { events } = await readAround(store, logId, { after: from, before: sequence + 1 });
      for (const event of events) {
        if (options.types === undefined || options.types.includes(event.type)) yield event;
      }
      after = events.at(-1)?.sequence ?? sequence;
    }
  }
}

/** The time of an unreadable row is not known. So the window is halved until the row is the only one in its millisecond. */
async function readMediaAround(store: Store, logId: string, options: MediaOptions): Promise<MediaPage> {
  try {
    return await store.readMedia(logId, options);
  } catch (error) {
    if (unreadableIn(error) === null) throw error;
    const { fromMs, toMs, nearMs, limit = 100 } = options;
    if (fromMs >= toMs) return { events: [], more: false };
    const middleMs = Math.floor((fromMs + toMs) / 2);
    const left = await readMediaAround(store, logId, { ...options, toMs: middleMs });
    const right = await readMediaAround(store, logId, { ...options, fromMs: middleMs + 1 });
    const all = [...left.events, ...right.events];
    const events =
      nearMs === undefined ? all : all.toSorted((a, b) => farFrom(nearMs, a) - farFrom(nearMs, b));
    return { events: events.slice(0, limit), more: left.more || right.more || events.length > limit };
  }
}

function farFrom(nearMs: number, { data }: StoredEvent): number {
  const { mediaTimeMs } = (data ?? {}) as { readonly mediaTimeMs?: unknown };
  return Math.abs(Number(mediaTimeMs) - nearMs);
}

/** The event whose row cannot be read; `null` for any other error. */
function unreadableIn(error: unknown): number | null {
  if (!isContinuoError(error, "corrupt")) return null;
  const { sequence } = error.details;
  return typeof sequence === "number" ? sequence : null;
}

function placeholder(logId: string, sequence: number, error: unknown): StoredEvent {
  return {
    logId,
    sequence,
    id: "",
    type: UNREADABLE,
    actor: { kind: "system" },
    occurredAt: NOWHEN,
    recordedAt: NOWHEN,
    retention: "supplementary",
    data: null,
    payloadHash: "",
    chainHash: "",
    damaged: error instanceof Error ? error.message : "its row is damaged",
  };
}

/** A time for an event whose time is not known. */
const NOWHEN = "1970-01-01T00:00:00.000Z";
