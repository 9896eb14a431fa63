/** Opens everything that a program needs, and loads it only then. */

import type { Store } from "@continuo/core/model";
import type { Continuo, ContinuoOptions } from "./types.ts";

/**
 * Opens the store (`sqlite:PATH`, `postgres://…`, `memory:`, or a store that is open), recovers what dead processes left,
 * and runs the queue of `agents`. A store that was given stays open. Errors: as `openStore`; `usage` for two agents of one name.
 */
export async function openContinuo(url: string | Store, options: ContinuoOptions = {}): Promise<Continuo> {
  const [{ createContinuo }, { assertOpenOptions }] = await Promise.all([
    import("./continuo.ts"),
    import("./options.ts"),
  ]);
  // Before a store is made.
  assertOpenOptions(options);
  return await createContinuo(url, options);
}
