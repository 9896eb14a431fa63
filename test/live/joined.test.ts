/** Notes of a session that a tab of another video joined: each is a place in its own video. */

import { extractiveWriter } from "@continuo/live";
import { expect, test } from "vitest";
import { type LiveTest, liveTest, said } from "./live-session.ts";

const HARBOUR = [
  "The harbour of this town was built in 1872, when the old river mouth silted up.",
  "Two stone piers, each four hundred metres long, keep the sand out of the harbour.",
  "The engineers took the stone from a quarry nine kilometres inland.",
];
const BEES = [
  "Every hive has a single queen, and she is the mother of all the bees in it.",
  "On a warm day in June the queen lays about fifteen hundred eggs.",
  "The workers feed the queen all the time, because she has no time to feed herself.",
];

async function joined(live: LiveTest): Promise<void> {
  await live.service.open("harbour tab", { videoId: "harbour" });
  await live.service.open("bees tab", { videoId: "bees" });
  await live.service.join("harbour tab", "bees tab");
}

test("the notes of two videos in one session are made of the words of one video each, and say which", async () => {
  await using live = await liveTest({ noteWriters: [extractiveWriter()] });
  await joined(live);
  // Both tabs record in turns, at the same times of their videos.
  for (const [n, text] of HARBOUR.entries()) {
    const span = { endMs: n * 5_000 + 4_500 };
    await live.send("harbour tab", said(text, n * 5_000, span));
    await live.send("harbour tab", said(BEES[n] ?? "", n * 5_000, { ...span, videoId: "bees" }));
    await live.clock.advance(5_000);
  }
  await live.send("harbour tab", {
    type: "remark_added",
    text: "The queen bees of my uncle are yellow.",
    mediaTimeMs: 2_000,
    videoId: "bees",
  });
  await live.clock.advance(60_000);
  const notes = await live.service.notes("harbour tab");
  expect(notes.map(({ text, videoId }) => [text.slice(0, 14), videoId ?? null]).toSorted()).toEqual([
    ["Every hive has", "bees"],
    ["The harbour of", null],
    ["The queen bees", "bees"],
  ]);
  for (const { text, videoId } of notes) {
    const others = videoId === undefined ? BEES : HARBOUR;
    expect(others.filter((one) => text.includes(one))).toEqual([]);
  }
  expect(await live.service.replay("harbour tab", "recorded")).toMatchObject({ agreement: 1 });
  expect((await live.service.verify("harbour tab")).ok).toBe(true);
});

test("a model's draft is of the video of its evidence, changes no note of the other video, and keeps its video when a person edits it", async () => {
  await using live = await liveTest();
  const { service, clock } = live;
  await joined(live);
  await live.send("harbour tab", said("The queen opens the harbour", 1_000, { endMs: 4_000 }));
  await clock.advance(20_000);
  const same = said("The queen opens the harbour", 1_000, { endMs: 4_000, videoId: "bees" });
  await live.send("harbour tab", same);
  await clock.advance(20_000);
  const notes = await service.notes("harbour tab");
  expect(notes.map(({ videoId }) => videoId ?? null).toSorted()).toEqual(["bees", null]);
  const ofBees = notes.find(({ videoId }) => videoId === "bees");
  await service.operate("harbour tab", ofBees?.noteId ?? "", { operation: "edit", text: "The hive opens" });
  await live.settle();
  const edited = (await service.notes("harbour tab")).find(({ text }) => text === "The hive opens");
  expect(edited).toMatchObject({ videoId: "bees", by: "person", startMs: 1_000 });
});
