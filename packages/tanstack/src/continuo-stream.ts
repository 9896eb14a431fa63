/**
 * Stores the chunks of a run as a log of the store: it works like `memoryStream` of TanStack AI, but across processes.
 */

import { setTimeout as pause } from "node:timers/promises";
import {
  assertKnownOptions,
  ContinuoError,
  type KnownOptions,
  type NewEvent,
  present,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import { adapterLog, FoldedLog } from "@continuo/store/adapters";
import type { StreamChunk, UpsertableStreamDurability } from "@tanstack/ai";
import { LIMITS } from "./limits.ts";
import { FROM_NOW, FROM_START, placeOf, type RunOfStream, runOfStream, toOffset } from "./run-offsets.ts";

export type { RunOfStream };

export interface ContinuoStreamOptions {
  /**
   * The prefix of the ids of logs, before the id of the run; `tanstack/` by default. Give each user a different prefix.
   */
  readonly prefix?: string;
  /** Seconds after the last write until a run is deleted; by default it is kept. */
  readonly ttl?: number;
  /**
   * Milliseconds that a reader from the beginning waits for the first chunk of a run without chunks; 100 by default.
   */
  readonly firstChunkDeadlineMs?: number;
}

const OPTIONS: KnownOptions<ContinuoStreamOptions> = { prefix: true, ttl: true, firstChunkDeadlineMs: true };

type StreamEntry = Awaited<ReturnType<UpsertableStreamDurability["snapshot"]>>[number];

interface RunState {
  /** The chunks by their positions, and in that order. */
  readonly chunks: Map<number, StreamChunk>;
  tail: number;
  isClosed: boolean;
  sequence: number;
}

const CHUNK = "tanstack.chunk";
const CLOSED = "tanstack.closed";

/**
 * The durability of one run, for `toServerSentEventsResponse` and similar functions. A refused write rejects, and
 * stores nothing. Errors: `invalid` for a request with an invalid run or offset.
 *
 * @param source the request, or the run that it names
 */
export function continuoStream(
  store: Store,
  source: Request | RunOfStream,
  options: ContinuoStreamOptions = {},
): UpsertableStreamDurability {
  assertKnownOptions("continuoStream", options, OPTIONS);
  const { prefix = "tanstack/", ttl, firstChunkDeadlineMs = LIMITS.firstChunkMs } = options;
  const { runId, offset: resumed } = runOfStream(source);
  const logId = prefix + runId;
  const log = new FoldedLog<RunState>(adapterLog(store, logId, present({ ttl })), {
    initial: () => ({ chunks: new Map(), tail: 0, isClosed: false, sequence: 0 }),
    apply: takeEvent,
  });
  const entryOf = ([at, chunk]: readonly [number, StreamChunk]): StreamEntry => ({
    offset: toOffset(runId, at),
    chunk: structuredClone(chunk),
  });

  /** Returns true as soon as there is something to read, and false if the signal aborts first. Errors: `not_found`. */
  async function begun(isJoin: boolean, signal: AbortSignal | undefined): Promise<boolean> {
    const end = performance.now() + firstChunkDeadlineMs;
    for (;;) {
      if (await log.read(({ tail, isClosed }) => tail > 0 || isClosed)) return true;
      if (signal?.aborted === true) return false;
      if (!isJoin || performance.now() > end) {
        throw new ContinuoError("not_found", `the run ${JSON.stringify(runId)} has no chunks`);
      }
      await pause(LIMITS.lookMs);
    }
  }

  return {
    resumeFrom: () => resumed,
    append: async (chunks) =>
      await log.change(({ tail }) => {
        const events = chunks.map((chunk, index) => chunkEvent(tail + 1 + index, chunk));
        return { events, result: chunks.map((_, index) => toOffset(runId, tail + 1 + index)) };
      }),
    upsert: async (entries) =>
      await log.change((state) => ({
        events: placesOf(entries, runId, state).map(([at, chunk]) => chunkEvent(at, chunk)),
        result: entries.map(({ offset }) => offset),
      })),
    snapshot: async () => await log.read(({ chunks }) => [...chunks].map(entryOf)),
    close: async () =>
      await log.change(({ isClosed }) => ({
        events: isClosed ? [] : [{ type: CLOSED, data: {} }],
        result: undefined,
      })),
    async *read(offset, signal) {
      const isJoin = offset === FROM_START || offset === FROM_NOW;
      const place = isJoin ? 0 : placeOf(offset, runId);
      const before = offset === FROM_NOW ? await log.read(({ tail }) => tail) : place;
      if (!(await begun(isJoin, signal))) return;
      const known = await log.read(({ chunks, isClosed, sequence }) => ({
        entries: [...chunks].filter(([at]) => at > before),
        isClosed,
        sequence,
      }));
      let last = before;
      for (const entry of known.entries) {
        yield entryOf(entry);
        last = entry[0];
      }
      if (known.isClosed) return;
      for await (const event of store.tail(logId, { after: known.sequence, ...present({ signal }) })) {
        if (event.type === CLOSED) return;
        const chunk = chunkOf(event);
        // A chunk that was read is not yielded a second time, even if it was replaced.
        if (chunk === undefined || chunk.at <= last) continue;
        yield entryOf([chunk.at, chunk.chunk]);
        last = chunk.at;
      }
    },
  };
}

interface StoredChunk {
  readonly at: number;
  readonly chunk: StreamChunk;
}

function chunkEvent(at: number, chunk: StreamChunk): NewEvent {
  return { type: CHUNK, data: { at, chunk } };
}

function chunkOf({ type, data }: StoredEvent): StoredChunk | undefined {
  return type === CHUNK ? (data as StoredChunk) : undefined;
}

function takeEvent(state: RunState, event: StoredEvent): void {
  state.sequence = event.sequence;
  if (event.type === CLOSED) state.isClosed = true;
  const stored = chunkOf(event);
  if (stored === undefined) return;
  state.chunks.set(stored.at, stored.chunk);
  state.tail = Math.max(state.tail, stored.at);
}

type Entries = Parameters<UpsertableStreamDurability["upsert"]>[0];

/**
 * Errors: `invalid` for a gap, an offset of another run, a repeated offset, and a new offset that is not after all
 * others.
 */
function placesOf(
  entries: Entries,
  runId: string,
  { chunks, tail }: RunState,
): readonly (readonly [at: number, chunk: StreamChunk])[] {
  const seen = new Set<number>();
  let last = tail;
  // A gap in the array is an entry too, but `map` would skip it.
  return Array.from(entries, (entry: StreamEntry | undefined, index) => {
    if (entry === undefined) throw new ContinuoError("invalid", `there is no entry ${index}`);
    const at = placeOf(entry.offset, runId);
    const isNew = !chunks.has(at);
    if (seen.has(at) || (isNew && at <= last)) {
      const why = seen.has(at) ? "is there twice" : "is not behind the others";
      throw new ContinuoError("invalid", `the offset ${JSON.stringify(entry.offset)} ${why}`);
    }
    seen.add(at);
    if (isNew) last = at;
    return [at, entry.chunk];
  });
}
