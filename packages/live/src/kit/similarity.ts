/** The similarity of two places in the medium, and of two vectors. Pure. */

import type { Span } from "./types.ts";

/** The share of the shorter span that is in the other, 0 to 1. A point in time is either in a span or not. */
export function overlapOf(a: Span, b: Span): number {
  const common = Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs);
  const shorter = Math.min(a.endMs - a.startMs, b.endMs - b.startMs);
  if (common < 0) return 0;
  return shorter === 0 ? 1 : common / shorter;
}

/** -1 to 1; 0 where a vector is empty, has no length, or has another number of dimensions. */
export function cosineOf(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) return 0;
  let product = 0;
  let squareA = 0;
  let squareB = 0;
  for (const [n, x] of a.entries()) {
    const y = b[n] ?? 0;
    product += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  const cosine = product / Math.sqrt(squareA * squareB);
  return Number.isFinite(cosine) ? Math.max(-1, Math.min(1, cosine)) : 0;
}
