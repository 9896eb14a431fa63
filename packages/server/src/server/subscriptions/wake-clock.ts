/**
 * Measures the time since a wake last changed, by the monotonic clock of this server. The system time is not used: a
 * server whose clock is set must neither end the wake of a worker nor hold it forever. A server that starts counts from
 * its first check, so the wake of a dead worker lasts longer then, and that of a living worker never shorter.
 */

import type { Subscription } from "./documents.ts";

interface Observation {
  readonly state: string;
  readonly sinceMs: number;
}

const RETRY_MS = { first: 1_000, most: 60_000 } as const;
/** Above this number, the clock begins again for all wakes, so that they last a little longer. */
const MAX_OBSERVED = 10_000;

export class WakeClock {
  readonly #now: () => number;
  readonly #observed = new Map<string, Observation>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns true for a wake that has no lease, has time left in its lease, or has a webhook that is tried again. */
  isHeld(workspaceId: string, subscription: Subscription): boolean {
    const { wake, nextAttemptAt, config } = subscription;
    if (wake === null) return false;
    if (wake.leaseUntil === null || nextAttemptAt !== null) return true;
    return this.observe(workspaceId, subscription) < config.leaseTtlMs;
  }

  /** Returns true if a webhook that failed must be tried again now. */
  isDue(workspaceId: string, subscription: Subscription): boolean {
    const { wake, nextAttemptAt, retries } = subscription;
    if (wake === null || nextAttemptAt === null) return false;
    return this.observe(workspaceId, subscription) >= retryDelayMs(retries, wake.id);
  }

  /** Returns the milliseconds since this server saw the wake in this state for the first time. */
  observe(workspaceId: string, { id, createdAt, generation, wake, nextAttemptAt }: Subscription): number {
    const key = `${workspaceId} ${createdAt} ${id}`;
    const state = `${generation} ${wake?.id} ${wake?.holder} ${wake?.leaseUntil} ${nextAttemptAt}`;
    const nowMs = this.#now();
    const known = this.#observed.get(key);
    if (known?.state === state) return nowMs - known.sinceMs;
    if (this.#observed.size >= MAX_OBSERVED) this.#observed.clear();
    this.#observed.set(key, { state, sinceMs: nowMs });
    return 0;
  }
}

/**
 * The pause has a random part on which all servers agree, so that webhooks that failed together are not tried again
 * together.
 */
export function retryDelayMs(retries: number, wakeId: string): number {
  const delayMs = Math.min(RETRY_MS.first * 2 ** Math.min(retries - 1, 10), RETRY_MS.most);
  const chance = Number.parseInt(wakeId.slice(2, 6), 16) / 0xffff;
  return Math.round(delayMs * (0.8 + chance * 0.4));
}
