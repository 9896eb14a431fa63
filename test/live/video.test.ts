/** The notes of a video continue in its next session, tabs share them, and a session that nobody uses is closed. */

import { extractiveWriter } from "@continuo/live";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { talksIn } from "./captions/draw.ts";
import { liveTest, said } from "./live-session.ts";
import { allEvents } from "./servers.ts";

const OF_VIDEO = { videoId: "talk", continues: "video" } as const;

test("a video that is opened on another day in another tab continues its last session, with its notes, which are refined", async () => {
  await using live = await liveTest();
  const { service, clock } = live;
  const first = await service.open("monday", OF_VIDEO);
  await live.send("monday", said("The harbour opens at dawn", 1_000, { endMs: 4_000 }));
  await clock.advance(20_000);
  await live.send("monday", said("Boats leave with the tide", 60_000, { endMs: 64_000 }));
  await clock.advance(20_000);
  const [harbour, boats] = await service.notes("monday");
  await service.operate("monday", boats?.noteId ?? "", { operation: "accept" });
  await live.settle();
  await service.close("monday");
  const before = await service.notes("monday");

  const second = await service.open("tuesday", OF_VIDEO);
  expect(second).toMatchObject({ created: true });
  expect(second.sessionId).not.toBe(first.sessionId);
  expect((await service.session("tuesday")).parentId).toBe(first.sessionId);
  expect(await service.notes("tuesday")).toEqual(before);
  await live.send("tuesday", said("The harbour opens at dawn, says the guide", 1_500, { endMs: 4_000 }));
  await clock.advance(20_000);
  await live.send("tuesday", said("Boats leave with the tide today", 61_000, { endMs: 64_000 }));
  await clock.advance(20_000);
  const after = await service.notes("tuesday");
  expect(after.map(({ noteId, text, by }) => [noteId, text, by])).toEqual([
    [harbour?.noteId, "The harbour opens at dawn, says the guide", "agent"],
    [boats?.noteId, "Boats leave with the tide", "person"],
  ]);
  expect(after[1]?.status).toBe("accepted");
  expect(await service.replay("tuesday", "recorded")).toMatchObject({ agreement: 1 });
  expect((await service.verify("tuesday")).ok).toBe(true);
});

test("the next session takes the notes over once, even if its owner dies in the meantime", async () => {
  await using live = await liveTest();
  const { service, store, clock } = live;
  await service.open("monday", OF_VIDEO);
  await live.send("monday", said("The harbour opens at dawn", 1_000));
  await clock.advance(20_000);
  await service.close("monday");
  await service.stop();
  let isAway = true;
  const away = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name !== "append") return typeof value === "function" ? value.bind(target) : value;
      return async (...given: Parameters<typeof store.append>) => {
        const isMark = given[1].some(({ type }) => type === "notes_carried");
        if (isMark && isAway) throw new Error("the store is away");
        return target.append(...given);
      };
    },
  });
  await using again = await liveTest({ store: away });
  await expect(again.service.open("tuesday", OF_VIDEO)).rejects.toThrow("away");
  isAway = false;
  const { sessionId } = await again.service.open("tuesday", OF_VIDEO);
  const types = (await allEvents(store, sessionId)).map(({ type }) => type);
  expect(types.filter((type) => type === "note_written" || type === "notes_carried")).toEqual([
    "note_written",
    "notes_carried",
  ]);
});

test("two tabs of a video share one session: both see an edit, an edit of an older version is refused, and the last tab ends it", async () => {
  await using live = await liveTest();
  const { service, clock } = live;
  const first = await service.open("tab 1", OF_VIDEO);
  await live.send("tab 1", said("The harbour opens at dawn", 1_000));
  await clock.advance(20_000);
  const second = await service.open("tab 2", OF_VIDEO);
  expect(second).toMatchObject({ sessionId: first.sessionId, created: false });
  const [note] = await service.notes("tab 2");
  const edit = (key: string, text: string): Promise<unknown> =>
    service.operate(key, note?.noteId ?? "", { operation: "edit", text, ifHash: note?.hash ?? "" });
  await edit("tab 1", "The harbour opens at five");
  expect((await service.notes("tab 2")).map(({ text }) => text)).toEqual(["The harbour opens at five"]);
  await expect(edit("tab 2", "The harbour opens at six")).rejects.toMatchObject({ code: "conflict" });
  expect((await service.list()).items).toMatchObject([{ keys: expect.arrayContaining(["tab 1", "tab 2"]) }]);

  await service.close("tab 1");
  expect((await service.session("tab 2")).state).not.toBe("closed");
  expect((await service.open("tab 1", OF_VIDEO)).sessionId).toBe(first.sessionId);
  await service.close("tab 2");
  expect((await service.session("tab 1")).state).not.toBe("closed");
  await service.close("tab 1");
  expect((await service.session("tab 1")).state).toBe("closed");
});

