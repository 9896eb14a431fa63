/** Measures whether an append costs more in a large store. */

import { join } from "node:path";
import { openStore } from "@continuo/store";
import type { Ratio } from "../measure/index.ts";
import { eventsOf } from "./appends.ts";
import { fillLog } from "./fill.ts";
import { TARGETS } from "./limits.ts";
import { inTurn, printRates, rateOf } from "./sampling.ts";

const SIZES = [10_000, 10_000_000] as const;
const APPENDS = 2_000;

export async function benchGrowth(folder: string, rounds: number): Promise<readonly Ratio[]> {
  const contenders = [];
  const stores = [];
  for (const size of SIZES) {
    const path = join(folder, `growth-${size}.db`);
    const store = await openStore(`sqlite:${path}`);
    const { logId } = await store.createLog();
    fillLog(path, logId, size);
    stores.push(store);
    contenders.push({
      name: `at ${size.toLocaleString("en")} events`,
      run: async () => {
        for (let n = 0; n < APPENDS; n++) await store.append(logId, eventsOf(1));
        return APPENDS;
      },
    });
  }
  const sampled = await inTurn(contenders, rounds);
  printRates("Appends, one caller", "events", sampled);
  for (const store of stores) await store.close();
  const [few, many] = contenders.map(({ name }) => rateOf(sampled, name));
  const ratio = (few ?? Number.NaN) / (many ?? Number.NaN);
  return [
    {
      what: "cost of an append at 10,000,000 against 10,000",
      ratio,
      wanted: "below",
      target: TARGETS.growth,
    },
  ];
}
