/**
 * One of many processes that compete for a lease and append with the last token that they had, even an old one:
 * `fencer.ts URL LOG NAME COUNT HISTORY`.
 */

import { writeFileSync } from "node:fs";
import { isContinuoError } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import type { Operation } from "../concurrency/history.ts";

const [url = "", logId = "", name = "", count = "0", file = ""] = process.argv.slice(2);
const now = (): number => Number(process.hrtime.bigint());

const store = await openStore(url);
const history: Operation[] = [];
let token = 0;

async function acquire(): Promise<void> {
  const start = now();
  try {
    const lease = await store.acquireLease("fence", { owner: name, ttlMs: 1 });
    token = lease.token;
    history.push({ type: "acquire", start, end: now(), token });
  } catch (error) {
    if (!isContinuoError(error, "lease_held")) throw error;
  }
}

async function append(n: number): Promise<void> {
  const start = now();
  try {
    const event = { id: `${name}/${n}`, type: "custom", data: { name: "fence" } };
    const [stored] = await store.append(logId, [event], { lease: { name: "fence", token } });
    const sequence = stored?.sequence ?? 0;
    history.push({ type: "append", id: event.id, start, end: now(), sequence, token });
  } catch (error) {
    if (!isContinuoError(error, "fenced")) throw error;
    const given = error.details.token;
    if (typeof given === "number" && given > token) {
      history.push({ type: "fenced", start, end: now(), token, latest: given });
    }
  }
}

for (let n = 0; n < Number(count); n++) {
  if (token === 0 || Math.random() < 0.2) await acquire();
  if (token > 0) await append(n);
}

await store.close();
writeFileSync(file, JSON.stringify(history));
process.stdout.write("done\n");
