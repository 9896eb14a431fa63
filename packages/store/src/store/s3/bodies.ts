/**
 * Bodies of blobs as objects in S3. The name of an object has the hash of its bytes and a key of the store: equal bytes
 * that are stored again, here or by another store, become another object, so that removing one object never removes the
 * other.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { type BlobBodies, ContinuoError } from "@continuo/core/model";
import { LIMITS } from "../engine/index.ts";
import { pauseOf, type S3Answer, type SendToS3, s3Client } from "./client.ts";
import { unanswered } from "./failures.ts";
import { type Bucket, bucketOf, type S3Settings } from "./settings.ts";
import { spool } from "./spool.ts";
import { abandonUploads, upload } from "./upload.ts";

/** The keys that `put` returns are `HASH.KEY`. Errors: `invalid`; those of the methods: `not_found`, `unavailable`. */
export function s3Bodies(
  settings: S3Settings,
  env: Readonly<Record<string, string | undefined>>,
): BlobBodies {
  const bucket = bucketOf(settings, env);
  const send = s3Client(bucket);
  return {
    put: async (key, bytes, onNamed) => {
      await using all = await spool(bytes, { name: key, memoryBytes: LIMITS.s3PartBytes });
      const named = `${all.hash}.${key}`;
      await onNamed?.(named);
      await upload(send, objectOf(bucket, named), all);
      return named;
    },
    open: (key) => read(send, bucket, objectOf(bucket, key)),
    remove: async (key) => {
      await send({
        method: "DELETE",
        object: objectOf(bucket, key),
        understood: [404],
        did: "delete from",
      });
    },
    abandon: (key) => abandonUploads(send, objectOf(bucket, key)),
  };
}

function objectOf({ prefix }: Bucket, key: string): string {
  const [hash = "", own = ""] = key.split(".");
  return `${prefix}sha256/${hash.slice(0, 2)}/${hash}/${own}`;
}

/** After a broken connection, the read continues at the next byte. */
async function* read(send: SendToS3, bucket: Bucket, object: string): AsyncGenerator<Uint8Array, void, void> {
  let at = 0;
  let failures = 0;
  for (;;) {
    const answer = await openAt(send, object, at);
    const total = totalOf(answer, at);
    try {
      for await (const piece of piecesOf(answer, answer.status === 206 ? 0 : at)) {
        at += piece.length;
        failures = 0;
        yield piece;
      }
      if (total === null || at >= total) return;
      throw new Error(`the answer ended after ${at} of ${total} bytes`);
    } catch (error) {
      if (++failures >= LIMITS.s3Tries) throw unanswered(bucket, "read from", error);
    }
    await sleep(pauseOf(failures - 1));
  }
}

/** A service may still be copying an object to the place that is read, so a missing object is requested again. */
async function openAt(send: SendToS3, object: string, at: number): Promise<S3Answer> {
  const headers = at === 0 ? {} : { range: `bytes=${at}-` };
  for (let tries = 1; ; tries++) {
    const answer = await send({
      method: "GET",
      object,
      headers,
      understood: [404],
      did: "read from",
      streamed: true,
    });
    if (answer.status !== 404) return answer;
    if (tries === LIMITS.s3MissingTries) break;
    await sleep(pauseOf(tries - 1));
  }
  throw new ContinuoError("not_found", "the bytes of a blob are missing", {
    hint: "Check `bucket` and `prefix` of `blobs.s3`, or restore the blob from a backup.",
    details: { object },
  });
}

function totalOf({ status, headers }: S3Answer, at: number): number | null {
  const length = headers.get("content-length");
  if (length === null) return null;
  return Number(length) + (status === 206 ? at : 0);
}

/** @param skipped the bytes that the caller has, if the service sends all of them again */
async function* piecesOf({ body }: S3Answer, skipped: number): AsyncGenerator<Uint8Array, void, void> {
  if (body === null) return;
  const reader = body.getReader();
  let skip = skipped;
  try {
    for (;;) {
      const { done, value } = await withinTime(reader.read());
      if (done) return;
      const piece = value.subarray(Math.min(skip, value.length));
      skip -= value.length - piece.length;
      for (let from = 0; from < piece.length; from += LIMITS.blobChunkBytes) {
        yield piece.subarray(from, from + LIMITS.blobChunkBytes);
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function withinTime<T>(next: Promise<T>): Promise<T> {
  const waiting = new AbortController();
  const late = sleep(LIMITS.s3PieceMs, undefined, { signal: waiting.signal }).then(() => {
    throw new Error(`no bytes within ${LIMITS.s3PieceMs} ms`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([next, late]);
  } finally {
    waiting.abort();
  }
}
