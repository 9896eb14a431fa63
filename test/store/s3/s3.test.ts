/** Blobs in S3: answers that are lost, cut off, slow, stale or refused, wrong settings, and collection. */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { isContinuoError } from "@continuo/core/model";
import { backupStore, type OpenedStore, openStore, restoreStore } from "@continuo/store";
import { expect, test, vi } from "vitest";
import { sql } from "../../../packages/store/src/store/engine/index.ts";
import { scratchFolder } from "../../scratch-folder.ts";
import { contentOf, faultAt, inBucket, openBucket } from "./bucket.ts";
import { expectUploaded } from "./parts.ts";
import { BUCKET, REGION, type S3Request } from "./s3-server.ts";

const folder = scratchFolder("s3");
const s3 = await openBucket();
let made = 0;

const settings = (changes = {}) => inBucket(s3, changes);

const newUrl = (): string => `sqlite:${join(folder, `${made++}.db`)}`;
const open = (url = newUrl()): Promise<OpenedStore> => openStore(url, { blobs: settings() });

const isGet = ({ method }: S3Request): boolean => method === "GET";

test("a picture of a frame is an object with a checksum, and only a small blob stays in its row", async () => {
  await using store = await open();
  await store.putBlob(randomBytes(16_384));
  expect(s3.objects.size).toBe(0);
  const bytes = randomBytes(90_000);
  const { hash } = await store.putBlob(bytes, { mediaType: "image/jpeg" });
  expect([...s3.objects.values()]).toEqual([bytes]);
  const [request] = s3.requests;
  expect(request?.headers).toMatchObject({
    "x-amz-content-sha256": hash,
    "x-amz-checksum-sha256": Buffer.from(hash, "hex").toString("base64"),
    "if-none-match": "*",
  });
  expect(await contentOf(store, hash)).toEqual(bytes);
});

test.each(["busy", "lost"] as const)(
  "a put whose first two answers are %s is repeated and stored once",
  async (fault) => {
    await using store = await open();
    const bytes = randomBytes(50_000);
    faultAt(s3, fault, { numbers: [0, 1] });
    const { hash } = await store.putBlob(bytes);
    expect(s3.objects.size).toBe(1);
    expect(s3.overwritten).toEqual([]);
    s3.fault = () => undefined;
    expect(await contentOf(store, hash)).toEqual(bytes);
  },
);

test.each(["busy", "lost", "torn", "slow", "stale"] as const)(
  "a blob whose first two answers are %s is read whole",
  async (fault) => {
    await using store = await open();
    const bytes = randomBytes(700_000);
    const { hash } = await store.putBlob(bytes);
    faultAt(s3, fault, { numbers: [0, 1], of: isGet });
    expect((await contentOf(store, hash)).equals(bytes)).toBe(true);
    // An answer that was cut off is continued where it ended.
    if (fault === "torn") expect(s3.requests.at(-1)?.headers.range).toMatch(/^bytes=[1-9]\d*-$/u);
  },
);

test("a blob of 9 MB is uploaded in parts, although answers to the start, a part and the completion are lost", async () => {
  await expectUploaded(s3, { url: newUrl(), sizeBytes: 9_000_000, fault: "lost", numbers: [0, 3, 5] });
});

test("a source that fails leaves no object and no upload", async () => {
  await using store = await open();
  async function* failing(): AsyncGenerator<Uint8Array, void, void> {
    yield randomBytes(9_000_000);
    throw new Error("the camera was unplugged");
  }
  await expect(store.putBlob(failing())).rejects.toThrow("the camera was unplugged");
  s3.fault = ({ query }) => (query.has("partNumber") ? "busy" : undefined);
  vi.useFakeTimers({ toFake: ["setTimeout"], shouldAdvanceTime: true, advanceTimeDelta: 5_000 });
  await expect(store.putBlob(randomBytes(9_000_000))).rejects.toMatchObject({ code: "unavailable" });
  vi.useRealTimers();
  expect([s3.objects.size, s3.uploads.size]).toEqual([0, 0]);
});

