/** A replay and a tail of a million events. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readAll } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import type { Ratio } from "../measure/index.ts";
import { fillLog } from "./fill.ts";
import { TARGETS } from "./limits.ts";
import { inTurn, printRates, rateOf } from "./sampling.ts";

const EVENTS = 1_000_000;
const COLUMNS = `sequence, event_id, type, parent_id, actor, run_id, occurred_at, recorded_at, retention, payload,
  payload_hash, chain_hash, extras`;

export async function benchReplay(folder: string, rounds: number): Promise<readonly Ratio[]> {
  const path = join(folder, "replay.db");
  const store = await openStore(`sqlite:${path}`);
  const { logId } = await store.createLog();
  fillLog(path, logId, EVENTS);
  // This comes first, while the process is small.
  const grown = await memoryOfTail(store, logId);
  const bare = new DatabaseSync(path, { readOnly: true });
  const select = bare.prepare(`select ${COLUMNS} from events where log_key = 1 order by sequence`);
  const sampled = await inTurn(
    [
      {
        name: "bare SELECT",
        run: async () => {
          let count = 0;
          for (const _ of select.iterate()) count++;
          return count;
        },
      },
      {
        name: "read, page by page",
        run: async () => {
          let count = 0;
          for await (const _ of readAll(store, logId)) count++;
          return count;
        },
      },
    ],
    rounds,
  );
  printRates("Replay of 1,000,000 events", "events", sampled);
  bare.close();
  console.log(`  memory that a tail over the log adds: ${Math.round(grown / 1e6)} MB`);
  await store.close();
  return [
    {
      what: "replay against bare SELECT",
      ratio: rateOf(sampled, "read, page by page") / rateOf(sampled, "bare SELECT"),
      wanted: "above",
      target: TARGETS.replay,
    },
    { what: "memory of a tail, bytes", ratio: grown, wanted: "below", target: TARGETS.tailMemoryBytes },
  ];
}

/** Returns the memory that 950,000 events need in addition to the first 50,000, measured every ten thousand. */
async function memoryOfTail(store: Awaited<ReturnType<typeof openStore>>, logId: string): Promise<number> {
  let before = 0;
  let most = 0;
  let count = 0;
  for await (const event of store.tail(logId)) {
    if (++count % 10_000 === 0) most = Math.max(most, process.memoryUsage.rss());
    if (count === 50_000) before = most;
    if (event.sequence === EVENTS) break;
  }
  return most - before;
}
