/** A bucket for the tests of one file, and what they ask of a store that uses it. */

import type { BlobStore } from "@continuo/core/model";
import type { S3Settings } from "@continuo/store";
import { afterAll, afterEach, beforeEach, vi } from "vitest";
import {
  BUCKET,
  CREDENTIALS,
  type Fault,
  REGION,
  type S3Request,
  type S3Server,
  startS3,
} from "./s3-server.ts";

/** Starts a server whose bucket is empty before each test, and whose credentials are in the environment. */
export async function openBucket(): Promise<S3Server> {
  const s3 = await startS3();
  beforeEach(() => {
    for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    s3.fault = () => undefined;
    s3.now = Date.now;
    s3.objects.clear();
    s3.uploads.clear();
    s3.requests.length = 0;
  });
  afterAll(async () => await s3[Symbol.asyncDispose]());
  return s3;
}

/** The settings of a store whose larger blobs are in the bucket. */
export function inBucket({ endpoint }: S3Server, changes: object = {}): { readonly s3: S3Settings } {
  return { s3: { endpoint, bucket: BUCKET, region: REGION, ...changes } };
}

export async function contentOf(store: Pick<BlobStore, "openBlob">, hash: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  // A reader may get the same buffer again.
  for await (const chunk of (await store.openBlob(hash)).bytes) parts.push(Uint8Array.from(chunk));
  return Buffer.concat(parts);
}

export async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.length; at += 100_003) yield bytes.subarray(at, at + 100_003);
}

/** Each request whose number is in the list fails in this way. */
export function faultAt(
  s3: S3Server,
  fault: Fault,
  {
    numbers,
    of = () => true,
  }: { readonly numbers: readonly number[]; readonly of?: (request: S3Request) => boolean },
): void {
  let count = 0;
  s3.fault = (request) => (of(request) && numbers.includes(count++) ? fault : undefined);
}
