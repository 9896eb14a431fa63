/**
 * Evidence is found by the time in its medium, counted after a cursor and pruned one by one; blobs are listed by their
 * expiry.
 */

import assert from "node:assert/strict";
import { listAll, type MediaOptions, type NewEvent, type Store } from "@continuo/core/model";
import { type ContractCase, eventually, newLog, numbered, rejects, sequencesOf } from "./case.ts";

function seen(mediaTimeMs: unknown, more: Partial<NewEvent> = {}): NewEvent {
  return { type: "seen", data: { mediaTimeMs, text: `at ${String(mediaTimeMs)}` }, ...more };
}

async function times(store: Store, logId: string, options: MediaOptions): Promise<readonly unknown[]> {
  return (await store.readMedia(logId, options)).events.map(
    (event) => (event.data as { readonly mediaTimeMs: unknown } | null)?.mediaTimeMs,
  );
}

export const mediaCases: readonly ContractCase[] = [
  {
    name: "readMedia returns events within a span, by their media time or by distance from a point",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(
        logId,
        [5_000, 1_000, 3_000, 3_000, 9_000, 4_000].map((time) => seen(time)),
      );
      const span = { fromMs: 1_000, toMs: 5_000 };
      assert.deepEqual(await times(store, logId, span), [1_000, 3_000, 3_000, 4_000, 5_000]);
      assert.deepEqual(
        await times(store, logId, { ...span, nearMs: 3_900 }),
        [4_000, 3_000, 3_000, 5_000, 1_000],
      );
      const { events, more } = await store.readMedia(logId, { ...span, nearMs: 3_900, limit: 3 });
      assert.deepEqual([sequencesOf(events), more], [[6, 3, 4], true]);
      assert.deepEqual(await times(store, logId, { fromMs: 6_000, toMs: 9_000, nearMs: 0 }), [9_000]);
      assert.deepEqual(await times(store, logId, { fromMs: 0, toMs: 1_000, nearMs: 9_000 }), [1_000]);
      assert.deepEqual(await store.readMedia(logId, { fromMs: 9_001, toMs: 10_000 }), {
        events: [],
        more: false,
      });
      assert.deepEqual(await times(store, logId, { fromMs: 5_000, toMs: 4_000 }), []);
      const whole = await store.readMedia(logId, { fromMs: 9_000, toMs: 9_000 });
      assert.deepEqual(whole.events, (await store.read(logId, { after: 4, limit: 1 })).events);
    },
  },
  {
    name: "readMedia returns the nearest first, however many there are, and the earlier of two equally near ones",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(
        logId,
        Array.from({ length: 130 }, (_, n) =>
          seen(n, { retention: n % 3 === 0 ? "supplementary" : "critical" }),
        ),
      );
      const span = { fromMs: 0, toMs: 1_000, nearMs: 64 };
      const nearest = [64, 63, 65, 62, 66, 61];
      assert.deepEqual(await times(store, logId, { ...span, limit: 6 }), nearest);
      assert.deepEqual(await times(store, logId, { ...span, limit: 5 }), nearest.slice(0, 5));
      const all = await store.readMedia(logId, { ...span, limit: 130 });
      assert.equal(all.more, false);
      assert.deepEqual(
        sequencesOf(all.events).toSorted((a, b) => a - b),
        Array.from({ length: 130 }, (_, n) => n + 1),
      );
      assert.equal((await store.readMedia(logId, { ...span, limit: 129 })).more, true);
      assert.equal((await store.readMedia(logId, span)).events.length, 100);
      assert.deepEqual(await times(store, logId, { fromMs: 64, toMs: 64, nearMs: 64 }), [64]);
      assert.deepEqual(await times(store, logId, { fromMs: 63, toMs: 63, nearMs: 64 }), [63]);
    },
  },
  {
    name: "readMedia returns payloads up to exactly maxBytes, and always at least one",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, [seen(1), seen(2), seen(3)]);
      const sizeBytes = JSON.stringify(seen(1).data).length;
      const count = async (maxBytes: number): Promise<number> =>
        (await store.readMedia(logId, { fromMs: 0, toMs: 9, maxBytes })).events.length;
      assert.deepEqual(
        [await count(sizeBytes - 1), await count(2 * sizeBytes - 1), await count(2 * sizeBytes)],
        [1, 1, 2],
      );
    },
  },
  {
    name: "readMedia chooses by retention and type, and ends at maxBytes",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, [
        seen(1, { retention: "supplementary" }),
        seen(2),
        seen(3, { type: "heard" }),
        seen(4, { retention: "supplementary", type: "heard" }),
      ]);
      const span = { fromMs: 0, toMs: 9 };
      assert.deepEqual(await times(store, logId, { ...span, retention: "critical" }), [2, 3]);
      assert.deepEqual(await times(store, logId, { ...span, retention: "supplementary" }), [1, 4]);
      assert.deepEqual(await times(store, logId, { ...span, types: ["heard"] }), [3, 4]);
      assert.deepEqual(await times(store, logId, { ...span, types: ["heard", "unheard"] }), [3, 4]);
      assert.deepEqual(await times(store, logId, { ...span, types: ["heard"], retention: "critical" }), [3]);
      const page = await store.readMedia(logId, { ...span, maxBytes: 70 });
      assert.deepEqual([page.events.length, page.more], [2, true]);
      assert.equal((await store.readMedia(logId, { ...span, maxBytes: 1 })).events.length, 1);
    },
  },
  {
    name: "only a whole mediaTimeMs from 0 is a media time, and any other value is stored nevertheless",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const odd = [-1, 1.5, "7", null, Number.MAX_SAFE_INTEGER * 2, [7], { mediaTimeMs: 7 }];
      await store.append(logId, [...odd.map((time) => seen(time)), { type: "seen", data: [7] }, seen(0)]);
      assert.deepEqual(await times(store, logId, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }), [0]);
      assert.equal(await store.latestSequence(logId), odd.length + 2);
      assert.equal((await store.verify(logId)).ok, true);
    },
  },
  {
    name: "readMedia of a fork finds inherited and own events, and pruned events, by their time",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(
        logId,
        [1, 2, 3].map((time) => seen(time, { retention: "supplementary" })),
      );
      const fork = await store.forkLog(logId, 2);
      await store.append(fork.logId, [seen(2)]);
      assert.deepEqual(await times(store, fork.logId, { fromMs: 0, toMs: 9 }), [1, 2, 2]);
      await store.prune(logId, { reason: "tier", sequences: [2] });
      const { events } = await store.readMedia(logId, { fromMs: 2, toMs: 2 });
      assert.deepEqual([events[0]?.sequence, events[0]?.data, events[0]?.pruned?.reason], [2, null, "tier"]);
      assert.equal((await store.verify(fork.logId)).ok, true);
    },
  },
  {
    name: "readMedia refuses invalid times, limits and retentions",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const span = { fromMs: 0, toMs: 9 };
      for (const wrong of [
        { fromMs: -1 },
        { toMs: 1.5 },
        { nearMs: "1" },
        { limit: 0 },
        { limit: 1_001 },
        { maxBytes: 0 },
        { retention: "all" },
        { types: [""] },
      ]) {
        await rejects("invalid", store.readMedia(logId, { ...span, ...wrong } as never));
      }
      await rejects("not_found", store.readMedia("none", span));
    },
  },
  {
    name: "countEvents counts after a cursor, by type and retention, in forks too",
    run: async ({ store }) => {
      const logId = await newLog(store, 3);
      await store.append(logId, [seen(1), seen(2, { retention: "supplementary" }), ...numbered(2)]);
      assert.equal(await store.countEvents(logId), 7);
      assert.equal(await store.countEvents(logId, { after: 3 }), 4);
      assert.equal(await store.countEvents(logId, { after: 3, before: 6 }), 2);
      assert.equal(await store.countEvents(logId, { after: 9 }), 0);
      assert.equal(await store.countEvents(logId, { types: ["seen"] }), 2);
      assert.equal(await store.countEvents(logId, { after: 4, types: ["seen", "custom"] }), 3);
      assert.equal(await store.countEvents(logId, { retention: "supplementary" }), 1);
      assert.equal(await store.countEvents(logId, { retention: "critical" }), 6);
      const fork = await store.forkLog(logId, 4);
      await store.append(fork.logId, [seen(3)]);
      assert.equal(await store.countEvents(fork.logId, { types: ["seen"] }), 2);
      assert.equal(await store.countEvents(fork.logId, { after: 1 }), 4);
      await store.append(logId, [seen(4)]);
      assert.equal(await store.countEvents(fork.logId, { types: ["seen"], retention: "critical" }), 2);
      assert.equal(await store.countEvents(fork.logId, { types: ["seen"], after: 4 }), 1);
      assert.equal(await store.countEvents(fork.logId, { types: ["seen"], before: 5 }), 1);
      assert.equal(await store.countEvents(fork.logId, { types: ["seen"], after: 3, before: 4 }), 0);
      for (const before of [0, 1]) assert.equal(await store.countEvents(logId, { before }), 0);
      assert.equal(await store.countEvents(logId, { before: 2, types: ["custom"] }), 1);
      await rejects("not_found", store.countEvents("none"));
      await rejects("invalid", store.countEvents(logId, { after: -1 }));
      await rejects("invalid", store.countEvents(logId, { retention: "all" as never }));
    },
  },
  {
    name: "prune removes the payloads of given sequences, if they are supplementary",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(
        logId,
        Array.from({ length: 1_200 }, (_, n) =>
          seen(n, { retention: n % 2 === 0 ? "supplementary" : "critical" }),
        ),
      );
      assert.deepEqual(await store.prune(logId, { reason: "r", sequences: [1, 2, 3, 9_999] }), { pruned: 2 });
      assert.deepEqual(await store.prune(logId, { reason: "r", sequences: [] }), { pruned: 0 });
      const all = Array.from({ length: 1_200 }, (_, n) => n + 1);
      assert.deepEqual(await store.prune(logId, { reason: "r", sequences: all, before: 1_001 }), {
        pruned: 498,
      });
      const left = (await store.read(logId, { limit: 2_000 })).events.filter((event) => event.data !== null);
      assert.equal(left.length, 700);
      assert.equal((await store.verify(logId)).ok, true);
      await rejects("invalid", store.prune(logId, { reason: "r", sequences: [-1] }));
      await rejects("too_large", store.prune(logId, { reason: "r", sequences: new Array(10_001).fill(1) }));
    },
  },
];

