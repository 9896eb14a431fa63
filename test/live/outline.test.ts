/**
 * The captions of a whole video: stored in a few batches, shown as chapters with the watched part, and not sent to a
 * model.
 */

import type { Store } from "@continuo/core/model";
import type { EvidenceInput, ListedCue, LiveOutline } from "@continuo/core/wire";
import { Outlines, parseEvidenceBatch } from "@continuo/live";
import { expect, test } from "vitest";
import { hourOfCaptions } from "./hour.ts";
import { type LiveTest, liveTest, said } from "./live-session.ts";

const OF_VIDEO = { videoId: "talk", continues: "video" } as const;
const HOUR = hourOfCaptions();

function listed(cues: readonly ListedCue[], lang = "en"): readonly EvidenceInput[] {
  const parts: EvidenceInput[] = [];
  for (let at = 0; at < cues.length; at += 500) {
    parts.push({ type: "captions_listed", cues: cues.slice(at, at + 500), lang, id: `list/${lang}/${at}` });
  }
  return parts;
}

async function outlineOf({ service }: LiveTest, key: string): Promise<LiveOutline> {
  return await new Outlines().of(service.soundStore, await service.sessionIdOf(key));
}

test("the captions of an hour become chapters and a summary without a model", async () => {
  await using live = await liveTest();
  const { service, clock, writer } = live;
  await service.open("tab", OF_VIDEO);
  expect(HOUR.length).toBeGreaterThan(600);
  const acknowledged = await live.send("tab", ...listed(HOUR));
  expect(acknowledged).toMatchObject({ depth: 0, level: "normal" });
  const { cues, lang, chapters, summary, watched } = await outlineOf(live, "tab");
  expect({ cues, lang, watched }).toEqual({ cues: HOUR.length, lang: "en", watched: [] });
  expect(chapters.length).toBeGreaterThanOrEqual(5);
  expect(
    chapters.every(({ title, text, watched: share }) => title !== "" && text !== "" && share === 0),
  ).toBe(true);
  const starts = chapters.map(({ startMs }) => startMs);
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  expect(chapters.at(-1)?.endMs).toBeGreaterThan(50 * 60_000);
  expect(summary.length).toBeGreaterThan(1);
  await clock.advance(60_000);
  expect(writer.requests).toEqual([]);
  expect(await service.notes("tab")).toEqual([]);
});

test("the watched part is marked, also in the session that continues the video", async () => {
  await using live = await liveTest();
  const { service, clock } = live;
  await service.open("monday", OF_VIDEO);
  await live.send("monday", ...listed(HOUR));
  const heard = HOUR.slice(0, 30).map(
    ({ startMs, endMs, text }): EvidenceInput => ({
      type: "transcript_added",
      text,
      mediaTimeMs: startMs,
      endMs,
      lang: "en",
    }),
  );
  await live.send("monday", ...heard);
  const part = { startMs: HOUR[0]?.startMs, endMs: HOUR[29]?.endMs };
  const monday = await outlineOf(live, "monday");
  expect(monday.watched).toEqual([part]);
  expect(monday.chapters[0]?.watched).toBe(1);
  expect(monday.chapters.at(-1)?.watched).toBe(0);
  await clock.advance(60_000);
  await service.close("monday");

  await service.open("tuesday", OF_VIDEO);
  expect(await outlineOf(live, "tuesday")).toEqual(monday);
  await service.open("other", { videoId: "other", continues: "video" });
  expect(await outlineOf(live, "other")).toMatchObject({ cues: 0, chapters: [], watched: [] });
});

