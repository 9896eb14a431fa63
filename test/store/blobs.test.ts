/**
 * Blobs are stored by their size in their row, in pieces in the database, or in files. The tests run in memory and on
 * SQLite.
 */

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { BlobSource } from "@continuo/core/model";
import { backupStore, LIMITS, openStore, restoreStore } from "@continuo/store";
import { describe, expect, test } from "vitest";
import { sql } from "../../packages/store/src/store/engine/index.ts";
import type { OpenedStore } from "../../packages/store/src/store/sql-store.ts";
import { scratchFolder } from "../scratch-folder.ts";

const folder = scratchFolder("blobs");

let made = 0;
const ENGINES = {
  memory: () => "memory:",
  sqlite: () => `sqlite:${join(folder, `${made++}.db`)}`,
};

const INLINE = LIMITS.inlineBlobBytes;

/** A pattern whose length does not divide the size of a piece. */
function bytesOf(size: number): Uint8Array {
  return new Uint8Array(
    Buffer.alloc(
      size,
      Uint8Array.from({ length: 251 }, (_, n) => n),
    ),
  );
}

async function* inParts(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function contentOf(store: OpenedStore, hash: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of (await store.openBlob(hash)).bytes) parts.push(Uint8Array.from(chunk));
  return Buffer.concat(parts);
}

async function countOf(store: OpenedStore, what: string): Promise<unknown> {
  const [row] = await store.engine.read((scope) => sql(scope, `select count(*) as n from ${what}`));
  return row?.n;
}

describe.each(Object.entries(ENGINES))("on %s", (_, url) => {
  test.each([0, 1, INLINE - 1, INLINE, INLINE + 1, 2 * INLINE, 2 * INLINE + 1])(
    "a blob of %d bytes comes back as it was, from one part or from many",
    async (size) => {
      await using store = await openStore(url());
      const bytes = bytesOf(size);
      const sources: readonly BlobSource[] = [
        bytes,
        [bytes],
        inParts(bytes, 100_000),
        inParts(bytes, INLINE),
      ];
      const stored = await Promise.all(sources.map((source) => store.putBlob(source)));
      const [{ hash } = { hash: "" }] = stored;
      for (const info of stored)
        expect(info).toMatchObject({ hash, sizeBytes: size, mediaType: "application/octet-stream" });
      expect((await contentOf(store, hash)).equals(bytes)).toBe(true);
      // Up to the limit, a blob is stored in its row.
      expect(await countOf(store, "blobs where body_key is null")).toBe(size <= INLINE ? 1 : 0);
      expect(await countOf(store, "blobs")).toBe(1);
    },
  );

  test("a large blob that exists already, fails or has expired leaves no bytes behind", async () => {
    const where = url();
    await using store = await openStore(where);
    const bytes = bytesOf(INLINE + 1);
    await store.putBlob(bytes);
    const left = async (): Promise<unknown> =>
      where === "memory:"
        ? countOf(store, "blob_chunks where position = 0")
        : readdirSync(`${where.slice("sqlite:".length)}-blobs`, {
            recursive: true,
            withFileTypes: true,
          }).filter((one) => one.isFile()).length;
    expect(await left()).toBe(1);
    await store.putBlob(bytes);
    async function* broken(): AsyncGenerator<Uint8Array, void, void> {
      yield bytes;
      throw new Error("the source broke");
    }
    await expect(store.putBlob(broken())).rejects.toThrow("the source broke");
    const expired = store.putBlob(bytesOf(INLINE + 2), { expiresAt: "2001-01-01T00:00:00Z" });
    await expect(expired).rejects.toMatchObject({
      code: "invalid",
      message: "cannot store a blob that has already expired",
    });
    expect(await left()).toBe(1);
    expect(await store.collectBlobs({ minAgeMs: 0 })).toEqual({ removed: 1, sizeBytes: INLINE + 1 });
    expect(await left()).toBe(0);
  });

  test("a blob whose bytes are missing or changed is never returned as whole", async () => {
    const where = url();
    await using store = await openStore(where);
    const [small, large] = [await store.putBlob(bytesOf(3)), await store.putBlob(bytesOf(INLINE + 1))];
    await store.engine.write((tx) => sql(tx, "update blobs set inline_bytes = x'00' where body_key is null"));
    const damaged = {
      code: "corrupt",
      message: `the blob ${small.hash} is damaged: its bytes do not match its hash`,
      hint: "Restore it from a backup, or store the bytes again.",
      details: { hash: small.hash },
    };
    await expect(contentOf(store, small.hash)).rejects.toMatchObject(damaged);
    if (where === "memory:") await store.engine.write((tx) => sql(tx, "delete from blob_chunks"));
    else rmSync(`${where.slice("sqlite:".length)}-blobs`, { recursive: true });
    await expect(contentOf(store, large.hash)).rejects.toMatchObject({
      code: "not_found",
      message: "the bytes of a blob are missing",
    });
  });
});

