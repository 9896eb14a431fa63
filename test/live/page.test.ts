/** The page of a session: written in passes at long pauses and at the end, without undoing the changes of people. */

import type { StoredEvent } from "@continuo/core/model";
import { type LivePage, PAGE_ITEM_KINDS, type PageItem } from "@continuo/core/wire";
import { extractiveWriter, type LiveOptions, replayEvents } from "@continuo/live";
import { expect, test } from "vitest";
import { restore } from "../../packages/live/src/state/index.ts";
import { type Talk, talksIn } from "./captions/draw.ts";
import { type LiveTest, liveTest } from "./live-session.ts";
import { allEvents } from "./servers.ts";

const BEES = talksIn("tune").find(({ name }) => name === "bees") as Talk;
const PAUSE_MS = 150_000;

async function pageTest(options: Partial<LiveOptions> = {}): Promise<LiveTest> {
  return await liveTest({ noteWriters: [extractiveWriter()], ...options });
}

/** Sends the captions of a talk between two times, as a site draws them, and waits for the notes. */
async function play(
  live: LiveTest,
  key: string,
  { fromMs = 0, toMs = 1e9, shiftMs = 0 } = {},
): Promise<void> {
  const pieces = BEES.pieces.filter((one) => one.mediaTimeMs >= fromMs && one.mediaTimeMs < toMs);
  const evidence = pieces.map(({ text, mediaTimeMs, endMs, lang = "en" }) => {
    const at = { mediaTimeMs: mediaTimeMs + shiftMs, endMs: endMs + shiftMs };
    return { type: "transcript_added", text, lang, ...at } as const;
  });
  for (let n = 0; n < evidence.length; n += 100) await live.send(key, ...evidence.slice(n, n + 100));
  await live.clock.advance(60_000);
}

async function pageOf(live: LiveTest, key = "k"): Promise<LivePage> {
  const page = await live.service.page(key);
  expect(page).not.toBeNull();
  return page as LivePage;
}

function ofKind({ items }: LivePage, kind: PageItem["kind"]): readonly PageItem[] {
  return items.filter((item) => item.kind === kind);
}

async function passesOf(live: LiveTest, key = "k"): Promise<readonly StoredEvent[]> {
  const events = await allEvents(live.store, await live.service.sessionIdOf(key));
  return events.filter(({ type }) => type === "page_written");
}

test("a session without a model ends with a page: chapters that begin with a thought, and key sentences with their citations", async () => {
  await using live = await pageTest();
  const { sessionId } = await live.service.open("k", { videoId: "bees" });
  expect(await live.service.page("k")).toBeNull();
  await play(live, "k");
  expect(await live.service.page("k")).toBeNull();
  await live.service.close("k");
  const page = await pageOf(live);
  expect(page).toMatchObject({ sessionId, pass: 1, reason: "end", writer: "extractive", standIn: null });
  const chapters = ofKind(page, "chapter");
  expect(chapters.length).toBeGreaterThanOrEqual(3);
  for (const { startMs } of chapters.slice(1)) {
    expect(Math.min(...BEES.thoughts.map((thought) => Math.abs(thought.startMs - startMs)))).toBeLessThan(
      5_000,
    );
  }
  expect(chapters.map(({ title }) => title).join("; ")).toMatch(/Queen.*Dance.*(?:Winter|Mite)/u);
  for (const [n, { endMs }] of chapters.slice(0, -1).entries())
    expect(endMs).toBeLessThanOrEqual(chapters[n + 1]?.startMs ?? 0);
  expect(ofKind(page, "summary").length).toBeGreaterThanOrEqual(3);
  // The cited words of an item are in the log, at the time of the item.
  const said = new Map((await allEvents(live.store, sessionId)).map((event) => [event.id, event]));
  for (const { evidence, startMs, endMs, text } of page.items) {
    const cited = evidence.map((id) => said.get(id));
    expect(cited.length).toBeGreaterThan(0);
    const words = cited.map((event) => {
      const data = event?.data as { readonly text: string; readonly mediaTimeMs: number };
      expect(event?.type).toBe("transcript_added");
      expect(data.mediaTimeMs).toBeGreaterThanOrEqual(startMs - 1_000);
      expect(data.mediaTimeMs).toBeLessThanOrEqual(endMs);
      return data.text;
    });
    expect(lettersOf(words.join(" "))).toContain(lettersOf(text.slice(0, 25)));
  }
  expect(await live.service.replay("k", "recorded")).toMatchObject({ agreement: 1 });
});

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

test("there is one pass over the page in a long pause, a later pass refines it, and an item that stays keeps its id", async () => {
  await using live = await pageTest();
  await live.service.open("k", { videoId: "bees" });
  await play(live, "k", { toMs: 66_000 });
  expect(await live.service.page("k")).toBeNull();
  await live.clock.advance(PAUSE_MS);
  const first = await pageOf(live);
  expect(first).toMatchObject({ pass: 1, reason: "pause" });
  await live.clock.advance(10 * PAUSE_MS);
  expect(await passesOf(live)).toHaveLength(1);
  await play(live, "k", { fromMs: 66_000 });
  await live.clock.advance(PAUSE_MS);
  const second = await pageOf(live);
  expect(second).toMatchObject({ pass: 2, reason: "pause" });
  expect(second.through).toBeGreaterThan(first.through);
  expect(ofKind(second, "chapter").length).toBeGreaterThan(ofKind(first, "chapter").length);
  const known = new Set(ofKind(first, "chapter").map(({ itemId }) => itemId));
  expect(ofKind(second, "chapter").filter(({ itemId }) => known.has(itemId))).toHaveLength(known.size);
  expect(new Set(second.items.map(({ itemId }) => itemId)).size).toBe(second.items.length);
  // Nothing was said since then, so there is no pass at the end.
  await live.service.close("k");
  expect(await passesOf(live)).toHaveLength(2);
  expect(await live.service.replay("k", "recorded")).toMatchObject({ agreement: 1 });
});