test("bytes that were changed in the bucket are reported, and never returned as correct", async () => {
  await using store = await open();
  const { hash } = await store.putBlob(randomBytes(50_000));
  for (const bytes of s3.objects.values()) bytes[7] = (bytes[7] ?? 0) ^ 1;
  await expect(contentOf(store, hash)).rejects.toMatchObject({ code: "corrupt", details: { hash } });
  s3.objects.clear();
  await expect(contentOf(store, hash)).rejects.toMatchObject({
    code: "not_found",
    hint: "Check `bucket` and `prefix` of `blobs.s3`, or restore the blob from a backup.",
  });
});

const WRONG: readonly (readonly [string, () => Promise<OpenedStore>, string, string])[] = [
  [
    "bucket",
    () => openStore(newUrl(), { blobs: settings({ bucket: "another" }) }),
    "cannot write to the bucket another: NoSuchBucket: The specified bucket does not exist",
    "Create the bucket, or correct `bucket` and `endpoint` of `blobs.s3`.",
  ],
  [
    "region",
    () => openStore(newUrl(), { blobs: settings({ region: "us-east-1" }) }),
    `cannot write to the bucket ${BUCKET}: AuthorizationHeaderMalformed: the region 'us-east-1' is wrong; expecting '${REGION}'`,
    "Set `region` of `blobs.s3` to the region of the bucket.",
  ],
  [
    "key",
    () => {
      vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAOTHER");
      return open();
    },
    `cannot write to the bucket ${BUCKET}: InvalidAccessKeyId: The AWS Access Key Id you provided does not exist in our records.`,
    "Set AWS_ACCESS_KEY_ID to a key of this service.",
  ],
  [
    "secret",
    () => {
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", "another");
      return open();
    },
    `cannot write to the bucket ${BUCKET}: SignatureDoesNotMatch: The request signature we calculated does not match the signature you provided.`,
    "Set AWS_SECRET_ACCESS_KEY to the secret of AWS_ACCESS_KEY_ID.",
  ],
  [
    "clock",
    () => {
      s3.now = () => Date.now() + 3_600_000;
      return open();
    },
    `cannot write to the bucket ${BUCKET}: RequestTimeTooSkewed: The difference between the request time and the current time is too large.`,
    "Set the clock of this machine: it differs from that of the service.",
  ],
];

test.each(WRONG)("a wrong %s is reported at once, with what to do", async (_, opened, message, hint) => {
  await using store = await opened();
  await expect(store.putBlob(randomBytes(50_000))).rejects.toMatchObject({
    code: "unavailable",
    message,
    hint,
  });
  // There is no second attempt, because the answer would be the same.
  expect(s3.requests.length).toBe(1);
  expect((await store.info()).blobs).toBe(0);
});

test("invalid settings and missing credentials are refused when the store is opened", async () => {
  const refused = async (changes: object, message: string): Promise<void> => {
    const opening = openStore("memory:", { blobs: settings(changes) });
    await expect(opening).rejects.toMatchObject({ code: "invalid", message });
  };
  await refused({ bucket: "" }, "blobs.s3.bucket must be the name of a bucket");
  const address = "blobs.s3.endpoint must be an http or https address without a path or a query";
  for (const endpoint of ["localhost:9000", "http://a/b", "http://u:p@a", "ftp://a", "http://a?x=1"]) {
    await refused({ endpoint }, address);
  }
  await refused({ prefix: "a/../b" }, "blobs.s3.prefix must be a path such as continuo/");
  await refused({ region: "EU west" }, "blobs.s3.region must be the name of a region, such as eu-central-1");
  await refused({ buckets: "x" }, 'blobs.s3 has no setting "buckets"');
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "");
  await expect(open()).rejects.toMatchObject({
    message: "blobs.s3 needs credentials, and the environment has none",
    hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
  });
});