test("an invalid blob, hash or time is refused", async () => {
  await using store = await openStore("memory:");
  const unknown = "0".repeat(64);
  const refused = (code: string, message: string) => ({ code, message });
  const noHash = refused("invalid", "the hash of a blob must be 64 hex digits");
  for (const hash of ["", "A".repeat(64), "0".repeat(63), "0".repeat(65), `${unknown}\n`]) {
    await expect(store.statBlob(hash)).rejects.toMatchObject({ ...noHash, details: { hash } });
    await expect(store.openBlob(hash)).rejects.toMatchObject(noHash);
  }
  expect(await store.statBlob(unknown)).toBeNull();
  await expect(store.openBlob(unknown)).rejects.toMatchObject(
    refused("not_found", `there is no blob ${unknown}`),
  );
  const text = ["text"] as unknown as BlobSource;
  const noBytes = refused("invalid", "the content of a blob must be Uint8Arrays");
  await expect(store.putBlob(text)).rejects.toMatchObject(noBytes);
  const noType = store.putBlob(bytesOf(1), { mediaType: 7 as unknown as string });
  await expect(noType).rejects.toMatchObject(refused("invalid", "the media type must be a text"));
  await expect(store.putBlob(bytesOf(1), { expiresAt: "soon" })).rejects.toMatchObject(
    refused("invalid", "the expiresAt of a blob must be an ISO 8601 time in UTC (2026-01-31T12:00:00.000Z)"),
  );
  const cause = new Error("no longer needed");
  const cancelled = { code: "cancelled", cause };
  await expect(store.putBlob(bytesOf(1), { signal: AbortSignal.abort(cause) })).rejects.toMatchObject(
    cancelled,
  );
  await expect(store.collectBlobs({ signal: AbortSignal.abort(cause) })).rejects.toMatchObject(cancelled);
});

test("a blob is not collected in its first hour, unless the caller requests it", async () => {
  let now = 0;
  await using store = await openStore("memory:", { now: () => now });
  await store.putBlob(bytesOf(1));
  now = 3_599_000;
  expect((await store.collectBlobs()).removed).toBe(0);
  now = 3_601_000;
  expect((await store.collectBlobs()).removed).toBe(1);
});

async function bodyOf(store: OpenedStore, path: string, hash: string): Promise<string> {
  const [row] = await store.engine.read((scope) =>
    sql<{ readonly body_key: string }>(scope, "select body_key from blobs where hash = ?", hash),
  );
  const key = row?.body_key ?? "";
  return join(`${path}-blobs`, key.slice(-2), key);
}

test("a backup leaves out a large blob that was collected before its bytes were copied, and fails for any other reason", async () => {
  const path = join(folder, "collected.db");
  await using store = await openStore(`sqlite:${path}`);
  const [kept, gone] = [await store.putBlob(bytesOf(INLINE + 1)), await store.putBlob(bytesOf(INLINE + 2))];
  const collected = await bodyOf(store, path, gone.hash);
  const exportTo = async (to: string): Promise<void> => {
    await store.engine.exportTo(to);
    await store.engine.write((tx) => sql(tx, "delete from blobs where hash = ?", gone.hash));
    rmSync(collected);
  };
  const file = join(folder, "collected-backup.db");
  expect(await backupStore({ ...store, engine: { ...store.engine, exportTo } }, file)).toMatchObject({
    blobs: 1,
  });
  await using restored = await openStore("memory:");
  expect(await restoreStore(restored, file)).toEqual({ logs: 0, events: 0, blobs: 1 });
  expect(await restored.statBlob(gone.hash)).toBeNull();
  expect((await contentOf(restored, kept.hash)).length).toBe(INLINE + 1);
  const body = await bodyOf(store, path, kept.hash);
  const failed = join(folder, "failed-backup.db");
  rmSync(body);
  await expect(backupStore(store, failed)).rejects.toMatchObject({ code: "not_found" });
  // A folder stands in the place of the bytes, and cannot be read as a file.
  mkdirSync(body);
  await expect(backupStore(store, failed)).rejects.toMatchObject({
    code: "unavailable",
    details: { path },
  });
  expect(readdirSync(folder).filter((name) => name.startsWith("failed"))).toEqual([]);
});
