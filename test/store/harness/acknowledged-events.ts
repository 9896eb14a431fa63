/** Invariants of a log after its writers were killed. */

import type { Store, StoredEvent } from "@continuo/core/model";

export interface AcknowledgedEvents {
  readonly writer: string;
  /** The number of events of each batch. */
  readonly batches: ReadonlyMap<number, number>;
}

export function acknowledgedBy(writer: string, lines: readonly string[]): AcknowledgedEvents {
  const batches = new Map<number, number>();
  for (const line of lines) {
    const match = /^ack (\d+) (\d+)$/.exec(line);
    if (match !== null) batches.set(Number(match[1]), Number(match[2]));
  }
  return { writer, batches };
}

/** Returns the losses, as sentences; none if every acknowledged event is stored once, and every batch is whole. */
export async function lossesOf(
  store: Store,
  logId: string,
  { after, writers }: { readonly after: number; readonly writers: readonly AcknowledgedEvents[] },
): Promise<readonly string[]> {
  const losses: string[] = [];
  const sequences = new Map<string, number>();
  let last = after;
  for await (const event of eventsAfter(store, logId, after)) {
    if (event.sequence !== last + 1) losses.push(`After ${last} comes ${event.sequence}.`);
    last = event.sequence;
    if (sequences.has(event.id)) losses.push(`${event.id} is there twice.`);
    sequences.set(event.id, event.sequence);
  }
  for (const { writer, batches } of writers) {
    for (const [batch, size] of batches) {
      for (let index = 0; index < size; index++) {
        if (!sequences.has(`${writer}/${batch}/${index}`))
          losses.push(`${writer}/${batch}/${index} is lost.`);
      }
    }
  }
  for (const id of sequences.keys()) {
    const [writer, batch, index] = id.split("/");
    if (index === undefined || Number(index) > 0) continue;
    const size = 1 + (Number(batch) % 4);
    for (let n = 1; n < size; n++) {
      const expected = (sequences.get(id) ?? 0) + n;
      if (sequences.get(`${writer}/${batch}/${n}`) !== expected) losses.push(`The batch of ${id} is torn.`);
    }
  }
  return losses;
}

async function* eventsAfter(store: Store, logId: string, from: number): AsyncGenerator<StoredEvent> {
  for (let after: number | null = from; after !== null; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(logId, { after });
    yield* page.events;
    after = page.nextAfter;
  }
}
