/**
 * The quotas of one token: open connections, messages and streams; requests and bytes in a second; bytes, attachments
 * and new logs in a day. Without a token (`--no-auth`) there are no quotas.
 */

import { ContinuoError } from "@continuo/core/model";
import {
  type Answer,
  type Grant,
  LIMITS,
  type Quotas,
  type Reception,
  type ServerLimits,
} from "../context/index.ts";
import { Answers } from "./answers.ts";
import { Buckets } from "./buckets.ts";
import { createConnections } from "./connections.ts";
import { hasDailyQuotas } from "./limited-tokens.ts";
import { OpenMessages } from "./open-messages.ts";
import type { TokenWatch } from "./token-watch.ts";

export function createQuotas(limits: ServerLimits, tokens: TokenWatch): Quotas {
  const rates = ratesOf(limits);
  const bodies = new Bodies(limits);
  const answers = new Answers();
  const messages = new OpenMessages(limits.openMessages);
  return {
    ...createConnections(limits, tokens),
    request: (grant, bytes = 0) => {
      if (grant.tokenId === null) return;
      rates.requests.take(grant.tokenId, performance.now());
      if (bytes > 0) takeBytes(rates, grant, bytes);
    },
    receive: (grant) => {
      if (grant.tokenId === null) return UNLIMITED;
      const body = bodies.open(grant.tokenId);
      return {
        begin: (bytes) => {
          body.hold(bytes);
          takeBytes(rates, grant, bytes);
        },
        takeChunk: (bytes) => {
          body.hold(bytes);
          return spendBytes(rates, grant, bytes);
        },
        [Symbol.dispose]: () => body[Symbol.dispose](),
      };
    },
    answer: async ({ tokenId }, bytes) => (tokenId === null ? UNCOUNTED : await answers.open(tokenId, bytes)),
    blob: (grant, bytes) => {
      if (hasDailyQuotas(grant)) rates.blobBytes.take(grant.tokenId, performance.now(), bytes);
    },
    message: async (grant, sending) =>
      hasDailyQuotas(grant) ? await messages.send(grant.tokenId, sending) : await sending.send(),
    log: async (grant, { exists, create }) => {
      if (!hasDailyQuotas(grant)) return await create();
      try {
        rates.logs.assert(grant.tokenId, performance.now());
      } catch (error) {
        if (!(await exists())) throw error;
      }
      const made = await create();
      if (made.created) rates.logs.spend(grant.tokenId, performance.now());
      return made;
    },
  };
}

interface Rates {
  readonly requests: Buckets;
  readonly bytes: Buckets;
  readonly dayBytes: Buckets;
  readonly blobBytes: Buckets;
  readonly logs: Buckets;
}

/** A token may send the bytes of this many seconds in one moment. */
const BURST_SECONDS = 4;
const DAY_SECONDS = 86_400;

function ratesOf(limits: ServerLimits): Rates {
  const { requestsPerSecond, bytesPerSecond } = limits;
  const perDay = (burst: number, message: string): Buckets =>
    new Buckets({ perSecond: burst / DAY_SECONDS, burst, message });
  return {
    requests: new Buckets({ perSecond: requestsPerSecond, burst: requestsPerSecond * 2 }),
    bytes: new Buckets({
      perSecond: bytesPerSecond,
      burst: bytesPerSecond * BURST_SECONDS,
      message: "the token sent too many bytes",
    }),
    dayBytes: perDay(limits.bytesPerDay, "the token sent as many bytes as it may in a day"),
    blobBytes: perDay(limits.blobBytesPerDay, "the token stored as many attachments as it may in a day"),
    logs: perDay(limits.logsPerDay, "the token created as many streams as it may in a day"),
  };
}

/** Errors: `rate_limited`. */
function takeBytes(rates: Rates, grant: Grant, count: number): void {
  if (grant.tokenId !== null) rates.bytes.assert(grant.tokenId, performance.now());
  spendBytes(rates, grant, count);
}

/**
 * Returns the milliseconds until the token may send more. Errors: `rate_limited` when the token may not send more
 * today.
 */
function spendBytes({ bytes, dayBytes }: Rates, grant: Grant, count: number): number {
  const now = performance.now();
  if (grant.tokenId === null) return 0;
  if (hasDailyQuotas(grant)) dayBytes.take(grant.tokenId, now, count);
  return bytes.spend(grant.tokenId, now, count);
}

const UNLIMITED: Reception = {
  begin: () => undefined,
  takeChunk: () => 0,
  [Symbol.dispose]: () => undefined,
};

const UNCOUNTED: Answer = { resize: async () => undefined, [Symbol.dispose]: () => undefined };

/** The bytes of bodies that each token is sending now. */
class Bodies {
  readonly #most: number;
  readonly #mostOfOne: number;
  readonly #held = new Map<string, number>();

  constructor({ requestBytes }: ServerLimits) {
    this.#most = Math.max(LIMITS.bodyBytesAtOnce, requestBytes);
    // A longer body is a stream, which is not held in memory.
    this.#mostOfOne = requestBytes;
  }

  /** Errors: `rate_limited` if the token would hold more. */
  open(name: string): Disposable & { hold(bytes: number): void } {
    let held = 0;
    return {
      hold: (bytes) => {
        const more = Math.min(bytes, this.#mostOfOne - held);
        this.#hold(name, more);
        held += more;
      },
      [Symbol.dispose]: () => {
        this.#hold(name, -held);
        held = 0;
      },
    };
  }

  #hold(name: string, more: number): void {
    const all = (this.#held.get(name) ?? 0) + more;
    if (more > 0 && all > this.#most) throw tooMuchAtOnce(this.#most);
    if (all === 0) this.#held.delete(name);
    else this.#held.set(name, all);
  }
}

function tooMuchAtOnce(limit: number): ContinuoError {
  return new ContinuoError("rate_limited", `the token already sends ${limit} bytes in other requests`, {
    details: { limit, retryAfterMs: 1_000 },
  });
}
