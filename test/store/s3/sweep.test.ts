/** Objects that killed processes left, and the sweep that removes them while other processes store blobs. */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import {
  backupStore,
  moveBlobs,
  type OpenedStore,
  openStore,
  restoreStore,
  vacuumStore,
} from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { putBody, sweepObjects } from "../../../packages/store/src/store/blobs/index.ts";
import { scratchFolder } from "../../scratch-folder.ts";
import { contentOf, inBucket, openBucket } from "./bucket.ts";

const folder = scratchFolder("s3-sweep");
const s3 = await openBucket();
let store: OpenedStore;
let made = 0;

beforeEach(async () => {
  store = await openStore(`sqlite:${join(folder, `${made++}.db`)}`, { blobs: blobs() });
});

afterEach(async () => {
  s3.fault = () => undefined;
  await store.close();
});

const blobs = () => inBucket(s3, { prefix: "sweep/" });

/** Makes a request of this kind wait, and returns a function that lets it continue. */
function holding(method: string): { readonly held: Promise<void>; readonly letGo: () => void } {
  const held = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  s3.hold = async (request) => {
    if (request.method !== method) return;
    held.resolve();
    await going.promise;
  };
  return {
    held: held.promise,
    letGo: () => {
      s3.hold = () => Promise.resolve();
      going.resolve();
    },
  };
}

/** Checks that there is a note of each object without a row, and of no other object. */
async function notes(): Promise<readonly string[]> {
  const { items } = await store.listClaims({ prefix: "object/" });
  return items.map(({ status }) => status);
}

test("a blob that is stored, collected or moved leaves neither an object nor a note", async () => {
  const bytes = randomBytes(90_000);
  const { hash } = await store.putBlob(bytes);
  await store.putBlob(bytes);
  expect([s3.objects.size, await notes()]).toEqual([1, []]);
  await moveBlobs(store, { to: "database" });
  expect([s3.objects.size, await notes()]).toEqual([0, []]);
  await moveBlobs(store, { to: "s3" });
  expect([s3.objects.size, await notes()]).toEqual([1, []]);
  expect((await contentOf(store, hash)).equals(bytes)).toBe(true);
  await store.collectBlobs({ minAgeMs: 0 });
  expect([s3.objects.size, await notes()]).toEqual([0, []]);
  expect(await sweepObjects(store.engine, { minAgeMs: 0 })).toBe(0);
});

test("an object whose process ended before it wrote the row is swept after a day, in every workspace", async () => {
  const other = store.forWorkspace("other");
  for (const { engine } of [store, other]) await leave(engine, randomBytes(50_000));
  const kept = await store.putBlob(randomBytes(60_000));
  expect([s3.objects.size, await notes()]).toEqual([3, ["writing"]]);
  expect(await vacuumStore(store)).toMatchObject({ objects: 0 });
  expect(await sweepObjects(store.engine, { minAgeMs: 0 })).toBe(2);
  expect([s3.objects.size, await notes()]).toEqual([1, []]);
  expect(await contentOf(store, kept.hash)).toHaveLength(60_000);
});

test("an object whose removal failed is removed by the next sweep, however young it is", async () => {
  const { hash } = await store.putBlob(randomBytes(90_000));
  s3.fault = ({ method }) => (method === "DELETE" ? "late error" : undefined);
  const collecting = store.collectBlobs({ minAgeMs: 0 });
  await expect(collecting).rejects.toMatchObject({ code: "unavailable" });
  expect(await store.statBlob(hash)).toBeNull();
  expect([s3.objects.size, await notes()]).toEqual([1, ["removing"]]);
  s3.fault = () => undefined;
  expect(await vacuumStore(store)).toMatchObject({ objects: 1 });
  expect([s3.objects.size, await notes()]).toEqual([0, []]);
});

test("a sweep while a blob is being stored makes that call fail, and never removes the bytes of a row", async () => {
  const { held, letGo } = holding("PUT");
  const bytes = randomBytes(90_000);
  const storing = store.putBlob(bytes);
  storing.catch(() => undefined);
  await held;
  expect(await sweepObjects(store.engine, { minAgeMs: 0 })).toBe(1);
  letGo();
  await expect(storing).rejects.toMatchObject({ code: "unavailable" });
  expect([s3.objects.size, await notes()]).toEqual([0, []]);
  const { hash } = await store.putBlob(bytes);
  expect((await contentOf(store, hash)).equals(bytes)).toBe(true);
});

test("a blob that is stored while sweeps run is whole, or the call was refused", async () => {
  let isStoring = true;
  const sweeping = (async () => {
    while (isStoring) await sweepObjects(store.engine, { minAgeMs: 0 });
  })();
  const all = Array.from({ length: 40 }, () => randomBytes(40_000));
  const results = await Promise.allSettled(all.map((bytes) => store.putBlob(bytes)));
  isStoring = false;
  await sweeping;
  const stored = results.flatMap((result, at) =>
    result.status === "fulfilled" ? [[result.value, all[at]] as const] : [],
  );
  for (const [{ hash }, bytes] of stored) expect(await contentOf(store, hash)).toEqual(bytes);
  await sweepObjects(store.engine, { minAgeMs: 0 });
  expect([s3.objects.size, await notes()]).toEqual([stored.length, []]);
});

test("a restored backup has no notes of the objects that the other store was writing", async () => {
  const { held, letGo } = holding("PUT");
  const storing = store.putBlob(randomBytes(90_000));
  await held;
  const file = join(folder, `backup-${made}.db`);
  await backupStore(store, file);
  letGo();
  const { hash } = await storing;
  await using restored = await openStore(`sqlite:${join(folder, `restored-${made}.db`)}`, { blobs: blobs() });
  await restoreStore(restored, file);
  expect(await sweepObjects(restored.engine, { minAgeMs: 0 })).toBe(0);
  expect(await contentOf(store, hash)).toHaveLength(90_000);
});

/** Leaves an object like a process that is killed just after the upload. */
async function leave(engine: OpenedStore["engine"], bytes: Buffer): Promise<void> {
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes;
  };
  await putBody(engine, engine.bodies, pieces());
}
