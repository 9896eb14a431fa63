/**
 * Money in commands: the prices that the configuration sets, and a cost as people read it.
 *
 * Promises: a cost that is not known is never drawn as nothing.
 * Does not know: prices, or where tokens come from.
 */

import type { Cost } from "@continuo/agents/catalog";
import { assertValid, type Configuration, readConfiguration } from "@continuo/agents/config";
import type { Shell } from "../terminal/index.ts";

/** Reads the file in `CONTINUO_HOME` only; the project has no part in it. Errors: `usage` for an invalid file. */
export async function homeConfiguration(shell: Shell): Promise<Configuration> {
  const configuration = await readConfiguration({ places: shell, cwd: null });
  assertValid(configuration);
  return configuration;
}

/** `$1.23`; of what costs less than a cent more digits; `?` where nothing is known, `≥ $1.23` where a part is. */
export function drawCost({ usd, unpriced }: Pick<Cost, "usd" | "unpriced">): string {
  if (usd === null) return unpriced.length > 0 ? "?" : "";
  const text = `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;
  return unpriced.length > 0 ? `≥ ${text}` : text;
}