test("tabs of two videos in one session have an outline each, and neither counts the watched part of the other one", async () => {
  await using live = await liveTest();
  const { service } = live;
  await service.open("tab", OF_VIDEO);
  await live.send("tab", ...listed(HOUR));
  const alone = await outlineOf(live, "tab");
  await service.open("other", { videoId: "walk", continues: "video" });
  await service.close("other");
  await service.join("tab", "other");
  expect(await service.open("other", { videoId: "walk", continues: "video" })).toMatchObject({
    sessionId: await service.sessionIdOf("tab"),
    videoId: "talk",
    created: false,
  });
  const half = HOUR.slice(0, HOUR.length / 2);
  const [first] = half;
  const words = { text: first?.text ?? "", mediaTimeMs: first?.startMs ?? 0, endMs: first?.endMs ?? 0 };
  await live.send(
    "other",
    ...listed(half).map((one) => ({ ...one, id: `walk/${one.id}`, videoId: "walk" }) as EvidenceInput),
    { type: "transcript_added", ...words, videoId: "walk" },
  );
  expect(await outlineOf(live, "tab")).toEqual(alone);
  const [store, sessionId] = [service.soundStore, await service.sessionIdOf("tab")];
  const walk = await new Outlines().of(store, sessionId, "walk");
  expect(walk).toMatchObject({
    cues: half.length,
    watched: [{ startMs: words.mediaTimeMs, endMs: words.endMs }],
  });
  expect(await new Outlines().of(store, sessionId, "talk")).toEqual(alone);
  expect(await new Outlines().of(store, sessionId, "run")).toMatchObject({ cues: 0, watched: [] });
});

test("a list in another language replaces the previous one, and a repeated list changes nothing", async () => {
  await using live = await liveTest();
  await live.service.open("tab", OF_VIDEO);
  await live.send("tab", ...listed(HOUR));
  const before = await outlineOf(live, "tab");
  await live.send("tab", ...listed(HOUR), said("After the video.", 7_200_000));
  expect(await outlineOf(live, "tab")).toEqual(before);
  await live.send("tab", ...listed(HOUR.slice(0, 3), "de"));
  expect(await outlineOf(live, "tab")).toMatchObject({ cues: 3, lang: "de", chapters: [], summary: [] });
});

test.each([
  ["none", []],
  ["too many", Array.from({ length: 501 }, () => ({ startMs: 0, endMs: 1, text: "x" }))],
  ["one without words", [{ startMs: 0, endMs: 1, text: "" }]],
  ["a cue that ends before it begins", [{ startMs: 2, endMs: 1, text: "x" }]],
  ["a cue with an unknown field", [{ startMs: 0, endMs: 1, text: "x", style: "bold" }]],
  ["a cue that is not an object", ["x"]],
])("a list of captions with %s is refused", (_, cues) => {
  const evidence = [{ type: "captions_listed", cues }];
  expect(() => parseEvidenceBatch({ producerId: "tab", epoch: 0, sequence: 0, evidence })).toThrow(
    "cues is missing or not as documented",
  );
});

test("if an outline could not be made, the next request makes it", async () => {
  await using live = await liveTest();
  const { service } = live;
  await service.open("tab", OF_VIDEO);
  await live.send("tab", ...listed(HOUR));
  const outlines = new Outlines();
  const [store, sessionId] = [service.soundStore, await service.sessionIdOf("tab")];
  // The first read of the text is for the list, and the second one for the outline.
  let reads = 0;
  const broken = {
    ...HOUR[0],
    get text(): string {
      reads += 1;
      if (reads === 2) throw new Error("out of memory");
      return "Welcome.";
    },
  };
  const read: Store["read"] = async (id, options) => {
    const page = await store.read(id, options);
    if (options?.types?.[0] !== "captions_listed") return page;
    const events = page.events
      .slice(0, 1)
      .map((event) => ({ ...event, data: { lang: "en", cues: [broken] } }));
    return { ...page, events } as typeof page;
  };
  const [getSession, getClaim] = [store.getSession.bind(store), store.getClaim.bind(store)];
  const failing = { getSession, getClaim, read } as Store;
  await expect(outlines.of(failing, sessionId)).rejects.toThrow("out of memory");
  expect((await outlines.of(failing, sessionId)).cues).toBeGreaterThan(0);
});
