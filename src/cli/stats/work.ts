/** The work of the commands for other folders, loaded when it is called for. */

import type { Prices } from "@continuo/agents/catalog";
import type { MachineUsage } from "@continuo/core/wire/machine";
import type { Shell } from "../terminal/index.ts";

/** @param since ISO 8601; everything by default. */
export async function pricesWork(shell: Shell): Promise<Prices> {
  return await (await import("./prices.ts")).readPrices(shell);
}

/** @param since ISO 8601; everything by default. Errors: `invalid` for a file of settings with mistakes. */
export async function usageWork(since: string | undefined, shell: Shell): Promise<MachineUsage> {
  return await (await import("./machine-usage.ts")).machineUsage(since, shell);
}
