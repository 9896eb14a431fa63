/** Periodic work, and work that only one server of a store does at a time. */

import { isContinuoError, type Store } from "@continuo/core/model";
import { LIMITS } from "./limits.ts";
import type { Clock } from "./types.ts";

export interface PeriodicWork {
  readonly everyMs: number;
  /** The name of the work in reports of failures. */
  readonly name: string;
  readonly work: () => Promise<unknown>;
  readonly report: (line: string) => void;
}

/** The work runs first after `everyMs`. The returned function stops it. */
export function startPeriodicWork(clock: Clock, { everyMs, name, work, report }: PeriodicWork): () => void {
  let cancel: () => void;
  const wait = (): void => {
    cancel = clock.after(everyMs, () => {
      void work().catch((error: unknown) => report(`live: ${name} failed: ${String(error)}`));
      wait();
    });
  };
  wait();
  return () => cancel();
}

/**
 * Returns the number that the work returned; 0 while another server does the work. The work calls `renew` between its
 * steps.
 */
export async function onOneServer(
  store: Store,
  name: string,
  work: (renew: () => Promise<unknown>) => Promise<number>,
): Promise<number> {
  const ttlMs = LIMITS.cleanUpLeaseMs;
  let lease: Awaited<ReturnType<Store["acquireLease"]>>;
  try {
    lease = await store.acquireLease(name, { owner: crypto.randomUUID(), ttlMs });
  } catch (error) {
    if (isContinuoError(error, "lease_held")) return 0;
    throw error;
  }
  try {
    return await work(() => store.renewLease({ ...lease, ttlMs }));
  } finally {
    await store.releaseLease(lease);
  }
}