const YEAR = (year: number): string => `${year}-01-01T00:00:00.000Z`;

export const blobExpiryCases: readonly ContractCase[] = [
  {
    name: "listBlobs: all in order of hash, or by expiry, soonest first, page by page",
    run: async ({ store }) => {
      const put = async (n: number, expiresAt?: string) =>
        store.putBlob(new Uint8Array([n]), expiresAt === undefined ? {} : { expiresAt });
      const [a, b, c, d] = [
        await put(1, YEAR(2900)),
        await put(2, YEAR(2800)),
        await put(3),
        await put(4, YEAR(2900)),
      ];
      const hashes = async (options: object): Promise<readonly string[]> =>
        (await store.listBlobs(options)).items.map((blob) => blob.hash);
      assert.deepEqual(await hashes({}), [a, b, c, d].map((blob) => blob.hash).sort());
      const late = [a.hash, d.hash].sort();
      assert.deepEqual(await hashes({ expiresBefore: YEAR(2950) }), [b.hash, ...late]);
      assert.deepEqual(await hashes({ expiresBefore: YEAR(2800) }), [b.hash]);
      assert.deepEqual(await hashes({ expiresAfter: YEAR(2800) }), late);
      const { items, nextCursor } = await store.listBlobs({ expiresBefore: YEAR(2950), limit: 2 });
      assert.deepEqual(items[0], b);
      assert.deepEqual(await hashes({ expiresBefore: YEAR(2950), limit: 2, cursor: nextCursor ?? "" }), [
        late[1],
      ]);
      const blobs = listAll((place) => store.listBlobs({ limit: 1, ...place }));
      assert.deepEqual(await Array.fromAsync(blobs, ({ hash }) => hash), await hashes({}));
      await rejects("invalid", store.listBlobs({ expiresBefore: "soon" }));
    },
  },
  {
    name: "setBlobExpiry shortens, lengthens and removes an expiry",
    run: async ({ store }) => {
      const { hash } = await store.putBlob(new Uint8Array([1]), { expiresAt: YEAR(2900) });
      assert.equal((await store.setBlobExpiry(hash, YEAR(2800))).expiresAt, YEAR(2800));
      assert.equal((await store.statBlob(hash))?.expiresAt, YEAR(2800));
      assert.equal((await store.setBlobExpiry(hash, YEAR(2901))).expiresAt, YEAR(2901));
      assert.equal((await store.setBlobExpiry(hash, null)).expiresAt, undefined);
      assert.deepEqual((await store.listBlobs({ expiresBefore: YEAR(2950) })).items, []);
      await store.setBlobExpiry(hash, YEAR(2001));
      assert.equal(await store.statBlob(hash), null);
      await rejects("not_found", store.setBlobExpiry(hash, YEAR(2800)));
      assert.equal((await store.collectBlobs()).removed, 1);
      await rejects("invalid", store.setBlobExpiry(hash, "soon"));
      await rejects("invalid", store.setBlobExpiry("x", null));
    },
  },
  {
    name: "a blob that an event refers to outlives its expiry",
    run: async ({ store }) => {
      const { hash } = await store.putBlob(new Uint8Array([1]));
      const logId = await newLog(store);
      await store.append(logId, [{ type: "a", data: 1, blobs: [hash] }]);
      await store.setBlobExpiry(hash, YEAR(2001));
      assert.equal((await store.statBlob(hash))?.hash, hash);
      assert.equal((await store.collectBlobs({ minAgeMs: 0 })).removed, 0);
      await store.deleteLog(logId);
      await eventually(async () => (await store.statBlob(hash)) === null);
    },
  },
];
