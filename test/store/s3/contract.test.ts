/** The contract of every store, for a store whose larger blobs are in S3. */

import { join } from "node:path";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { storeContract } from "../../../packages/store/src/testing/index.ts";
import { scratchFolder } from "../../scratch-folder.ts";
import { BUCKET, CREDENTIALS, REGION, type S3Server, startS3 } from "./s3-server.ts";

const folder = scratchFolder("s3-contract");
let s3: S3Server;

beforeAll(async () => {
  s3 = await startS3();
  for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await s3[Symbol.asyncDispose]();
});

const url = `sqlite:${join(folder, "store.db")}`;
const cases = storeContract(({ workspaceId }) => {
  const blobs = { s3: { endpoint: s3.endpoint, bucket: BUCKET, region: REGION, prefix: "contract" } };
  return openStore(url, { workspaceId, blobs });
});
for (const { group, name, run } of cases) {
  if (group === "blobs") test(`S3, ${group}: ${name}`, run);
}

test("the contract wrote objects with the hash of their bytes in their names, and overwrote none", () => {
  const names = s3.requests.filter(({ method }) => method === "PUT").map(({ object }) => object);
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    expect(name).toMatch(/^contract\/sha256\/([0-9a-f]{2})\/\1[0-9a-f]{62}\/[0-9a-f-]{36}$/u);
  }
  expect(s3.overwritten).toEqual([]);
});
