/** Sessions that receive too much evidence, or the same evidence again, acknowledge it, drop only frames and telemetry, and recover. */

import type { EvidenceInput } from "@continuo/core/wire";
import { expect, test } from "vitest";
import { liveTest, said } from "./live-session.ts";
import { allEvents, decidedSequences, sequencesOf } from "./servers.ts";

function frame(mediaTimeMs: number): EvidenceInput {
  return { type: "frame_captured", mediaTimeMs, description: `a frame at ${mediaTimeMs}` };
}

test("at ten times the load, all input is acknowledged, levels rise, no critical evidence is lost, and the session recovers", async () => {
  await using live = await liveTest();
  const { service, store, clock, writer } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  // The writer can process 10 pieces a second, and 100 arrive.
  writer.msOf = () => 100;
  let sent = 0;
  const levels = new Set<string>();
  for (let n = 0; n < 50; n++) {
    const evidence = Array.from({ length: 10 }, (_, m) =>
      m < 5 ? said(`words ${n} ${m}`, n * 100) : frame(n * 100 + m),
    );
    const acknowledged = await live.send("k", ...evidence);
    expect(acknowledged.sequences).toHaveLength(10);
    levels.add(acknowledged.level);
    sent += 10;
    await clock.advance(100);
  }
  const telemetry = await live.send("k", { type: "telemetry_reported", name: "fps", value: 25 });
  expect(telemetry.dropped).toBe(1);
  expect([...levels]).toEqual(["normal", "warning", "critical"]);
  expect((await service.session("k")).level).toBe("critical");
  await clock.advance(120_000);
  expect(await service.session("k")).toMatchObject({ depth: 0, level: "normal" });

  const events = await allEvents(store, sessionId);
  const decided = decidedSequences(events);
  const transcripts = sequencesOf(events, "transcript_added");
  const frames = sequencesOf(events, "frame_captured");
  expect(transcripts.length + frames.length).toBe(sent);
  expect(decided.filter((sequence) => transcripts.includes(sequence)).toSorted((a, b) => a - b)).toEqual(
    transcripts,
  );
  const drops = events.flatMap(({ type, data }) =>
    type === "evidence_dropped"
      ? [data as { kinds: Record<string, number>; sequences?: readonly number[] }]
      : [],
  );
  const dropped = drops.flatMap(({ sequences = [] }) => sequences);
  expect(dropped.length).toBeGreaterThan(0);
  expect([...decided, ...dropped].toSorted((a, b) => a - b)).toEqual(
    [...transcripts, ...frames].toSorted((a, b) => a - b),
  );
  expect(drops.map(({ kinds }) => Object.keys(kinds))).toEqual(
    expect.arrayContaining([["frame_captured"], ["telemetry_reported"]]),
  );
  expect(sequencesOf(events, "telemetry_reported")).toEqual([]);
});

test("with split lanes, transcripts are processed within 12 s while frames lag", async () => {
  await using live = await liveTest();
  const { service, clock, writer } = live;
  await service.open("k", { videoId: "v", lanes: "split" });
  writer.msOf = ({ type }) => (type === "frame_captured" ? 2_000 : 10);
  for (let n = 0; n < 120; n++) {
    await live.send("k", said(`words ${n}`, n * 1_000), frame(n * 1_000), frame(n * 1_000 + 500));
    await clock.advance(1_000);
  }
  await clock.advance(12_000);
  const kinds = writer.requests.map(({ evidence }) => new Set(evidence.map(({ type }) => type)));
  expect(kinds.every((types) => types.size === 1)).toBe(true);
  const waitedMs = writer.requests.flatMap(({ evidence }, n) =>
    evidence
      .filter(({ type }) => type === "transcript_added")
      .map(({ event }) => (writer.atMs[n] ?? 0) - Date.parse(event.occurredAt)),
  );
  expect(waitedMs).toHaveLength(120);
  expect(Math.max(...waitedMs)).toBeLessThanOrEqual(12_000);
  // A batch of 20 frames takes 40 s.
  const frames = writer.atMs.filter((_, n) => kinds[n]?.has("frame_captured"));
  expect(frames.length).toBeLessThan(kinds.length - frames.length);
  expect(Math.min(...frames.slice(2).map((atMs, n) => atMs - (frames[n + 1] ?? 0)))).toBeGreaterThan(12_000);
});
test("a batch that another producer has already stored still takes its number", async () => {
  await using live = await liveTest();
  const { service } = live;
  await service.open("k", { videoId: "v" });
  const send = (producerId: string, sequence: number, ...ids: readonly string[]): Promise<unknown> =>
    service.accept("k", {
      producerId,
      epoch: 0,
      sequence,
      evidence: ids.map((id) => said(`words of ${id}`, 1_000, { id })),
    });
  await send("before", 0, "a", "b");
  await live.settle();
  await send("after a crash", 0, "a", "b");
  await send("after a crash", 1, "b", "c");
  await send("after a crash", 2, "d");
  await expect(send("after a crash", 4, "e")).rejects.toMatchObject({ code: "sequence_gap" });
  const events = await allEvents(live.store, await service.sessionIdOf("k"));
  const heard = events.filter(({ type }) => type === "transcript_added");
  expect(heard.map(({ id }) => id)).toEqual(["a", "b", "c", "d"]);
});
