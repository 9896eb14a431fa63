/** Batches that a stand-in wrote are written again when the note writer works. */

import { openStore } from "@continuo/store";
import { expect, onTestFinished, test } from "vitest";
import { away, SHORT, TALK, talk, textsIn as texts } from "./away.ts";
import { type LiveTest, liveTest, said } from "./live-session.ts";
import { allEvents } from "./servers.ts";

/** More batches than one request can hold. */
async function talkLong(live: LiveTest): Promise<void> {
  for (let n = 0; n < 4; n++) {
    const pieces = Array.from({ length: 60 }, (_, m) => {
      const startMs = (n * 60 + m) * 4_000;
      return said(`Boat ${n} of ${m} leaves the harbour.`, startMs, { endMs: startMs + 3_000 });
    });
    await live.send("k", ...pieces);
    await live.clock.advance(13_000);
  }
}

test("when the note writer works again, its notes replace those of the stand-in, even without new words", async () => {
  await using live = await away();
  const { service, clock, writer } = live;
  await talk(live);
  await clock.advance(40_000);
  expect(await texts(live)).toEqual(TALK);
  const before = await service.notes("k");
  writer.failures = 0;
  await clock.advance(620_000);
  expect(await texts(live)).toEqual(SHORT);
  const after = await service.notes("k");
  expect(after.map(({ noteId }) => noteId)).toEqual(before.map(({ noteId }) => noteId));
  expect((await service.session("k")).health.standIn).toBeNull();
  const calls = writer.requests.length;
  await clock.advance(620_000);
  expect(writer.requests, "once").toHaveLength(calls);
  expect(await service.replay("k", "recorded")).toMatchObject({ agreement: 1 });
  expect((await service.verify("k")).ok).toBe(true);
});

test("a stand-in's notes that a person edited, accepted or removed do not change", async () => {
  await using live = await away();
  const { service, clock, writer } = live;
  await talk(live);
  await clock.advance(40_000);
  const [harbour, boats, lamp] = await service.notes("k");
  await service.operate("k", harbour?.noteId ?? "", { operation: "edit", text: "Mine." });
  await service.operate("k", boats?.noteId ?? "", { operation: "accept" });
  await service.operate("k", lamp?.noteId ?? "", { operation: "remove" });
  writer.failures = 0;
  await clock.advance(620_000);
  expect(await texts(live)).toEqual(["Mine.", TALK[1]]);
});

test("all batches of a stand-in are sent in one request, and a writer that fails at it is asked less and less often", async () => {
  await using live = await away();
  const { clock, writer } = live;
  await talk(live);
  await clock.advance(10_000);
  writer.requests.length = 0;
  await clock.advance(3_600_000);
  expect(writer.requests.length).toBeGreaterThan(3);
  expect(writer.requests.length).toBeLessThan(12);
  expect(writer.requests.at(-1)?.evidence.map(({ text }) => text)).toEqual(TALK);
  expect((await live.service.session("k")).state).toBe("checkpointed");
});

test("if a server dies while the writer fails, the next server has the stand-in's batches written again, once", async () => {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  const first = await away({ store });
  await talk(first);
  await first.clock.advance(40_000);
  const { sessionId } = await first.service.open("k", { videoId: "v" });
  // The server stops without ending anything, as after a kill.
  await first.service.stop();
  await using next = await away({ store, startMs: first.clock.now() + 60_000 });
  next.writer.failures = 0;
  await next.service.ownerOf(sessionId)?.checkpoint();
  await next.clock.advance(60_000);
  expect(await texts(next)).toEqual(SHORT);
  const redone = (await allEvents(store, sessionId)).filter(
    ({ type, data }) =>
      type === "decision_made" && (data as { readonly redoes?: unknown }).redoes !== undefined,
  );
  expect(redone).toHaveLength(1);
});

test("the batches of a session with a spent budget are not written again", async () => {
  await using live = await away({ budget: { maxTokens: 1 } });
  const { service, clock, writer } = live;
  await talk(live);
  const { write } = writer;
  writer.failures = 0;
  let isAway = true;
  writer.write = async (request, call) => {
    if (isAway && request.evidence.some(({ text }) => text === TALK[0])) throw new Error("too long");
    const usage = { inputTokens: 100, outputTokens: 1 };
    return { ...(await write(request, call)), model: "m", usage };
  };
  await clock.advance(40_000);
  await live.send("k", said("Fog lies over the quay.", 600_000, { endMs: 603_000 }));
  await clock.advance(40_000);
  expect((await service.session("k")).budget).toBe("spent");
  isAway = false;
  await clock.advance(1_300_000);
  expect((await texts(live)).slice(0, 3)).toEqual(TALK);
});