test("two tabs that open a new video at the same time are in one session", async () => {
  await using live = await liveTest();
  const opened = await Promise.all(["a", "b", "c"].map((key) => live.service.open(key, OF_VIDEO)));
  expect(new Set(opened.map(({ sessionId }) => sessionId)).size).toBe(1);
  expect(opened.filter(({ created }) => created)).toHaveLength(1);
});

test("a token that does not reach the other key neither joins its session nor gets its notes", async () => {
  await using live = await liveTest();
  const { service, clock } = live;
  const first = await service.open("mine", OF_VIDEO);
  await live.send("mine", said("a private remark", 1_000));
  await clock.advance(20_000);
  const other = await service.open("other", OF_VIDEO, ["other"]);
  expect(other.sessionId).not.toBe(first.sessionId);
  expect(await service.notes("other")).toEqual([]);
  expect((await service.open("mine again", OF_VIDEO)).sessionId).toBe(first.sessionId);
});

test("a token that reaches one key cannot add another key, which it does not reach, to the session", async () => {
  await using live = await liveTest();
  const { service } = live;
  const bait = await service.open("bait", OF_VIDEO, ["bait"]);
  const mine = await service.open("mine", OF_VIDEO, ["*"]);
  expect(mine).toMatchObject({ created: true });
  expect(mine.sessionId).not.toBe(bait.sessionId);
  await service.close("bait");
  await service.close("mine");
  const next = await service.open("mine", OF_VIDEO, ["*"]);
  expect((await service.session("mine")).parentId).toBe(bait.sessionId);
  expect((await service.open("bait", OF_VIDEO, ["bait"])).sessionId).not.toBe(next.sessionId);
});

test("a token that does not reach the key of a half-created session cannot join the session through its video", async () => {
  await using store = await openStore("memory:");
  let isAway = true;
  const dying = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name === "createSession" && isAway) return () => Promise.reject(new Error("the process died"));
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  await using live = await liveTest({ store: dying });
  const { service } = live;
  await expect(service.open("mine", OF_VIDEO, ["mine"])).rejects.toThrow("died");
  isAway = false;
  const other = await service.open("other", OF_VIDEO, ["other"]);
  const mine = await service.open("mine", OF_VIDEO, ["mine"]);
  expect([other.created, mine.created]).toEqual([true, true]);
  expect(mine.sessionId).not.toBe(other.sessionId);
});

test("sessions of browsers that quit, or of a machine that sleeps, are closed, each with a summary", async () => {
  await using live = await liveTest({ noteWriters: [extractiveWriter()] });
  const { service, clock } = live;
  const keys = Array.from({ length: 6 }, (_, n) => `quit ${n}`);
  const words = (talksIn("tune").find(({ name }) => name === "bees")?.pieces ?? []).map(
    ({ text, mediaTimeMs, endMs }) => said(text, mediaTimeMs, { endMs }),
  );
  for (const key of keys) {
    await service.open(key, { videoId: key, continues: "video" });
    await live.send(key, ...words);
  }
  // No tab reports that it leaves: the machine sleeps for a night.
  await clock.advance(8 * 3_600_000);
  await service.cleanUp();
  for (const key of keys) {
    expect((await service.session(key)).state).toBe("closed");
    expect((await service.notes(key)).length).toBeGreaterThanOrEqual(4);
    const kinds = (await service.page(key))?.items.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(["summary", "chapter"]));
  }
});

test("a session without input for an hour is closed with its notes and a checkpoint, also when its writer fails", async () => {
  await using live = await liveTest();
  const { service, clock, writer } = live;
  await service.open("quit", { videoId: "v" });
  await live.send("quit", said("The harbour opens at dawn", 1_000));
  await clock.advance(20_000);
  await service.open("failing", { videoId: "w" });
  writer.failures = Number.POSITIVE_INFINITY;
  await live.send("failing", said("words that the model never gets to hear", 1_000));
  await clock.advance(3_700_000);
  await service.cleanUp();
  expect((await service.session("quit")).state).toBe("closed");
  expect(await service.notes("quit")).toHaveLength(1);
  expect((await service.session("failing")).state).toBe("closed");
  expect(await service.notes("failing")).toHaveLength(1);
});