test("edits, acceptances and removals of a person are kept in later passes, until they are undone", async () => {
  await using live = await pageTest();
  await live.service.open("k", { videoId: "bees" });
  await play(live, "k", { toMs: 66_000 });
  await live.clock.advance(PAUSE_MS);
  const first = await pageOf(live);
  const [queen, dance] = ofKind(first, "chapter");
  const [removed] = ofKind(first, "summary");
  const operate = (item: PageItem | undefined, operation: object): Promise<unknown> =>
    live.service.operateOnPage("k", item?.itemId ?? "", operation as { operation: "accept" });
  await operate(queen, { operation: "edit", title: "The mother of all", text: "She lays the eggs." });
  await operate(dance, { operation: "accept" });
  await operate(removed, { operation: "remove" });
  await expect(operate(removed, { operation: "accept" })).rejects.toMatchObject({ code: "not_found" });
  await play(live, "k", { fromMs: 66_000 });
  await live.clock.advance(PAUSE_MS);
  const second = await pageOf(live);
  expect(second.pass).toBe(2);
  const mine = ofKind(second, "chapter").filter(({ by }) => by === "person");
  expect(mine).toMatchObject([
    { itemId: queen?.itemId, title: "The mother of all", text: "She lays the eggs.", status: "written" },
    { itemId: dance?.itemId, title: dance?.title, text: dance?.text, status: "accepted" },
  ]);
  expect(second.items.map(({ text }) => text)).not.toContain(removed?.text);
  await operate(queen, { operation: "undo" });
  await expect(operate(queen, { operation: "undo" })).rejects.toMatchObject({ code: "conflict" });
  const third = ofKind(await pageOf(live), "chapter");
  const back = third.find(({ itemId }) => itemId === queen?.itemId);
  expect(back).toMatchObject({ title: expect.stringMatching(/^Queen/u) as string, by: "agent" });
  await live.service.close("k");
  await expect(operate(dance, { operation: "undo" })).rejects.toMatchObject({ code: "log_closed" });
});

test("the page of a restored session equals that of its whole log, with the changes of people", async () => {
  await using live = await pageTest();
  const { sessionId } = await live.service.open("k", { videoId: "bees" });
  await play(live, "k");
  await live.clock.advance(PAUSE_MS);
  const { items } = await pageOf(live);
  await live.service.operateOnPage("k", items[0]?.itemId ?? "", { operation: "accept" });
  const page = await pageOf(live);
  await live.service.close("k");
  const [short, whole] = await Promise.all([
    restore(live.store, sessionId),
    restore(live.store, sessionId, { snapshots: "none" }),
  ]);
  expect(short.fromSequence).toBeGreaterThan(0);
  expect(short.fold.page).toEqual(whole.fold.page);
  await using again = await pageTest({ store: live.store });
  expect(await again.service.page("k")).toEqual(page);
  expect(PAGE_ITEM_KINDS).toContain(page.items[0]?.kind);
});

test("a session that continues a video shows its earlier page, and its own passes keep the items and the changes of people", async () => {
  await using live = await pageTest();
  const request = { videoId: "bees", continues: "video" } as const;
  await live.service.open("monday", request);
  await play(live, "monday", { toMs: 66_000 });
  await live.clock.advance(PAUSE_MS);
  const [queen] = ofKind(await pageOf(live, "monday"), "chapter");
  await live.service.operateOnPage("monday", queen?.itemId ?? "", { operation: "edit", text: "Mine." });
  await live.service.close("monday");
  const before = await pageOf(live, "monday");
  await live.service.open("tuesday", request);
  expect(await live.service.page("tuesday")).toEqual(before);
  await play(live, "tuesday", { fromMs: 66_000 });
  await live.service.close("tuesday");
  const after = await pageOf(live, "tuesday");
  expect(after.sessionId).toBe(await live.service.sessionIdOf("tuesday"));
  const chapters = ofKind(after, "chapter");
  const kept = ofKind(before, "chapter");
  expect(chapters.slice(0, kept.length)).toEqual(kept);
  expect(chapters.length).toBeGreaterThan(kept.length);
  expect(chapters[0]).toMatchObject({ itemId: queen?.itemId, text: "Mine.", by: "person" });
  expect(await live.service.replay("tuesday", "recorded")).toMatchObject({ agreement: 1 });
});

test("a replay finds a pass whose items do not match its hash", async () => {
  await using live = await pageTest();
  const { sessionId } = await live.service.open("k", { videoId: "bees" });
  await play(live, "k");
  await live.service.close("k");
  const changed = async function* (): AsyncGenerator<StoredEvent> {
    for (const event of await allEvents(live.store, sessionId)) {
      const { items = [] } = event.data as { readonly items?: readonly object[] };
      const more = { ...(event.data as object), items: items.slice(1) };
      yield event.type === "page_written" ? { ...event, data: more } : event;
    }
  };
  const { disagreements } = await replayEvents(changed());
  expect(disagreements.map(({ reason }) => reason)).toContain("the page does not have its hash");
});

test("a session with only a few sentences has no page", async () => {
  await using live = await pageTest();
  await live.service.open("k", { videoId: "bees" });
  await play(live, "k", { toMs: 8_000 });
  await live.service.close("k");
  expect(await live.service.page("k")).toBeNull();
  expect(await passesOf(live)).toEqual([]);
});