test("a session that ended while its writer failed accepts no input, gets its notes when the writer works again, and then is closed", async () => {
  await using live = await away();
  const { service, store, clock, writer } = live;
  await talk(live);
  await service.close("k");
  const { sessionId } = await service.follow(await service.sessionIdOf("k"));
  expect(await service.session("k")).toMatchObject({ state: "closed", depth: 0 });
  expect(await texts(live)).toEqual(TALK);
  await expect(live.send("k", said("too late", 300_000))).rejects.toMatchObject({ code: "log_closed" });
  const [note] = await service.notes("k");
  await expect(service.operate("k", note?.noteId ?? "", { operation: "accept" })).rejects.toMatchObject({
    code: "log_closed",
  });
  expect(await service.late.run(), "while it is away").toBe(0);
  writer.failures = 0;
  await clock.advance(3_600_000);
  expect(await service.late.run()).toBe(1);
  expect(await texts(live)).toEqual(SHORT);
  expect(await service.session("k")).toMatchObject({ state: "closed", health: { standIn: null } });
  expect((await store.getLog(sessionId))?.closedAt).toBeDefined();
  expect(await service.late.run(), "once").toBe(0);
  expect(await service.replay("k", "recorded")).toMatchObject({ agreement: 1 });
  expect((await service.verify("k")).ok).toBe(true);
});

test("a batch that was stored before the session ended is acknowledged after the end too, even while the log waits for late notes", async () => {
  await using live = await away();
  const { service } = live;
  const batch = {
    producerId: "p",
    epoch: 0,
    sequence: 0,
    evidence: [said(TALK[0] ?? "", 0, { endMs: 3_000 })],
  };
  await service.accept("k", batch);
  await live.clock.advance(40_000);
  await service.close("k");
  expect(await service.accept("k", batch)).toMatchObject({ sequences: [] });
});

test("a restarted server continues the late notes of an ended session for at most a day", async () => {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  const first = await away({ store });
  await talk(first);
  await first.service.close("k");
  const sessionId = await first.service.sessionIdOf("k");
  await first.service.stop();
  const second = await liveTest({ store, startMs: first.clock.now() });
  second.writer.failures = Number.POSITIVE_INFINITY;
  await second.service.start();
  await second.clock.advance(601_000);
  expect(second.writer.requests.length, "by itself").toBeGreaterThan(0);
  expect((await store.getLog(sessionId))?.closedAt).toBeUndefined();
  await second.service.stop();
  await using third = await liveTest({ store, startMs: first.clock.now() + 86_500_000 });
  // The last scan of the previous server may still run.
  let finished = 0;
  await expect.poll(async () => (finished += await third.service.late.run())).toBe(1);
  expect(third.writer.requests).toEqual([]);
  expect((await store.getLog(sessionId))?.closedAt).toBeDefined();
  expect(await texts(third)).toEqual(TALK);
});

test("after a person removes an ended session while its late notes are written, nothing more of it is sent", async () => {
  await using live = await away();
  const { service, store, writer } = live;
  await talkLong(live);
  await service.close("k");
  const sessionId = await service.sessionIdOf("k");
  writer.failures = 0;
  writer.requests.length = 0;
  const { write } = writer;
  writer.write = async (request, call) => {
    const result = await write(request, call);
    if (writer.requests.length === 1) await service.removals.remove("k");
    return { ...result, drafts: result.drafts.slice(0, 50) };
  };
  expect(await service.late.run()).toBe(1);
  expect(writer.requests).toHaveLength(1);
  expect((await store.getLog(sessionId))?.closedAt).toBeDefined();
});

test("late notes of an ended session stop when its budget is spent, and its log is closed", async () => {
  await using live = await away({ budget: { maxTokens: 50 } });
  const { service, store, writer } = live;
  await talkLong(live);
  await service.close("k");
  writer.failures = 0;
  writer.requests.length = 0;
  const { write } = writer;
  writer.write = async (request, call) => {
    const { drafts, memory } = await write(request, call);
    return { drafts: drafts.slice(0, 50), memory, model: "m", usage: { inputTokens: 60, outputTokens: 1 } };
  };
  expect(await service.late.run()).toBe(1);
  expect(writer.requests).toHaveLength(1);
  const { sessionId, fold } = await service.follow(await service.sessionIdOf("k"));
  expect(fold.owed, "more was to be written").toHaveLength(1);
  expect((await store.getLog(sessionId))?.closedAt).toBeDefined();
});
