/** Blobs of a store on Postgres, whose servers share a bucket: the contract, and moves between the bucket and the database. */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { backupStore, moveBlobs, type OpenedStore, openStore, restoreStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
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

test("blobs move from Postgres to S3 and back, and a backup of either has them", async () => {
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
