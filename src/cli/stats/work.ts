/** The work of the commands for other folders, loaded when it is called for. */

import type { Prices } from "@continuo/agents/catalog";
import type { Shell } from "../terminal/index.ts";

/** Errors: `invalid` for a file of settings with mistakes. */
export async function pricesWork(shell: Shell): Promise<Prices> {
  return await (await import("./prices.ts")).readPrices(shell);
}
