/** Notes of a session that a tab of another video joined: each note belongs to one of the two videos. */

import type { StoredEvent } from "@continuo/core/model";
import { type EvidenceItem, extractiveWriter } from "@continuo/live";
import { expect, test } from "vitest";
import type { PageRequest } from "../../packages/live/src/kit/types.ts";
import { itemsAfter } from "../../packages/live/src/page/page-items.ts";
import { pagePrompt, parsePage } from "../../packages/live/src/writers/page-prompt.ts";
import { talksIn } from "./captions/draw.ts";
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

test("in a session with two videos, each note is made of the words of one video, and names that video", async () => {
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

test("a model's draft belongs to the video of its evidence, changes no note of the other video, and keeps its video when a person edits it", async () => {
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

test("the page of a joined session has the chapters of each video at the times of that video, and cites it", async () => {
  await using live = await liveTest({ noteWriters: [extractiveWriter()] });
  await joined(live);
  const talks = talksIn("tune").filter(({ name }) => name === "lighthouse" || name === "bees");
  // Both tabs record at the same times.
  const evidence = talks
    .flatMap(({ name, pieces }) =>
      pieces.map(({ text, mediaTimeMs, endMs }) => {
        const more = { endMs, lang: "en", ...(name === "bees" ? { videoId: "bees" } : {}) };
        return { mediaTimeMs, piece: said(text, mediaTimeMs, more) };
      }),
    )
    .toSorted((a, b) => a.mediaTimeMs - b.mediaTimeMs)
    .map(({ piece }) => piece);
  for (let n = 0; n < evidence.length; n += 100)
    await live.send("harbour tab", ...evidence.slice(n, n + 100));
  await live.clock.advance(60_000);
  await live.service.close("harbour tab");
  const items = (await live.service.page("harbour tab"))?.items ?? [];
  const { events } = await live.store.read(await live.service.sessionIdOf("harbour tab"), { limit: 1_000 });
  const videos = new Map(events.map(({ id, data }) => [id, (data as { readonly videoId?: string }).videoId]));
  for (const { thoughts, name } of talks) {
    const own = items.filter(({ videoId }) => videoId === (name === "bees" ? "bees" : undefined));
    const chapters = own.filter(({ kind }) => kind === "chapter");
    expect(chapters.length, name).toBeGreaterThanOrEqual(2);
    for (const [n, { startMs, endMs }] of chapters.entries()) {
      if (n > 0)
        expect(Math.min(...thoughts.map((one) => Math.abs(one.startMs - startMs)))).toBeLessThan(5_000);
      expect(endMs).toBeLessThanOrEqual(chapters[n + 1]?.startMs ?? Number.POSITIVE_INFINITY);
    }
    for (const { evidence: ids, videoId } of own) {
      expect(ids.length).toBeGreaterThan(0);
      expect(ids.map((id) => videos.get(id) ?? null)).toEqual(ids.map(() => videoId ?? null));
    }
  }
  // The chapters of the session's own video come first.
  const order = items.filter(({ kind }) => kind === "chapter").map(({ videoId = "" }) => videoId);
  expect(order).toEqual(order.toSorted());
});

test("a model receives the words of each video separately, and its chapters belong to the video that they cite", () => {
  const of = (sequence: number, text: string, startMs: number, videoId?: string): EvidenceItem => ({
    id: `e${sequence}`,
    sequence,
    type: "transcript_added",
    retention: "critical",
    text,
    startMs,
    endMs: startMs + 4_000,
    event: { data: { speaker: "film" } } as unknown as StoredEvent,
    ...(videoId === undefined ? {} : { videoId }),
  });
  const request: PageRequest = {
    sessionId: "s",
    videoId: "harbour",
    title: null,
    items: [],
    outline: [],
    notes: [],
    evidence: [
      of(1, "The harbour was built", 1_000),
      of(2, "Every hive has", 1_000, "bees"),
      of(3, "in 1872.", 5_000),
      of(4, "a single queen.", 5_000, "bees"),
    ],
  };
  const { named } = pagePrompt(request);
  expect([...named.values()].map(({ text, videoId }) => [text, videoId ?? null])).toEqual([
    ["The harbour was built in 1872.", null],
    ["Every hive has a single queen.", "bees"],
  ]);
  const [harbour, bees] = [...named.keys()];
  const chapter = (title: string, ...evidence: readonly unknown[]): object => {
    return { title, text: title, startMs: 1_000, endMs: 9_000, evidence };
  };
  const answer = { chapters: [chapter("Harbour", harbour, bees), chapter("Bees", bees)] };
  const { items } = parsePage(JSON.stringify(answer), request, named);
  expect(items).toMatchObject([
    { title: "Harbour", startMs: 1_000, endMs: 9_000, evidence: ["e1", "e3"] },
    { title: "Bees", startMs: 1_000, endMs: 9_000, evidence: ["e2", "e4"], videoId: "bees" },
  ]);
  expect(items[0]).not.toHaveProperty("videoId");
  // Two chapters at the same time of two videos stay separate after the next pass.
  let id = 0;
  const first = itemsAfter(items, [], () => String(id++));
  expect(itemsAfter(items.toReversed(), first, () => "new").map(({ itemId }) => itemId)).toEqual(["1", "0"]);
});
