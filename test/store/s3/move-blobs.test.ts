/** Blobs moved between files, the database and S3. */

import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { moveBlobs, type OpenedStore, openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { sql } from "../../../packages/store/src/store/engine/index.ts";
import { scratchFolder } from "../../scratch-folder.ts";
import { contentOf, inBucket, openBucket } from "./bucket.ts";

const folder = scratchFolder("move-blobs");
const s3 = await openBucket();
let made = 0;

const blobs = () => inBucket(s3, { prefix: "move/" });

/** Counts the bodies in each place. */
async function bodiesOf(store: OpenedStore, path: string): Promise<readonly number[]> {
  const [chunks] = await store.engine.read((scope) =>
    sql<{ readonly n: number }>(scope, "select count(distinct body_key) as n from blob_chunks"),
  );
  const files = readdirSync(`${path}-blobs`, { recursive: true, withFileTypes: true });
  return [files.filter((file) => file.isFile()).length, chunks?.n ?? 0, s3.objects.size];
}

test("the blobs of all workspaces move from files to S3, to the database and back to files, and stay the same", async () => {
  const path = join(folder, `${made++}.db`);
  const first = await openStore(`sqlite:${path}`);
  const other = first.forWorkspace("other");
  const bytes = [100, 90_000, 300_000, 9_000_000].map((size) => randomBytes(size));
  const stored = await Promise.all(bytes.map((one) => first.putBlob(one, { mediaType: "image/png" })));
  const elsewhere = await other.putBlob(bytes[2] ?? new Uint8Array());
  await first.close();
  await using store = await openStore(`sqlite:${path}`, { blobs: blobs() });
  const check = async (): Promise<void> => {
    for (const [n, { hash }] of stored.entries())
      expect((await contentOf(store, hash)).equals(bytes[n] ?? Buffer.alloc(0))).toBe(true);
    expect(await contentOf(store.forWorkspace("other"), elsewhere.hash)).toEqual(bytes[2]);
  };
  expect(await bodiesOf(store, path)).toEqual([3, 0, 0]);
  // With S3, a blob that was in its row also gets an object, if it is large enough.
  expect(await moveBlobs(store, { to: "s3" })).toEqual({ moved: 4, sizeBytes: 9_690_000 });
  expect(await bodiesOf(store, path)).toEqual([0, 0, 4]);
  await check();
  expect((await moveBlobs(store, { to: "s3" })).moved).toBe(0);
  expect((await moveBlobs(store, { to: "database" })).moved).toBe(4);
  expect(await bodiesOf(store, path)).toEqual([0, 4, 0]);
  await check();
  expect((await moveBlobs(store, { to: "files" })).moved).toBe(4);
  expect(await bodiesOf(store, path)).toEqual([4, 0, 0]);
  await check();
});

test("a copy that comes back with other bytes does not count, and the blob stays where it is", async () => {
  const path = join(folder, `${made++}.db`);
  const first = await openStore(`sqlite:${path}`);
  const bytes = randomBytes(300_000);
  const { hash } = await first.putBlob(bytes);
  await first.close();
  await using store = await openStore(`sqlite:${path}`, { blobs: blobs() });
  s3.fault = ({ method }) => {
    if (method === "GET") for (const object of s3.objects.values()) object[0] = (object[0] ?? 0) ^ 1;
    return undefined;
  };
  await expect(moveBlobs(store, { to: "s3" })).rejects.toMatchObject({ code: "corrupt", details: { hash } });
  expect(await bodiesOf(store, path)).toEqual([1, 0, 0]);
  expect(await contentOf(store, hash)).toEqual(bytes);
});

test("a reader of a blob that is moved continues in the new place", async () => {
  const path = join(folder, `${made++}.db`);
  await using store = await openStore(`sqlite:${path}`, { blobs: blobs() });
  const bytes = randomBytes(1_000_000);
  const { hash } = await store.putBlob(bytes);
  await moveBlobs(store, { to: "database" });
  const parts: Uint8Array[] = [];
  for await (const chunk of (await store.openBlob(hash)).bytes) {
    if (parts.length === 1) await moveBlobs(store, { to: "files" });
    parts.push(Uint8Array.from(chunk));
  }
  expect(Buffer.concat(parts).equals(bytes)).toBe(true);
});

test("a place that the store does not have is refused, and blobs of some media types can stay where they are", async () => {
  await using memory = await openStore("memory:");
  await expect(moveBlobs(memory, { to: "files" })).rejects.toMatchObject({ code: "unsupported" });
  await expect(moveBlobs(memory, { to: "s3" })).rejects.toMatchObject({
    code: "unsupported",
    message: "this store cannot keep blobs in S3",
  });
  const path = join(folder, `${made++}.db`);
  await using store = await openStore(`sqlite:${path}`);
  await store.putBlob(randomBytes(300_000), { mediaType: "a/b" });
  expect((await moveBlobs(store, { to: "database", exceptMediaTypes: ["a/b"] })).moved).toBe(0);
  expect((await moveBlobs(store, { to: "database" })).moved).toBe(1);
});

test("a blob that is collected while it is moved leaves nothing in either place", async () => {
  const path = join(folder, `${made++}.db`);
  const first = await openStore(`sqlite:${path}`);
  await first.putBlob(randomBytes(300_000));
  await using store = await openStore(`sqlite:${path}`, { blobs: blobs() });
  let collecting: Promise<unknown> | undefined;
  s3.fault = ({ method }) => {
    if (method === "GET") collecting ??= first.collectBlobs({ minAgeMs: 0 });
    return method === "GET" ? "slow" : undefined;
  };
  expect((await moveBlobs(store, { to: "s3" })).moved).toBe(0);
  expect(await collecting).toMatchObject({ removed: 1 });
  expect(await bodiesOf(store, path)).toEqual([0, 0, 0]);
  await first.close();
});
