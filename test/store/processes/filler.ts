/**
 * Appends until the disk is full: `filler.ts URL LOG NAME REFUSALS`. Prints `ack BATCH SIZE` for each acknowledged
 * batch and `refused CODE` for each refused one, and ends after REFUSALS refusals.
 */

import { writeSync } from "node:fs";
import { isContinuoError } from "@continuo/core/model";
import { openStore } from "@continuo/store";

const [url = "", logId = "", name = "", refusals = "1"] = process.argv.slice(2);
const store = await openStore(url);
let batch = 0;
let refused = 0;

async function write(): Promise<void> {
  while (refused < Number(refusals)) {
    const n = batch++;
    const size = 1 + (n % 4);
    const events = Array.from({ length: size }, (_, index) => ({
      id: `${name}/${n}/${index}`,
      type: "custom",
      data: { name: "full", value: "x".repeat(2_000) },
    }));
    try {
      await store.append(logId, events);
      writeSync(1, `ack ${n} ${size}\n`);
    } catch (error) {
      refused++;
      writeSync(
        1,
        `refused ${isContinuoError(error) && error.hint !== undefined ? error.code : String(error)}\n`,
      );
    }
  }
}

await Promise.all([write(), write(), write(), write()]);
// Records that cannot be copied into the database stay in the log next to it.
await store.close().catch(() => undefined);
