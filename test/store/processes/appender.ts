/**
 * One of many that append to one log by compare-and-swap: `appender.ts URL LOG NAME COUNT HISTORY`. Some
 * answers are lost on purpose and asked for again. Every call is written to the history, with its times by
 * the clock that all processes of the machine share.
 */

import { writeFileSync } from "node:fs";
import { isContinuoError, type StoredEvent } from "../../../src/model/index.ts";
import { openStore } from "../../../src/store/index.ts";
import type { Operation } from "../concurrency/history.ts";

const [url = "", logId = "", name = "", count = "0", file = ""] = process.argv.slice(2);
const LOST = 0.03;
const now = (): number => Number(process.hrtime.bigint());

const store = await openStore(url);
const history: Operation[] = [];
let head = await store.latestSequence(logId);

async function append(id: string, expected: number): Promise<StoredEvent | undefined> {
  const start = now();
  try {
    const event = { id, type: "custom", data: { name: "cas" } };
    const [stored] = await store.append(logId, [event], { expectedSequence: expected });
    history.push({ type: "append", id, expected, start, end: now(), sequence: stored?.sequence ?? 0 });
    return stored;
  } catch (error) {
    if (!isContinuoError(error, "conflict")) throw error;
    const latest = Number(error.details.latestSequence);
    history.push({ type: "conflict", id, expected, start, end: now(), latest });
    head = latest;
    return undefined;
  }
}

for (let n = 0; n < Number(count); ) {
  const id = `${name}/${n}`;
  const expected = head;
  let stored = await append(id, expected);
  if (stored === undefined) continue;
  // The answer was lost: the same question again must have the same answer.
  while (Math.random() < LOST) stored = await append(id, expected);
  head = stored?.sequence ?? head;
  n++;
}

await store.close();
writeFileSync(file, JSON.stringify(history));
process.stdout.write("done\n");
