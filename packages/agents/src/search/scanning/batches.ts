/** Sessions in batches, each for one thread at a time. Pure. */

import type { CatalogSource } from "../../catalog/index.ts";
import { SCAN_LIMITS } from "./limits.ts";

/** A native session, as another thread can read it. */
export type NativeSource = NonNullable<CatalogSource["found"]>;

export interface SizedSource {
  readonly found: NativeSource;
  readonly sizeBytes: number;
}

export type Batch = readonly NativeSource[];

/** The first batches are small, so that the first results come at once; later ones are larger, which costs less. */
export function toBatches(sources: readonly SizedSource[]): readonly Batch[] {
  const batches: NativeSource[][] = [];
  let [batch, bytes]: [NativeSource[], number] = [[], 0];
  for (const { found, sizeBytes } of sources) {
    batch.push(found);
    bytes += sizeBytes;
    const share = Math.min(1, (batches.length + 1) / SCAN_LIMITS.smallBatches);
    if (bytes < SCAN_LIMITS.batchBytes * share && batch.length < SCAN_LIMITS.batchSessions * share) continue;
    batches.push(batch);
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
