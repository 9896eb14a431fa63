/** The prices of this person: those of `continuo.yaml`, then the newest list. */

import { type Prices, readPriceList } from "@continuo/agents/catalog";
import { readHomeConfiguration } from "@continuo/agents/config";
import { placesOf } from "@continuo/files";
import type { Shell } from "../terminal/index.ts";

/** Errors: as `readHomeConfiguration`. */
export async function readPrices(shell: Shell): Promise<Prices> {
  const { prices } = await readHomeConfiguration(shell);
  return { own: prices, list: readPriceList(placesOf(shell)) };
}
