/** Blobs of a store on Postgres, whose servers share a bucket: the contract, and moves between the bucket and the database. */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { backupStore, moveBlobs, type OpenedStore, openStore, restoreStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { putBody, sweepObjects } from "../../../packages/store/src/store/blobs/index.ts";
import { storeContract } from "../../../packages/store/src/testing/index.ts";
import { scratchFolder } from "../../scratch-folder.ts";
import { newPostgresDatabase } from "../../sizes/shared-programs.ts";
import { BUCKET, CREDENTIALS, REGION, type S3Server, startS3 } from "./s3-server.ts";

const folder = scratchFolder("s3-postgres");
let s3: S3Server;
let url = "";

beforeAll(async () => {
  s3 = await startS3();
  for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value);
  url = await newPostgresDatabase();
  await (await openStore(url, { migrate: true })).close();
}, 120_000);

afterAll(async () => {
  vi.unstubAllEnvs();
  await s3[Symbol.asyncDispose]();
});

const open = (workspaceId = "default"): Promise<OpenedStore> => {
  const blobs = { s3: { endpoint: s3.endpoint, bucket: BUCKET, region: REGION, prefix: "pg/" } };
  return openStore(url, { workspaceId, blobs });
};

for (const { group, name, run } of storeContract(({ workspaceId }) => open(workspaceId))) {
  if (group === "blobs") test(`S3 beside Postgres, ${group}: ${name}`, run);
}

async function contentOf(store: OpenedStore, hash: string): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync((await store.openBlob(hash)).bytes));
}

test("blobs move from Postgres to S3 and back, and a backup in either state has them", async () => {
  await using store = await open("moved");
  const bytes = [90_000, 700_000].map((size) => randomBytes(size));
  const hashes: string[] = [];
  for (const one of bytes) hashes.push((await store.putBlob(one)).hash);
  const check = async (from: OpenedStore): Promise<void> => {
    for (const [n, hash] of hashes.entries()) expect(await contentOf(from, hash)).toEqual(bytes[n]);
  };
  for (const to of ["database", "s3", "database"] as const) {
    expect((await moveBlobs(store, { to })).moved).toBeGreaterThanOrEqual(hashes.length);
    await check(store);
    const file = join(folder, `${to}-${s3.requests.length}.db`);
    await backupStore(store, file);
    await using restored = await openStore("memory:", { workspaceId: "moved" });
    await restoreStore(restored, file);
    await check(restored);
  }
  expect(s3.objects.size).toBe(0);
  await expect(moveBlobs(store, { to: "files" })).rejects.toMatchObject({ code: "unsupported" });
});

test("a sweep for a store on Postgres removes abandoned objects, and a blob that is just being stored is refused", async () => {
  await using store = await open("swept");
  const before = s3.objects.size;
  await putBody(store.engine, store.engine.bodies, pieces(randomBytes(90_000)));
  expect(s3.objects.size).toBe(before + 1);
  expect(await sweepObjects(store.engine)).toBe(0);
  const held = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  s3.hold = async ({ method }) => {
    if (method === "PUT") held.resolve();
    if (method === "PUT") await going.promise;
  };
  const storing = store.putBlob(randomBytes(90_000));
  storing.catch(() => undefined);
  await held.promise;
  expect(await sweepObjects(store.engine, { minAgeMs: 0 })).toBe(2);
  going.resolve();
  await expect(storing).rejects.toMatchObject({ code: "unavailable" });
  s3.hold = () => Promise.resolve();
  expect(s3.objects.size).toBe(before);
});

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
