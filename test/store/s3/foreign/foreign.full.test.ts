/**
 * Blobs in a service of other authors: `s3rver`, which the first run installs in this folder. It checks neither
 * signatures nor conditions, so these tests cover only reading, writing, parts, ranges and removal.
 */

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { putBody, sweepObjects } from "../../../../packages/store/src/store/blobs/index.ts";
import { storeContract } from "../../../../packages/store/src/testing/index.ts";
import { scratchFolder } from "../../../scratch-folder.ts";

const HERE = import.meta.dirname;
const BUCKET = "foreign";
const folder = scratchFolder("s3-foreign");

interface S3Rver {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}

let server: S3Rver;
let endpoint = "";

beforeAll(async () => {
  if (!existsSync(join(HERE, "node_modules/s3rver"))) {
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: HERE });
  }
  const Server = createRequire(join(HERE, "package.json"))("s3rver") as new (options: object) => S3Rver;
  server = new Server({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory: join(folder, "objects"),
    configureBuckets: [{ name: BUCKET }],
  });
  endpoint = `http://127.0.0.1:${(await server.run()).port}`;
  vi.stubEnv("AWS_ACCESS_KEY_ID", "S3RVER");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "S3RVER");
}, 180_000);

afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const url = `sqlite:${join(folder, "store.db")}`;
const blobs = () => ({ s3: { endpoint, bucket: BUCKET, region: "us-east-1", prefix: "team/" } });

for (const { group, name, run } of storeContract(({ workspaceId }) =>
  openStore(url, { workspaceId, blobs: blobs() }),
)) {
  if (group === "blobs") test(`s3rver, ${group}: ${name}`, run);
}

test("s3rver keeps a blob of 20 MB that was sent in parts, and removes it when it is collected", async () => {
  await using store = await openStore("memory:", { blobs: blobs() });
  const objects = () =>
    readdirSync(join(folder, "objects", BUCKET), { recursive: true }).filter((name) =>
      String(name).endsWith("_object"),
    ).length;
  const before = objects();
  const bytes = randomBytes(20_000_000);
  const { hash } = await store.putBlob(bytes);
  expect(objects()).toBe(before + 1);
  const parts: Uint8Array[] = [];
  for await (const chunk of (await store.openBlob(hash)).bytes) parts.push(Uint8Array.from(chunk));
  expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  await store.collectBlobs({ minAgeMs: 0 });
  expect(objects()).toBe(before);
});

test("an object whose process ended before it wrote the row is swept from s3rver, which lists no uploads", async () => {
  await using store = await openStore("memory:", { blobs: blobs() });
  const { engine } = store;
  const bytes = (async function* () {
    yield randomBytes(50_000);
  })();
  const key = await putBody(engine, engine.bodies, bytes);
  expect(await sweepObjects(engine, { minAgeMs: 0 })).toBe(1);
  const reading = Array.fromAsync(engine.bodies.open(key));
  await expect(reading).rejects.toMatchObject({ code: "not_found" });
});

test("the error names a bucket that s3rver does not have", async () => {
  await using store = await openStore("memory:", { blobs: { s3: { ...blobs().s3, bucket: "absent" } } });
  await expect(store.putBlob(randomBytes(50_000))).rejects.toMatchObject({
    code: "unavailable",
    details: { s3Code: "NoSuchBucket" },
  });
});
