/** Many event streams whose clients read nothing for a while: the bytes that the server holds for them, and their ends. */

import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { longStream, RECORD_BYTES } from "./long-stream.ts";

const LONG_BYTES = 2_000_000;
const READERS = 40;

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

const stream = longStream();
const { append, open } = stream;

test("all streams of one token complete, even if there is not room for all of them at once", {
  timeout: 60_000,
}, async () => {
  await append(2, LONG_BYTES);
  await stream.store.closeLog("streams/long");
  const ends = await Promise.all(
    Array.from({ length: READERS }, async () => {
      const reader = await open();
      let records = 0;
      let last = "";
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        last = Buffer.from(part.value).toString().slice(-120);
        records += last.includes("streamNextOffset") ? 1 : 0;
      }
      return [records, last.includes('"streamClosed":true')];
    }),
  );
  expect(new Set(ends.map((end) => JSON.stringify(end)))).toEqual(new Set(["[2,true]"]));
});

test("a stream that nobody reads holds the bytes of one batch, and no other record, text or page", {
  timeout: 60_000,
}, async () => {
  await append(4);
  const deaf = new AbortController();
  // Other threads release buffers some time after a garbage collection, so rounds continue until several of them
  // release little.
  const held = async (): Promise<number> => {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0, still = 0; round < 60 && still < 5; round++) {
      collect();
      await sleep(10);
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      const before = least;
      least = Math.min(least, heapUsed + arrayBuffers);
      still = before - least < RECORD_BYTES ? still + 1 : 0;
    }
    return least;
  };
  const before = await held();
  const readers = [];
  for (let n = 0; n < 200; n++) {
    const reader = await open(deaf.signal);
    await reader.read();
    readers.push(reader);
  }
  const ofOne = ((await held()) - before) / readers.length;
  // It is below zero if memory of earlier tests was released: the test files of a worker share their memory.
  expect(ofOne).toBeLessThan(RECORD_BYTES * 1.5);
  const parts = await Promise.all(readers.map((reader) => reader.read()));
  expect(parts.filter(({ done }) => done)).toEqual([]);
  deaf.abort();
  await Promise.all(readers.map((reader) => reader.cancel()));
});
