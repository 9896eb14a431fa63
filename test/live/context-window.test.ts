/** The evidence around a time: its order, its second window, its budget and its cost. */

import type { EvidenceInput } from "@continuo/core/wire";
import type { ContextWindowOptions, EvidenceItem } from "@continuo/live";
import { expect, test } from "vitest";
import { type LiveTest, liveTest, said } from "./live-session.ts";

async function around(
  { service }: LiveTest,
  timestampMs: number,
  options: ContextWindowOptions = {},
): Promise<readonly EvidenceItem[]> {
  const items: EvidenceItem[] = [];
  const sessionId = await service.sessionIdOf("k");
  for await (const item of service.fetchContextWindow(sessionId, timestampMs, options)) items.push(item);
  return items;
}

async function texts(
  live: LiveTest,
  timestampMs: number,
  options: ContextWindowOptions = {},
): Promise<readonly string[]> {
  return (await around(live, timestampMs, options)).map(({ text }) => text);
}

function frame(description: string, mediaTimeMs: number): EvidenceInput {
  return { type: "frame_captured", mediaTimeMs, description };
}

test("a context window gives critical evidence first, then the nearest, and a second window if the first one has little", async () => {
  await using live = await liveTest();
  await live.service.open("k", { videoId: "v" });
  await live.send(
    "k",
    ...[1_000, 8_000, 9_500, 10_000, 12_000, 13_001, 20_001].map((at) => said(`at ${at}`, at)),
    frame("near", 10_100),
    frame("far", 15_000),
  );
  const dense = ["at 10000", "at 9500", "at 8000", "at 12000", "near"];
  expect(await texts(live, 10_000)).toEqual(dense);
  // With fewer than 3 critical pieces, the second window follows, without the pieces of the first one.
  expect(await texts(live, 10_000, { primaryWindowMs: 600 })).toEqual([
    "at 10000",
    "at 9500",
    "near",
    "at 8000",
    "at 12000",
    "at 13001",
    "at 1000",
    "far",
  ]);
  expect(await texts(live, 10_000, { confidence: () => 0.6 })).toEqual(dense);
  expect(await texts(live, 10_000, { confidence: () => 0.59 })).toEqual([
    ...dense,
    "at 13001",
    "at 1000",
    "far",
  ]);
  expect(await texts(live, 500_000)).toEqual([]);
});

test("a context window ends at its budget of tokens, and one long piece does not keep the shorter ones out", async () => {
  await using live = await liveTest();
  await live.service.open("k", { videoId: "v" });
  await live.send(
    "k",
    said("x".repeat(8_000), 1_000),
    ...[1, 2, 3, 4].map((n) => said("y".repeat(1_600), 1_000 + n)),
  );
  const items = await around(live, 1_000);
  expect(items.map(({ startMs }) => startMs)).toEqual([1_001, 1_002, 1_003]);
  expect(await around(live, 1_000, { tokenBudget: 10_000 })).toHaveLength(5);
});

test("a context window needs the same number of reads of the same size, however long the session is", async () => {
  const costs: (readonly number[])[] = [];
  for (const count of [1_000, 20_000]) {
    await using live = await liveTest();
    const { sessionId } = await live.service.open("k", { videoId: "v" });
    await live.service.stop();
    for (let n = 0; n < count; n += 500) {
      const events = Array.from({ length: 500 }, (_, m) => ({
        type: "transcript_added" as const,
        data: { text: `words ${n + m}`, mediaTimeMs: (n + m) * 500 },
      }));
      await live.store.append(sessionId, events);
    }
    let calls = 0;
    let read = 0;
    const readMedia = live.store.readMedia.bind(live.store);
    live.store.readMedia = async (logId, options) => {
      calls++;
      const page = await readMedia(logId, options);
      read += page.events.length;
      return page;
    };
    const began = performance.now();
    let given = 0;
    for await (const _item of live.service.fetchContextWindow(sessionId, 250_000)) given++;
    console.info(
      `${count} events: ${calls} reads of ${read} events in ${(performance.now() - began).toFixed(1)} ms`,
    );
    costs.push([calls, read, given]);
  }
  expect(costs[0]).toEqual([2, 13, 13]);
  expect(costs[1]).toEqual(costs[0]);
});
