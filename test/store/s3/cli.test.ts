/** The command that moves blobs, with the bucket of `continuo.yaml`. */

import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Run } from "../../cli/home.ts";
import { runHere } from "../../cli/in-process.ts";
import { scratchFolder } from "../../scratch-folder.ts";
import { BUCKET, CREDENTIALS, REGION, type S3Server, startS3 } from "./s3-server.ts";

const home = scratchFolder("s3-cli");
let s3: S3Server;

beforeAll(async () => {
  s3 = await startS3();
  for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value);
  await using store = await openStore(`sqlite:${join(home, "continuo.db")}`);
  await store.putBlob(randomBytes(90_000), { mediaType: "image/jpeg" });
  await store.putBlob(randomBytes(300_000), { mediaType: "application/x-continuo-records+zstd" });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await s3[Symbol.asyncDispose]();
});

function move(...args: readonly string[]): Promise<Run> {
  return runHere({ path: home }, ["store", "blobs", "move", ...args], { env: { CONTINUO_HOME: home } });
}

test("store blobs move uses the bucket of continuo.yaml, and leaves the records of hand-overs", {
  timeout: 120_000,
}, async () => {
  const none = await move("--to", "s3");
  expect([none.code, none.stderr]).toEqual([
    1,
    "continuo: this store cannot keep blobs in S3\nSet `blobs.s3` in continuo.yaml, or give `blobs` to openStore.\n",
  ]);
  const s3Settings = { endpoint: s3.endpoint, bucket: BUCKET, region: REGION, prefix: "team/" };
  writeFileSync(join(home, "continuo.yaml"), JSON.stringify({ blobs: { s3: s3Settings } }));
  const { stdout, code } = await move("--to", "s3");
  expect([code, stdout]).toEqual([0, "moved  1 blob of 88 KB\nto     S3\n"]);
  expect([...s3.objects.keys()]).toEqual([expect.stringMatching(/^team\/sha256\//u)]);
  expect(JSON.parse((await move("--to", "database", "--json")).stdout)).toEqual({
    moved: 1,
    sizeBytes: 90_000,
    to: "database",
  });
  expect(s3.objects.size).toBe(0);
  expect((await move("--to", "tape")).code).toBe(2);
  writeFileSync(join(home, "continuo.yaml"), "blobs: { s3: { bukket: x } }");
  const mistaken = await move("--to", "database");
  expect(mistaken.code).toBe(2);
  expect(mistaken.stderr).toContain("bukket");
});
