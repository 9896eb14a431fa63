/** A large blob that is uploaded in parts while requests fail. */

import { randomBytes } from "node:crypto";
import { openStore } from "@continuo/store";
import { expect } from "vitest";
import { contentOf, faultAt, inBucket, inPieces } from "./bucket.ts";
import type { S3Request, S3Server } from "./s3-server.ts";

/** A part has 8 MB. */
interface PartsCase {
  readonly url: string;
  readonly sizeBytes: number;
  readonly fault: "busy" | "lost" | "late error" | undefined;
  /** The requests that fail: those of the start of the upload, of a part, and of its completion. */
  readonly numbers: readonly number[];
}

export async function expectUploaded(
  s3: S3Server,
  { url, sizeBytes, fault, numbers }: PartsCase,
): Promise<void> {
  await using store = await openStore(url, { blobs: inBucket(s3) });
  const bytes = randomBytes(sizeBytes);
  const isUpload = ({ method, query }: S3Request): boolean => method === "POST" && query.has("uploadId");
  if (fault === "late error") faultAt(s3, fault, { numbers: [0], of: isUpload });
  else if (fault !== undefined) faultAt(s3, fault, { numbers });
  const { hash } = await store.putBlob(inPieces(bytes));
  expect(s3.requests.filter(({ query }) => query.has("partNumber")).length).toBeGreaterThan(1);
  s3.fault = () => undefined;
  expect([...s3.objects.values()].map(({ length }) => length)).toEqual([bytes.length]);
  expect((await contentOf(store, hash)).equals(bytes)).toBe(true);
}
