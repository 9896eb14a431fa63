/** More pending evidence than an owner keeps in memory, and the owner after it. */

import { expect, test } from "vitest";
import { LIMITS } from "../../packages/live/src/kit/limits.ts";
import { liveTest, said } from "./live-session.ts";
import { allEvents, decidedSequences, sequencesOf } from "./servers.ts";

test("evidence that does not fit into memory is processed once and in order, also by the next owner", async () => {
  const pieces = LIMITS.pendingInMemory + 1_500;
  await using first = await liveTest();
  const { sessionId } = await first.service.open("k", { videoId: "v" });
  first.writer.failures = Number.POSITIVE_INFINITY;
  for (let n = 0; n < pieces; n += 500) {
    await first.send("k", ...Array.from({ length: 500 }, (_, m) => said(`words ${n + m}`, n + m)));
  }
  await first.settle();
  expect(await first.service.session("k")).toMatchObject({ depth: pieces, level: "critical" });
  const { fold } = await first.service.follow(sessionId);
  expect(fold.pending.size).toBe(LIMITS.pendingInMemory);
  await first.service.stop();

  await using next = await liveTest({ store: first.store });
  await next.service.ping("k");
  for (let n = 0; n < 200 && (await next.service.session("k")).depth > 0; n++)
    await next.clock.advance(12_000);
  const events = await allEvents(next.store, sessionId);
  expect(decidedSequences(events)).toEqual(sequencesOf(events, "transcript_added"));
  expect(await next.service.session("k")).toMatchObject({ depth: 0, level: "normal" });
});
