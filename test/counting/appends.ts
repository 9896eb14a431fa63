/** A program whose work is counted: appends with a lease, as a run makes them. */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "@continuo/store";

/** Names in a folder that changed a moment ago are checked again, because the folder may change again unnoticed. */
const SETTLING_MS = 500;

const [count, eventsEach = 1] = process.argv.slice(2).map(Number);
await using store = await openStore(`sqlite:${join(process.env.CONTINUO_HOME ?? "", "appends.db")}`);
const { logId } = await store.createLog();
const { name, token } = await store.acquireLease("counted", { owner: "counted" });
await sleep(SETTLING_MS);
for (let n = 0; n < (count ?? 0); n++) {
  const events = Array.from({ length: eventsEach }, (_, at) => ({
    id: `event-${n}-${at}`,
    type: "custom",
    data: { name: "counted", value: "x".repeat(480) },
  }));
  await store.append(logId, events, { lease: { name, token } });
}
