/**
 * The checkpoints of a thread with their pending writes, newest first, in one pass over its log from the end to the
 * start.
 */

import { type EventPage, present } from "@continuo/core/model";
import type { AdapterSession } from "@continuo/store/adapters";
import {
  CHECKPOINT,
  checkpointOf,
  type FoundCheckpoint,
  WRITE,
  type WriteRecord,
  writeOf,
} from "./records.ts";

export interface FoundTuple extends FoundCheckpoint {
  /** In the order in which they were stored. */
  readonly writes: readonly WriteRecord[];
}

interface OpenCheckpoint extends FoundCheckpoint {
  readonly writes: WriteRecord[];
}

/**
 * The writes of a checkpoint are stored after it, or a little before it if LangGraph continues before the checkpoint is
 * stored. Then `since` of the checkpoint is the sequence of its first write. A checkpoint is yielded only when the pass
 * is before this sequence (before the checkpoint itself if it has no `since`), so that no write is missing.
 *
 * @param ns only checkpoints of this namespace; all by default
 */
export async function* newestFirst(session: AdapterSession, ns?: string): AsyncGenerator<FoundTuple> {
  const early = new Map<string, WriteRecord[]>();
  const seen = new Set<string>();
  const open: OpenCheckpoint[] = [];
  for (let before: number | null | undefined; before !== null; ) {
    const page: EventPage = await session.read({
      types: [CHECKPOINT, WRITE],
      order: "newest",
      limit: PAGE_EVENTS,
      maxBytes: PAGE_BYTES,
      ...present({ before }),
    });
    for (const event of page.events.toReversed()) {
      while (open[0] !== undefined && isPassed(open[0], event.sequence)) yield shiftFrom(open);
      const { ns: place, checkpoint } = event.data as WriteRecord;
      if (ns !== undefined && place !== ns) continue;
      const key = JSON.stringify([place, checkpoint]);
      if (event.type === WRITE) {
        const writes = early.get(key) ?? [];
        writes.unshift(writeOf(event));
        early.set(key, writes);
      } else if (!seen.has(key)) {
        seen.add(key);
        const writes = early.get(key) ?? [];
        early.set(key, writes);
        open.push({ ...checkpointOf(event), writes });
      }
    }
    before = page.nextAfter;
  }
  yield* open;
}

/** Pages are small, because most callers need only the newest checkpoint. */
const PAGE_EVENTS = 64;
const PAGE_BYTES = 4_194_304;

function isPassed({ sequence, record }: OpenCheckpoint, at: number): boolean {
  return at < (record.since ?? sequence);
}

function shiftFrom(open: OpenCheckpoint[]): OpenCheckpoint {
  const first = open.shift();
  if (first === undefined) throw new Error("there is no open checkpoint");
  return first;
}

/** Finds one checkpoint by its id, through an index, with its writes. */
export async function findCheckpoint(
  session: AdapterSession,
  id: string,
  { ns, checkpoint }: { readonly ns: string; readonly checkpoint: string },
): Promise<FoundTuple | undefined> {
  const { events } = await session.read({ id, limit: 1 });
  const [event] = events;
  if (event === undefined) return undefined;
  let found = checkpointOf(event);
  const writes: WriteRecord[] = [];
  // Reads only the events that contain the id of the checkpoint. These include the checkpoints that have it as their
  // parent.
  const texts = /^[\w-]+$/u.test(checkpoint) ? [checkpoint] : [];
  const { since } = found.record;
  const start = since === undefined ? found.sequence : since - 1;
  for (let after: number | null = start; after !== null; ) {
    const page: EventPage = await session.read({ types: [CHECKPOINT, WRITE], texts, after });
    for (const other of page.events) {
      const { ns: place, checkpoint: of } = other.data as WriteRecord;
      if (place !== ns || of !== checkpoint) continue;
      if (other.type === WRITE) writes.push(writeOf(other));
      else found = checkpointOf(other);
    }
    after = page.nextAfter;
  }
  return { ...found, writes };
}
