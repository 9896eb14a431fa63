/**
 * One of many processes that append to one log by compare-and-swap: `appender.ts URL LOG NAME COUNT HISTORY`. It drops
 * some answers on purpose, and repeats some of those calls. It also reads the head and pages, and the first process
 * follows a tail. Every call is written to the history, with its times by the clock that all processes of the machine
 * share.
 */

import { writeFileSync } from "node:fs";
import { isContinuoError, type StoredEvent } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import type { Operation, Sight } from "../concurrency/history.ts";

const [url = "", logId = "", name = "", count = "0", file = ""] = process.argv.slice(2);
const LOST = 0.03;
const READS = 0.02;
const now = (): number => Number(process.hrtime.bigint());

const store = await openStore(url);
const history: Operation[] = [];
let head = await store.latestSequence(logId);

async function append(id: string, expected: number): Promise<StoredEvent | undefined> {
  const start = now();
  try {
    const event = { id, type: "custom", data: { name: "cas" } };
    const [stored] = await store.append(logId, [event], { expectedSequence: expected });
    // The answer was lost.
    if (Math.random() < LOST) history.push({ type: "unknown", id, expected, start });
    else {
      const { sequence = 0, chainHash: chain = "" } = stored ?? {};
      history.push({ type: "append", id, expected, start, end: now(), sequence, chain });
    }
    return stored;
  } catch (error) {
    if (!isContinuoError(error, "conflict")) throw error;
    const latest = Number(error.details.latestSequence);
    history.push({ type: "conflict", id, expected, start, end: now(), latest });
    head = latest;
    return undefined;
  }
}

function sightOf({ sequence, id, chainHash: chain }: StoredEvent): Sight {
  return { sequence, id, chain };
}

async function look(): Promise<void> {
  const start = now();
  const log = await store.getLog(logId);
  const latest = log?.latestSequence ?? 0;
  history.push({ type: "head", latest, chain: log?.chainHash ?? "", start, end: now() });
  const after = Math.max(0, latest - 5);
  const begun = now();
  const { events } = await store.read(logId, { after });
  history.push({ type: "page", after, events: events.map(sightOf), start: begun, end: now() });
}

async function follow(signal: AbortSignal): Promise<void> {
  const events: (Sight & { readonly at: number })[] = [];
  for await (const event of store.tail(logId, { signal })) events.push({ ...sightOf(event), at: now() });
  history.push({ type: "tail", events });
}

const done = new AbortController();
const following = name === "p0" ? follow(done.signal) : undefined;

for (let n = 0; n < Number(count); ) {
  const id = `${name}/${n}`;
  const expected = head;
  let stored = await append(id, expected);
  if (stored === undefined) continue;
  // A repeated call must get the same answer.
  while (Math.random() < LOST) stored = await append(id, expected);
  head = stored?.sequence ?? head;
  if (Math.random() < READS) await look();
  n++;
}

done.abort();
await following;
await store.close();
writeFileSync(file, JSON.stringify(history));
process.stdout.write("done\n");
