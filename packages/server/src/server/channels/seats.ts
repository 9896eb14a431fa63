/**
 * The handles on this server, and its answer about the holder of an expired lease: alive, gone, or unknown, because
 * another server has it.
 */

import type { ListedLease, Store } from "@continuo/core/model";
import { LIMITS } from "./limits.ts";
import type { ListeningClock } from "./listening-clock.ts";
import type { Seat } from "./seat.ts";

/** An expired lease of another server, and the time since which it is unchanged. */
interface Observation {
  readonly expiresAt: string;
  readonly token: number;
  readonly sinceMs: number;
  seenMs: number;
}

export class Seats {
  readonly #clock: ListeningClock;
  /** The keys are a workspace and a lease. */
  readonly #seats = new Map<string, Seat>();
  /** Seats whose connection ended: the token, and the time of the end. */
  readonly #left = new Map<string, { readonly token: number; readonly atMs: number }>();
  readonly #observed = new Map<string, Observation>();

  constructor(clock: ListeningClock) {
    this.#clock = clock;
  }

  /** From now on nobody on this server takes the handle while the seat is alive. */
  hold(seat: Seat): void {
    const key = keyOf(seat.store, seat.fence.name);
    this.#seats.set(key, seat);
    this.#left.delete(key);
  }

  /** Called when the connection of the seat ended, for any reason. */
  free(seat: Seat): void {
    const key = keyOf(seat.store, seat.fence.name);
    // After a lost connection, a newer connection may have the same handle.
    if (this.#seats.get(key) !== seat) return;
    this.#seats.delete(key);
    this.#left.set(key, { token: seat.fence.token, atMs: this.#clock.now() });
  }

  /** The living participant that has the handle of this lease on this server. */
  aliveOn(store: Store, name: string): Seat | undefined {
    const seat = this.#seats.get(keyOf(store, name));
    return seat?.isAlive === true ? seat : undefined;
  }

  /**
   * Returns true if the holder of an expired lease is certainly gone. If the holder is alive on this server, its lease
   * is renewed. A lease of another server must stay expired for a while before its holder counts as gone, because that
   * server may be about to renew it: perhaps the database or the machine of both servers was stopped, or somebody set
   * a clock.
   */
  async isGone(store: Store, lease: ListedLease): Promise<boolean> {
    const { name, token } = lease;
    const key = keyOf(store, name);
    const seat = this.#seats.get(key);
    if (seat?.fence.token === token) {
      if (!seat.isAlive) return true;
      await seat.renew();
      return false;
    }
    return this.#left.get(key)?.token === token || this.#isSettled(key, lease);
  }

  #isSettled(key: string, { token, expiresAt }: ListedLease): boolean {
    const nowMs = this.#clock.now();
    let known = this.#observed.get(key);
    if (known?.token !== token || known.expiresAt !== expiresAt) {
      known = { token, expiresAt, sinceMs: nowMs, seenMs: nowMs };
      this.#observed.set(key, known);
    }
    known.seenMs = nowMs;
    return nowMs - known.sinceMs >= LIMITS.settleMs;
  }

  /** Forgets leases that no check has found for a long time. */
  forget(): void {
    const before = this.#clock.now() - LIMITS.forgetMs;
    for (const [key, { seenMs }] of this.#observed) if (seenMs < before) this.#observed.delete(key);
    for (const [key, { atMs }] of this.#left) if (atMs < before) this.#left.delete(key);
  }
}

function keyOf({ workspaceId }: Store, name: string): string {
  return `${workspaceId}:${name}`;
}
