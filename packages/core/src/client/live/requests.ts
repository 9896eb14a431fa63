/** Requests to `/v1/live`. */

import { ContinuoError, isContinuoError, present } from "../../model/index.ts";
import { errorFromWire } from "../../wire/index.ts";
import {
  assertServerUrl,
  authorizationOf,
  CHECK_SERVER,
  fetchThere,
  httpAddress,
  obstacleAt,
} from "../requests/index.ts";
import { LIMITS } from "./limits.ts";

export interface ServerAddress {
  /** `http:` or `https:`, as `continuo serve` prints it. */
  readonly serverUrl: string;
  /** Goes in a header and in the first frame, never into a URL. */
  readonly token?: string | undefined;
}

export interface RequestOptions {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Bytes with their media type, or a value that is sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export function pathOf(key: string, rest = ""): string {
  return `/v1/live/${encodeURIComponent(key)}${rest}`;
}

/** A body that is not JSON. */
export class Bytes {
  readonly mediaType: string;
  readonly body: Blob;

  constructor(bytes: Uint8Array | Blob, mediaType: string) {
    this.mediaType = mediaType;
    this.body = bytes instanceof Blob ? bytes : new Blob([new Uint8Array(bytes)]);
  }
}

function contentOf(body: unknown): { readonly mediaType: string; readonly body: string | Blob } {
  return body instanceof Bytes ? body : { mediaType: "application/json", body: JSON.stringify(body) };
}

/** Errors: those of the server; `unavailable` when it does not answer. */
export async function call(
  { serverUrl, token }: ServerAddress,
  path: string,
  { method, body, signal }: RequestOptions,
): Promise<unknown> {
  assertServerUrl(serverUrl);
  const timeout = AbortSignal.timeout(LIMITS.requestMs);
  const content = body === undefined ? null : contentOf(body);
  const response = await fetchThere(
    `${httpAddress(serverUrl)}${path}`,
    present({
      method,
      headers: {
        ...(await authorizationOf(token)),
        ...(content === null ? {} : { "content-type": content.mediaType }),
      },
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      body: content === null ? undefined : content.body,
    }),
  ).catch(async (cause: unknown) => {
    if (isContinuoError(cause)) throw cause;
    const obstacle = signal?.aborted ? null : await obstacleAt(serverUrl);
    if (obstacle !== null && isContinuoError(obstacle, "forbidden")) throw obstacle;
    throw new ContinuoError("unavailable", "the server does not answer", {
      hint: CHECK_SERVER,
      cause,
    });
  });
  const answer: unknown = response.status === 204 ? null : await response.json().catch(() => null);
  if (!response.ok) throw errorFromWire(answer, response.status);
  return answer;
}
