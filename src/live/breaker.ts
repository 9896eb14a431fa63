/** A circuit breaker: after 5 failed batches in a row, no batch is tried for 30 s, then one. Pure. */

import { LIMITS } from "./limits.ts";

export interface Breaker {
  readonly failures: number;
  /** No batch is tried before this time. */
  readonly openUntilMs: number | null;
}

export const CLOSED_BREAKER: Breaker = { failures: 0, openUntilMs: null };

export function mayTry({ openUntilMs }: Breaker, nowMs: number): boolean {
  return openUntilMs === null || nowMs >= openUntilMs;
}

export function afterFailure({ failures }: Breaker, nowMs: number): Breaker {
  const next = failures + 1;
  return { failures: next, openUntilMs: next < LIMITS.breakerFailures ? null : nowMs + LIMITS.breakerMs };
}

/** The pause before a further try of the same batch: 1, 2, 4 s. */
export function retryMs(tried: number): number {
  return LIMITS.firstRetryMs * 2 ** (tried - 1);
}
