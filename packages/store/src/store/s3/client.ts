/** Signed requests to one bucket, which are repeated while the service is busy or the network fails. */

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { LIMITS } from "../engine/index.ts";
import { isPassing, type Refusal, refusalOf, refused, unanswered } from "./failures.ts";
import type { Bucket } from "./settings.ts";

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** The name of the object, below the bucket. */
  readonly object: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** The statuses other than 2xx that the caller handles. */
  readonly understood?: readonly number[];
  /** The verb and its preposition for errors: `read from`, `write to`. */
  readonly did: string;
  /** Set if the caller reads the body in pieces. */
  readonly streamed?: true;
}

export interface S3Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The text of the body; empty if it is streamed. */
  readonly text: string;
  readonly body: ReadableStream<Uint8Array> | null;
}

export type SendToS3 = (request: S3Request) => Promise<S3Answer>;

/**
 * The pause before another try, with a random part: it doubles each time, and is longer if the service asks for that,
 * up to `LIMITS.maxS3PauseMs`.
 */
export function pauseOf(tries: number, retryAfter: string | null = null): number {
  const { s3PauseMs, maxS3PauseMs } = LIMITS;
  const wanted = Number(retryAfter ?? Number.NaN) * 1_000;
  const growing = s3PauseMs * 2 ** tries * (0.5 + Math.random() / 2);
  return Math.min(maxS3PauseMs, Number.isNaN(wanted) ? growing : Math.max(wanted, growing));
}

/** Errors: `unavailable`. */
export function s3Client(bucket: Bucket): SendToS3 {
  const client = new AwsClient({ ...bucket.credentials, service: "s3", region: bucket.region, retries: 0 });
  return async (request) => {
    for (let tries = 1; ; tries++) {
      const sent = await trySend(client, bucket, request);
      if ("answer" in sent) return sent.answer;
      if (tries === LIMITS.s3Tries || !sent.again) throw sent.error;
      await sleep(pauseOf(tries - 1, sent.retryAfter));
    }
  };
}

type SendResult =
  | { readonly answer: S3Answer }
  | { readonly error: Error; readonly again: boolean; readonly retryAfter: string | null };

async function trySend(client: AwsClient, bucket: Bucket, request: S3Request): Promise<SendResult> {
  const { understood = [], streamed, did } = request;
  const waiting = new AbortController();
  const timer = setTimeout(
    () => waiting.abort(new Error(`no answer within ${LIMITS.s3AnswerMs} ms`)),
    LIMITS.s3AnswerMs,
  );
  try {
    const response = await fetch(await signed(client, bucket, request), {
      signal: waiting.signal,
      redirect: "manual",
    });
    const { status, headers, body } = response;
    if (response.ok && streamed) return { answer: { status, headers, text: "", body } };
    const text = await shortText(response);
    // When an upload is completed, the service begins its answer before it knows the outcome, so a 200 can be an error.
    const refusal = response.ok && text.includes("<Error>") ? refusalOf(500, text) : refusalOf(status, text);
    if (response.ok ? refusal.status === status : isUnderstood(refusal, understood)) {
      return { answer: { status, headers, text, body: null } };
    }
    const error = refused(bucket, did, refusal);
    return { error, again: isPassing(refusal), retryAfter: headers.get("retry-after") };
  } catch (cause) {
    return { error: unanswered(bucket, did, cause), again: true, retryAfter: null };
  } finally {
    clearTimeout(timer);
  }
}

/** A missing bucket does not count as a missing object. */
function isUnderstood({ status, code }: Refusal, understood: readonly number[]): boolean {
  return understood.includes(status) && code !== "NoSuchBucket";
}

async function signed(client: AwsClient, bucket: Bucket, request: S3Request): Promise<Request> {
  const { method, object, query = {}, headers = {}, body } = request;
  const search = new URLSearchParams(query).toString();
  const sha256 = createHash("sha256")
    .update(body ?? "")
    .digest("hex");
  return await client.sign(`${bucket.url}/${object}${search === "" ? "" : `?${search}`}`, {
    method,
    headers: { ...headers, "x-amz-content-sha256": sha256 },
    ...(body === undefined ? {} : { body }),
  });
}

async function shortText(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LIMITS.s3AnswerBytes) break;
  }
  return text;
}
