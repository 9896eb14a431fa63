/** A move of blobs is killed at random moments and repeated each time: 100 times in the soak. */

import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "@continuo/store";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { sweepObjects } from "../../../packages/store/src/store/blobs/index.ts";
import { sql } from "../../../packages/store/src/store/engine/index.ts";
import { scratchFolder } from "../../scratch-folder.ts";
import { ALL_ROUNDS } from "../../sizes/counts.ts";
import { BUCKET, CREDENTIALS, REGION, type S3Server, startS3 } from "./s3-server.ts";

const KILLS = ALL_ROUNDS ? 100 : 10;
const BLOBS = 40;
const PLACES = ["s3", "database", "files"] as const;
const MOVER = join(import.meta.dirname, "../processes/blob-mover.ts");
const folder = scratchFolder("move-kills");
const url = `sqlite:${join(folder, "store.db")}`;
let s3: S3Server;

beforeAll(async () => {
  s3 = await startS3();
  for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await s3[Symbol.asyncDispose]();
});

afterEach(() => {
  s3.fault = () => undefined;
  s3.hold = () => Promise.resolve();
});

const settings = () => ({ endpoint: s3.endpoint, bucket: BUCKET, region: REGION });

/** Resolves when it begins to move. */
async function startMover(to: string, from = url): Promise<ChildProcess> {
  const child = spawn(process.execPath, [MOVER, from, to, JSON.stringify(settings())], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout as NodeJS.ReadableStream, "data");
  return child;
}

test("a move that is killed at random moments loses no blob, and ends with all of them in one place", {
  timeout: 600_000,
}, async () => {
  s3.fault = () => (Math.random() < 0.05 ? "busy" : Math.random() < 0.2 ? "slow" : undefined);
  await using store = await openStore(url, { blobs: { s3: settings() } });
  const hashes: string[] = [];
  for (let n = 0; n < BLOBS; n++) hashes.push((await store.putBlob(randomBytes(20_000 + n * 10_000))).hash);
  const assertAll = async (): Promise<void> => {
    for (const hash of hashes) {
      const sum = createHash("sha256");
      for await (const chunk of (await store.openBlob(hash)).bytes) sum.update(chunk);
      expect(sum.digest("hex")).toBe(hash);
    }
  };
  const whole = await startMover(PLACES[0]);
  const begun = performance.now();
  expect((await once(whole, "exit"))[0]).toBe(0);
  const wholeMs = performance.now() - begun;
  await assertAll();
  let kills = 0;
  for (let place = 1; kills < KILLS; ) {
    const to = PLACES[place % PLACES.length] ?? "s3";
    const child = await startMover(to);
    const ended = once(child, "exit");
    await Promise.race([sleep(Math.random() * wholeMs), ended]);
    if (child.exitCode === null) child.kill("SIGKILL");
    const [code, signal] = await ended;
    if (signal === "SIGKILL") kills++;
    else {
      expect(code).toBe(0);
      place++;
    }
    if (signal !== "SIGKILL" || kills % 10 === 0) await assertAll();
  }
  const last = await startMover("files");
  expect((await once(last, "exit"))[0]).toBe(0);
  await assertAll();
  expect(s3.overwritten).toEqual([]);
  const keys = await store.engine.read((scope) =>
    sql<{ readonly body_key: string }>(scope, "select body_key from blobs where body_key is not null"),
  );
  expect(keys.map(({ body_key: key }) => store.engine.bodies.placeOf(key))).toEqual(
    hashes.map(() => "files"),
  );
  // Each kill leaves at most one object without a row, and a sweep finds all of these.
  expect(s3.objects.size).toBeLessThanOrEqual(KILLS);
  const left = s3.objects.size;
  expect(await sweepObjects(store.engine, { minAgeMs: 0 })).toBeGreaterThanOrEqual(left);
  expect(s3.objects.size).toBe(0);
  await assertAll();
});

test("parts of a blob whose move was killed are swept after a day, and the next move ends", {
  timeout: 300_000,
}, async () => {
  const from = `sqlite:${join(folder, "parts.db")}`;
  await using store = await openStore(from, { blobs: { s3: settings() } });
  const { hash } = await store.putBlob(randomBytes(20_000_000));
  expect([s3.objects.size, s3.uploads.size]).toEqual([1, 0]);
  expect((await once(await startMover("database", from), "exit"))[0]).toBe(0);
  const reached = Promise.withResolvers<void>();
  const never = Promise.withResolvers<void>();
  s3.hold = async ({ query }) => {
    if (query.get("partNumber") !== "2") return;
    reached.resolve();
    await never.promise;
  };
  const killed = await startMover("s3", from);
  const ended = once(killed, "exit");
  await reached.promise;
  killed.kill("SIGKILL");
  expect((await ended)[1]).toBe("SIGKILL");
  s3.hold = () => Promise.resolve();
  expect([s3.objects.size, s3.uploads.size]).toEqual([0, 1]);
  expect(await sweepObjects(store.engine)).toBe(0);
  expect(s3.uploads.size).toBe(1);
  expect(await sweepObjects(store.engine, { minAgeMs: 0 })).toBe(1);
  expect(s3.uploads.size).toBe(0);
  expect((await once(await startMover("s3", from), "exit"))[0]).toBe(0);
  expect([s3.objects.size, s3.uploads.size]).toEqual([1, 0]);
  const sum = createHash("sha256");
  for await (const chunk of (await store.openBlob(hash)).bytes) sum.update(chunk);
  expect(sum.digest("hex")).toBe(hash);
  never.resolve();
});
