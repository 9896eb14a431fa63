/** Opens everything that a program needs, and loads it only when it is needed. */

import type { Store } from "@continuo/core/model";
import type { Continuo, ContinuoOptions } from "./types.ts";

/**
 * Opens the store (`sqlite:PATH`, `postgres://…`, `memory:`, or an open store), recovers what dead processes left, and
 * runs the queue of `agents`. A store that the caller opened stays open. Errors: as `openStore`; `usage` for two agents
 * with the same name.
 */
export async function openContinuo(url: string | Store, options: ContinuoOptions = {}): Promise<Continuo> {
  const [{ createContinuo }, { assertOpenOptions }] = await Promise.all([
    import("./continuo.ts"),
    import("./options.ts"),
  ]);
  // This check comes before a store is created.
  assertOpenOptions(options);
  return await createContinuo(url, options);
}