test("a store that begins to use S3 still reads its files, and a store that stops using S3 reports which setting is missing", async () => {
  const url = newUrl();
  const [before, after] = [randomBytes(300_000), randomBytes(300_000)];
  const first = await openStore(url);
  const file = await first.putBlob(before);
  await first.close();
  const second = await open(url);
  const object = await second.putBlob(after);
  expect(await contentOf(second, file.hash)).toEqual(before);
  expect(await contentOf(second, object.hash)).toEqual(after);
  await second.close();
  await using third = await openStore(url);
  await expect(contentOf(third, object.hash)).rejects.toMatchObject({
    code: "unavailable",
    message: "the bytes of a blob are in S3, and no bucket is set",
  });
});

test("two stores with one prefix do not remove each other's objects of the same bytes", async () => {
  await using one = await open();
  await using two = await open();
  const bytes = randomBytes(40_000);
  const { hash } = await one.putBlob(bytes);
  await two.putBlob(bytes);
  expect(await one.collectBlobs({ minAgeMs: 0 })).toEqual({ removed: 1, sizeBytes: 40_000 });
  expect(await contentOf(two, hash)).toEqual(bytes);
  expect(s3.objects.size).toBe(1);
});

test("a backup has the objects, and a restore into the same bucket makes new ones", async () => {
  await using store = await open();
  const bytes = randomBytes(60_000);
  const { hash } = await store.putBlob(bytes);
  const file = join(folder, "with-objects.db");
  await backupStore(store, file);
  await using restored = await open();
  await restoreStore(restored, file);
  expect(s3.objects.size).toBe(2);
  await store.collectBlobs({ minAgeMs: 0 });
  expect(await contentOf(restored, hash)).toEqual(bytes);
  await using elsewhere = await openStore("memory:");
  await restoreStore(elsewhere, file);
  expect(await contentOf(elsewhere, hash)).toEqual(bytes);
});

test("collection never removes an object to which an append refers, in any order of the two", async () => {
  const url = newUrl();
  await using store = await open(url);
  await using other = await open(url);
  const { logId } = await store.createLog({});
  s3.fault = ({ method }) => (method === "GET" || Math.random() < 0.5 ? undefined : "slow");
  const frames = Array.from({ length: 6 }, () => randomBytes(20_000));
  const kept = new Set<string>();
  let collecting = true;
  const collector = (async () => {
    while (collecting) await other.collectBlobs({ minAgeMs: 0 });
  })();
  for (let round = 0; round < 60; round++) {
    const { hash } = await store.putBlob(frames[round % frames.length] ?? new Uint8Array());
    try {
      await store.append(logId, [{ type: "custom", data: { name: "frame", round }, blobs: [hash] }]);
      kept.add(hash);
    } catch (error) {
      // The blob was collected since it was stored, so the append is refused and refers to no object.
      if (!isContinuoError(error, "not_found")) throw error;
    }
    if (round % 20 === 19) {
      for (const referred of kept) expect((await contentOf(store, referred)).length).toBe(20_000);
      for (let sequence = 1; sequence <= (await store.latestSequence(logId)); sequence++) {
        await store.redact(logId, sequence, { reason: "over" });
      }
      kept.clear();
    }
  }
  collecting = false;
  await collector;
  await store.collectBlobs({ minAgeMs: 0 });
  const [row] = await store.engine.read((scope) => sql(scope, "select count(*) as n from blobs"));
  expect([row?.n, s3.objects.size, s3.overwritten]).toEqual([0, 0, []]);
});

test("an expired frame is removed from the bucket, and a keyframe whose expiry was removed stays", async () => {
  let now = Date.parse("2026-11-27T12:00:00Z");
  await using store = await openStore("memory:", { blobs: settings(), now: () => now });
  const inAWeek = "2026-12-04T12:00:00.000Z";
  const [gone, kept] = await Promise.all(
    [1, 2].map(() => store.putBlob(randomBytes(80_000), { expiresAt: inAWeek })),
  );
  await store.setBlobExpiry(kept?.hash ?? "", null);
  now += 8 * 24 * 3_600_000;
  expect((await store.collectBlobs({ only: "expired" })).removed).toBe(1);
  expect(await store.statBlob(gone?.hash ?? "")).toBeNull();
  expect((await contentOf(store, kept?.hash ?? "")).length).toBe(80_000);
  expect(s3.objects.size).toBe(1);
});
