/** Pages of a log and of its forks with any bounds: a plain array gives the expected content. */

import type { Store, StoredEvent } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

let store: Store;
beforeAll(async () => {
  store = await openStore("memory:");
});
afterAll(() => store.close());

const bytes = (text: string) => ({ type: "bytes", data: new TextEncoder().encode(text) }) as const;
const textOf = ({ data }: StoredEvent): string => Buffer.from(data as Uint8Array).toString();

/**
 * A log of bytes in three parts: its own records follow those of its source, which follow those of the source's source.
 */
async function logOf(stretches: readonly (readonly string[])[]): Promise<string> {
  let from: { readonly logId: string; readonly sequence: number } | undefined;
  for (const stretch of stretches) {
    const { logId } = await store.createLog({
      mediaType: "text/plain",
      ...(from === undefined ? {} : { forkedFrom: from }),
    });
    if (stretch.length > 0) await store.append(logId, stretch.map(bytes));
    from = { logId, sequence: (from?.sequence ?? 0) + stretch.length };
    // Records that are appended to the source later do not belong to its forks.
    if (stretch !== stretches.at(-1)) await store.append(logId, [bytes("not inherited")]);
  }
  return from?.logId ?? "";
}

const RECORD = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 4 });
const STRETCHES = fc.array(fc.array(RECORD, { maxLength: 4 }), { minLength: 1, maxLength: 3 });
const BOUNDS = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  maxBytes: fc.integer({ min: 1, max: 20 }),
});

interface Bounds {
  readonly limit: number;
  readonly maxBytes: number;
}

/** Counts the records that fit; the first one always fits, however long it is. */
function fitting(records: readonly string[], { limit, maxBytes }: Bounds): number {
  let count = 0;
  for (let size = 0; count < records.length && count < limit; count++) {
    size += records[count]?.length ?? 0;
    if (count > 0 && size > maxBytes) break;
  }
  return count;
}

test("pages of joined records match the plain array, with the hash of their last record", async () => {
  await fc.assert(
    fc.asyncProperty(
      STRETCHES,
      BOUNDS,
      fc.constantFrom("" as const, "," as const),
      async (given, bounds, separator) => {
        const logId = await logOf(given);
        const records = given.flat();
        const { events } = await store.read(logId);
        for (let after: number | null = 0; after !== null; ) {
          const rest: readonly string[] = records.slice(after);
          const count = fitting(rest, bounds);
          const last: number = after + count;
          const page: Awaited<ReturnType<Store["readJoined"]>> = await store.readJoined(logId, {
            ...bounds,
            after,
            separator,
          });
          expect({ ...page, bytes: Buffer.from(page.bytes).toString() }).toEqual({
            bytes: rest.slice(0, count).join(separator),
            records: count,
            pruned: 0,
            lastSequence: last,
            lastHash: count === 0 ? null : events[last - 1]?.chainHash,
            nextAfter: last < records.length ? last : null,
          });
          after = page.nextAfter;
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("pages of a read match the plain array, from either end", async () => {
  await fc.assert(
    fc.asyncProperty(STRETCHES, BOUNDS, fc.nat(13), fc.nat(13), async (given, bounds, after, before) => {
      const logId = await logOf(given);
      const wanted = given.flat().slice(after, Math.max(after, before - 1));
      const oldest = await store.read(logId, { ...bounds, after, before });
      const first = fitting(wanted, bounds);
      expect(oldest.events.map(textOf)).toEqual(wanted.slice(0, first));
      expect(oldest.nextAfter).toBe(first < wanted.length ? after + first : null);
      const newest = await store.read(logId, { ...bounds, after, before, order: "newest" });
      const last = fitting(wanted.toReversed(), bounds);
      expect(newest.events.map(textOf)).toEqual(wanted.slice(wanted.length - last));
      expect(newest.nextAfter).toBe(last < wanted.length ? newest.events[0]?.sequence : null);
    }),
    { numRuns: 60 },
  );
});
