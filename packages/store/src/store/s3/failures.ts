/** Converts the refusals of a service with the S3 protocol to our errors. */

import { ContinuoError } from "@continuo/core/model";
import type { Bucket } from "./settings.ts";

export interface Refusal {
  readonly status: number;
  /** The code of S3, such as `SlowDown`; empty if the answer has none. */
  readonly code: string;
  readonly message: string;
}

/** The answer to HEAD and some answers of proxies have no body. */
export function refusalOf(status: number, body: string): Refusal {
  return { status, code: textIn(body, "Code"), message: textIn(body, "Message") };
}

/** The text of an element. The elements that are read here contain no other elements. */
export function textIn(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`, "u").exec(xml)?.[1] ?? "";
}

const PASSING_STATUS: readonly number[] = [429, 500, 502, 503, 504];
const PASSING_CODES: readonly string[] = [
  "ConditionalRequestConflict",
  "OperationAborted",
  "RequestTimeout",
  "SlowDown",
  "InternalError",
];

/** True for a failure after which the same request may succeed. */
export function isPassing({ status, code }: Refusal): boolean {
  return PASSING_STATUS.includes(status) || PASSING_CODES.includes(code);
}

const HINTS: Readonly<Record<string, string>> = {
  NoSuchBucket: "Create the bucket, or correct `bucket` and `endpoint` of `blobs.s3`.",
  InvalidAccessKeyId: "Set AWS_ACCESS_KEY_ID to a key of this service.",
  SignatureDoesNotMatch: "Set AWS_SECRET_ACCESS_KEY to the secret of AWS_ACCESS_KEY_ID.",
  InvalidToken: "Set AWS_SESSION_TOKEN to a token that is still valid, or unset it.",
  ExpiredToken: "Set AWS_SESSION_TOKEN to a token that is still valid, or unset it.",
  AccessDenied: "Allow this key to read, write and delete objects below `prefix` of `blobs.s3`.",
  RequestTimeTooSkewed: "Set the clock of this machine: it differs from that of the service.",
  AuthorizationHeaderMalformed: "Set `region` of `blobs.s3` to the region of the bucket.",
  PermanentRedirect: "Set `region` of `blobs.s3` to the region of the bucket.",
  QuotaExceeded: "Give the bucket more space, or remove objects that nobody needs.",
};

/** Answers to HEAD have no code, so the most likely code for the status is used. */
const CODE_OF_STATUS: Readonly<Record<number, string>> = { 301: "PermanentRedirect", 403: "AccessDenied" };

export function refused(bucket: Bucket, did: string, refusal: Refusal): ContinuoError {
  const { status, message } = refusal;
  const code = refusal.code || CODE_OF_STATUS[status] || "";
  const why = [code || `status ${status}`, message].filter((part) => part !== "").join(": ");
  return new ContinuoError("unavailable", `cannot ${did} the bucket ${bucket.name}: ${why}`, {
    hint: HINTS[code] ?? "Check `blobs.s3`, and the state of the service.",
    details: { bucket: bucket.name, url: bucket.url, status, s3Code: code },
  });
}

export function unanswered(bucket: Bucket, did: string, cause: unknown): ContinuoError {
  return new ContinuoError("unavailable", `cannot ${did} the bucket ${bucket.name}: ${reasonIn(cause)}`, {
    hint: "Check `endpoint` of `blobs.s3`, and that the service runs.",
    details: { bucket: bucket.name, url: bucket.url },
    cause,
  });
}

/** `fetch` reports only that it failed; the cause of its error has the reason. */
function reasonIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonIn(error.cause) : error.message || error.name;
}
