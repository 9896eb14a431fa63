/**
 * A writer for crash tests: appends batches for ever, four at a time, and prints `ack BATCH SIZE` when one
 * is acknowledged. `writer.ts URL LOG NAME [COUNT] [full|off]`
 */

import { writeSync } from "node:fs";
import { openStore } from "@continuo/store";
import { createStore } from "../../../packages/store/src/store/sql-store.ts";
import { openSqlite } from "../../../packages/store/src/store/sqlite/index.ts";

const [url = "", logId = "", name = "", count = "Infinity", synchronous = "full"] = process.argv.slice(2);

writeSync(1, "started\n");
const store =
  synchronous === "off"
    ? createStore(
        await openSqlite(url.slice("sqlite:".length), {
          workspaceId: "default",
          migrate: "refused",
          synchronous: "off",
        }),
      )
    : await openStore(url);

let batch = 0;

async function write(): Promise<void> {
  while (batch < Number(count)) {
    const n = batch++;
    const size = 1 + (n % 4);
    const events = Array.from({ length: size }, (_, index) => ({
      id: `${name}/${n}/${index}`,
      type: "custom",
      data: { name: "crash", value: "x".repeat(n % 700) },
    }));
    await store.append(logId, events);
    writeSync(1, `ack ${n} ${size}\n`);
  }
}

await Promise.all([write(), write(), write(), write()]);
await store.close();
