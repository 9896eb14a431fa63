/** Blobs: they are streamed in and out, stored once, and collected when nothing refers to them. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type BlobInfo, isContinuoError, type Store } from "@continuo/core/model";
import { type ContractCase, eventually, newLog, rejects, said } from "./case.ts";

function bytesOf(size: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let n = 0, x = seed; n < size; n++) {
    x = (x * 1_103_515_245 + 12_345) & 0x7fffffff;
    bytes[n] = x >> 16;
  }
  return bytes;
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

async function contentOf(store: Store, hash: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of (await store.openBlob(hash)).bytes) parts.push(part);
  return Buffer.concat(parts);
}

const SIZES = [0, 1, 262_144, 262_145, 2_000_000];

export const blobCases: readonly ContractCase[] = [
  ...SIZES.map(
    (size): ContractCase => ({
      name: `a blob of ${size} bytes comes back as it was`,
      run: async ({ store }) => {
        const bytes = bytesOf(size);
        const info = await store.putBlob(bytes, { mediaType: "image/png" });
        assert.deepEqual([info.hash, info.sizeBytes, info.mediaType], [sha256(bytes), size, "image/png"]);
        assert.ok((await contentOf(store, info.hash)).equals(bytes));
        assert.deepEqual(await store.statBlob(info.hash), info);
      },
    }),
  ),
  {
    name: "a blob is streamed in, in pieces of any size",
    run: async ({ store }) => {
      const bytes = bytesOf(700_000, 7);
      const pieces = async function* () {
        for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 100_003) {
          yield bytes.subarray(at, at + size);
        }
      };
      const { hash, sizeBytes } = await store.putBlob(pieces());
      assert.deepEqual([hash, sizeBytes], [sha256(bytes), bytes.length]);
      assert.ok((await contentOf(store, hash)).equals(bytes));
    },
  },
  {
    name: "a large blob is streamed out in pieces",
    run: async ({ store }) => {
      const { hash } = await store.putBlob(bytesOf(1_500_000));
      const sizes: number[] = [];
      for await (const part of (await store.openBlob(hash)).bytes) sizes.push(part.length);
      assert.ok(sizes.length > 2 && Math.max(...sizes) <= 262_144);
    },
  },
  {
    name: "the same bytes are kept once, with the media type that came first",
    run: async ({ store }) => {
      for (const size of [10, 300_000]) {
        const first = await store.putBlob(bytesOf(size), { mediaType: "a/b" });
        const again = await store.putBlob(bytesOf(size), { mediaType: "c/d" });
        assert.deepEqual([again.hash, again.mediaType], [first.hash, "a/b"]);
        assert.equal((await contentOf(store, first.hash)).length, size);
      }
      assert.equal((await store.info()).blobs, 2);
    },
  },
  {
    name: "a stream that fails leaves no blob",
    run: async ({ store }) => {
      const failing = async function* () {
        yield bytesOf(400_000);
        throw new Error("the source failed");
      };
      await assert.rejects(store.putBlob(failing()), /the source failed/);
      assert.equal((await store.info()).blobs, 0);
    },
  },
  {
    name: "a blob that does not exist is not_found",
    run: async ({ store }) => {
      const hash = "0".repeat(64);
      assert.equal(await store.statBlob(hash), null);
      await rejects("not_found", store.openBlob(hash));
      await rejects("invalid", store.openBlob("x"));
      await rejects("invalid", store.putBlob(["text"] as never));
    },
  },
  {
    name: "an event can refer only to blobs that exist",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const { hash } = await store.putBlob(bytesOf(10));
      const [event] = await store.append(logId, [{ ...said("look"), blobs: [hash, hash] }]);
      assert.deepEqual(event?.blobs, [hash]);
      assert.equal((await store.verify(logId)).ok, true);
      const error = await rejects(
        "not_found",
        store.append(logId, [{ ...said("x"), blobs: ["0".repeat(64)] }]),
      );
      assert.equal(error.details.id, "0".repeat(64));
      assert.equal(await store.latestSequence(logId), 1);
    },
  },
  {
    name: "collection removes blobs that no event refers to, and no other",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const sizes = [5, 300_000];
      const kept = await Promise.all(sizes.map((size) => store.putBlob(bytesOf(size, 1))));
      const loose = await Promise.all(sizes.map((size) => store.putBlob(bytesOf(size, 2))));
      await store.append(logId, [{ ...said("look"), blobs: kept.map((blob) => blob.hash) }]);
      assert.deepEqual(await store.collectBlobs(), { removed: 0, sizeBytes: 0 });
      assert.deepEqual(await store.collectBlobs({ minAgeMs: 0 }), { removed: 2, sizeBytes: 300_005 });
      for (const { hash } of kept) await contentOf(store, hash);
      for (const { hash } of loose) await rejects("not_found", store.openBlob(hash));
    },
  },
  {
    name: "a blob whose events are pruned or deleted can be collected",
    run: async ({ store }) => {
      const [a, b] = [await newLog(store), await newLog(store)];
      const [one, two] = [await store.putBlob(bytesOf(5, 1)), await store.putBlob(bytesOf(5, 2))];
      await store.append(a, [{ ...said("x"), blobs: [one.hash] }]);
      await store.append(b, [{ ...said("x"), blobs: [two.hash] }]);
      await store.redact(a, 1, { reason: "r" });
      await store.deleteLog(b);
      assert.equal((await store.collectBlobs({ minAgeMs: 0 })).removed, 2);
      assert.equal((await store.verify(a)).ok, true);
    },
  },
  {
    name: "a fork keeps the blobs of inherited events, even after its source is deleted",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const { hash } = await store.putBlob(bytesOf(5));
      await store.append(logId, [{ ...said("x"), blobs: [hash] }]);
      const fork = await store.forkLog(logId, 1);
      await store.deleteLog(logId);
      assert.equal((await store.collectBlobs({ minAgeMs: 0 })).removed, 0);
      await store.deleteLog(fork.logId);
      assert.equal((await store.collectBlobs({ minAgeMs: 0 })).removed, 1);
    },
  },
  {
    name: "a blob that was refused because it had expired does not exist, and can be stored afterwards",
    run: async ({ store }) => {
      for (const size of [10, 300_000]) {
        const bytes = new Uint8Array(size).fill(7);
        await rejects("invalid", store.putBlob(bytes, { expiresAt: "2001-01-01T00:00:00.000Z" }));
        assert.deepEqual((await store.listBlobs({ expiresBefore: "2002-01-01T00:00:00.000Z" })).items, []);
        const { hash } = await store.putBlob(bytes);
        let read = 0;
        for await (const chunk of (await store.openBlob(hash)).bytes) read += chunk.length;
        assert.equal(read, size);
      }
    },
  },
  {
    name: "an expired blob is collected, unless an event refers to it",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const kept = await store.putBlob(bytesOf(5, 1), { expiresAt: "2099-01-01T00:00:00.000Z" });
      const lasting = await store.putBlob(bytesOf(5, 3));
      const gone = await putForMoment(store, 250);
      assert.equal(kept.expiresAt, "2099-01-01T00:00:00.000Z");
      await store.append(logId, [{ ...said("x"), blobs: [kept.hash] }]);
      await eventually(async () => (await store.statBlob(gone.hash)) === null);
      assert.equal((await store.collectBlobs({ only: "expired", minAgeMs: 0 })).removed, 1);
      await contentOf(store, kept.hash);
      await contentOf(store, lasting.hash);
    },
  },
];

/** A blob that expires soon; a machine that is too slow to store it before that gets more time. */
async function putForMoment(store: Store, ms: number): Promise<BlobInfo> {
  try {
    return await store.putBlob(bytesOf(5, 2), { expiresAt: new Date(Date.now() + ms).toISOString() });
  } catch (error) {
    if (!isContinuoError(error, "invalid") || ms > 10_000) throw error;
    return putForMoment(store, ms * 2);
  }
}
