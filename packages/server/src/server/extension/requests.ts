/** Requests of extensions that wait for a person's answer. They last a few minutes, so they are only in memory. */

import { randomBytes } from "node:crypto";
import { ContinuoError } from "@continuo/core/model";
import { LIMITS } from "../context/index.ts";

export interface WaitingRequest {
  readonly requestId: string;
  /** The extension that asks. */
  readonly origin: string;
  readonly version: string;
  readonly site: string | null;
  /** A time of the monotonic clock, so that setting the machine's clock makes no request last longer. */
  readonly endsAtMs: number;
  /** The page sends it with the answer. */
  readonly nonce: string;
  /** The code that a person copies from the terminal; `null` if the system knows which user made the connection. */
  readonly code: string | null;
  /** The extension collects the answer with this secret. No other program receives it. */
  readonly secret: string;
  state: "waiting" | "refused" | "granted";
}

export class WaitingRequests {
  readonly #requests = new Map<string, WaitingRequest>();

  /** Opens a request, which replaces an earlier one of the same extension. Errors: `rate_limited`. */
  open(asked: Pick<WaitingRequest, "origin" | "version" | "site">, { hasCode }: Options): WaitingRequest {
    this.#forgetOld();
    for (const [id, { origin }] of this.#requests) if (origin === asked.origin) this.#requests.delete(id);
    if (this.#requests.size >= LIMITS.extensionRequests) {
      throw new ContinuoError("rate_limited", "too many extensions wait for an answer", {
        hint: "Reply to them on their pages, or try again in a few minutes.",
        details: { retryAfterMs: LIMITS.extensionRequestMs },
      });
    }
    const request: WaitingRequest = {
      ...asked,
      requestId: randomBytes(16).toString("base64url"),
      endsAtMs: performance.now() + LIMITS.extensionRequestMs,
      nonce: randomBytes(32).toString("base64url"),
      code: hasCode ? newCode() : null,
      secret: randomBytes(32).toString("base64url"),
      state: "waiting",
    };
    this.#requests.set(request.requestId, request);
    return request;
  }

  /** Errors: `not_found` for a request that expired, or whose answer was collected. */
  find(requestId: string): WaitingRequest {
    this.#forgetOld();
    const request = this.#requests.get(requestId);
    if (request !== undefined) return request;
    throw new ContinuoError("not_found", "this request of an extension has ended", {
      hint: "Connect in the extension again.",
    });
  }

  /** Removes the request, because its answer can be collected only once. */
  close({ requestId }: WaitingRequest): void {
    this.#requests.delete(requestId);
  }

  #forgetOld(): void {
    const now = performance.now();
    for (const [id, { endsAtMs }] of this.#requests) if (endsAtMs <= now) this.#requests.delete(id);
  }
}

interface Options {
  readonly hasCode: boolean;
}

/** Returns ten characters. Letters and digits that look similar are left out. */
function newCode(): string {
  const letters = "abcdefghjkmnpqrstuvwxyz23456789x";
  return [...randomBytes(10)].map((byte) => letters[byte % letters.length]).join("");
}
