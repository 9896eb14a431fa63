/** Requests to `/v1/live`. */

import { ContinuoError } from "../../model/index.ts";
import { errorFromWire } from "../../wire/index.ts";
import { LIMITS } from "./limits.ts";

export interface ServerAddress {
  /** `http:` or `https:`, as `continuo serve` prints it. */
  readonly serverUrl: string;
  /** Goes in a header and in the first frame, never into a URL. */
  readonly token?: string | undefined;
}

export interface RequestOptions {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export function pathOf(key: string, rest = ""): string {
  return `/v1/live/${encodeURIComponent(key)}${rest}`;
}

/** Errors: the server's; `unavailable` when it does not answer. */
export async function call(
  { serverUrl, token }: ServerAddress,
  path: string,
  { method, body, signal }: RequestOptions,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(LIMITS.requestMs);
  const response = await fetch(`${serverUrl.replace(/\/+$/u, "")}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    redirect: "error",
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new ContinuoError("unavailable", "the server does not answer", {
      hint: "Check that the server runs and that its URL is right.",
      cause,
    });
  });
  const answer: unknown = response.status === 204 ? null : await response.json().catch(() => null);
  if (!response.ok) throw errorFromWire(answer, response.status);
  return answer;
}
