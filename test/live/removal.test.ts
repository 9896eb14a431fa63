/** Removed sessions and videos are hidden at once, can be restored for a week, and are then deleted. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { EvidenceInput } from "@continuo/core/wire";
import { createAuthenticate } from "@continuo/server";
import { openStore } from "@continuo/store";
import { expect, onTestFinished, test, vi } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { openServer } from "../server/harness/open-server.ts";
import { type LiveTest, liveTest, said } from "./live-session.ts";

const OF_VIDEO = { videoId: "talk", continues: "video" } as const;
const DAY_MS = 86_400_000;

/** A session of the key with one note. */
async function watched(live: LiveTest, key: string, text: string, atMs = 1_000): Promise<string> {
  const { sessionId } = await live.service.open(key, OF_VIDEO);
  await live.send(key, said(text, atMs, { endMs: atMs + 3_000 }));
  await live.clock.advance(20_000);
  return sessionId;
}

/** A week later: returns how many sessions were deleted. */
async function weekLater({ service, clock }: LiveTest): Promise<number> {
  await clock.advance(7 * DAY_MS + 1);
  return service.removals.deleteDue();
}

async function texts({ service }: LiveTest, key: string): Promise<readonly string[]> {
  return (await service.notes(key)).map(({ text }) => text);
}

test("a removed session is in no list, cannot be read and accepts no input; a restored one is unchanged", async () => {
  await using live = await liveTest();
  const { service } = live;
  const sessionId = await watched(live, "k", "The harbour opens at dawn");
  const before = await service.notes("k");
  const removed = await service.removals.remove("k");
  expect(removed).toMatchObject({ sessionId, key: "k", videoId: "talk" });
  expect(Date.parse(removed.deletedAfter) - Date.parse(removed.removedAt)).toBe(7 * DAY_MS);
  expect((await service.list()).items).toEqual([]);
  await expect(service.session("k")).rejects.toMatchObject({
    code: "not_found",
    hint: expect.stringContaining("continuo live undo k --session"),
  });
  for (const read of [
    service.notes("k"),
    service.page("k"),
    service.ask("k", { question: "when?", mediaTimeMs: 0 }),
  ])
    await expect(read).rejects.toMatchObject({ code: "not_found" });
  const batch = { producerId: "p", epoch: 0, sequence: 0, evidence: [said("more", 90_000)] };
  await expect(service.accept("k", batch)).rejects.toMatchObject({ code: "log_closed" });
  await expect(service.ping("k")).rejects.toMatchObject({ code: "log_closed" });
  expect((await service.removals.list()).items).toEqual([removed]);
  expect(await service.removals.remove("k"), "a second time").toEqual(removed);

  expect(await service.removals.restore("k")).toBe("k");
  expect(await service.removals.restore("k"), "a second time").toBe("k");
  expect(await service.notes("k")).toEqual(before);
  expect((await service.list()).items).toMatchObject([{ sessionId, state: "closed" }]);
  expect((await service.removals.list()).items).toEqual([]);
  expect((await service.verify("k")).ok).toBe(true);
});

test("after a person removed a session, nothing of it is sent to a note writer", async () => {
  await using live = await liveTest();
  const { service, writer, clock } = live;
  await service.open("k", OF_VIDEO);
  await live.send("k", said("private words", 1_000));
  await service.removals.remove("k");
  await clock.advance(60_000);
  expect(writer.requests).toEqual([]);
});

test("after a week a removed session is deleted with its notes, evidence and pictures, and cannot be restored", async () => {
  await using live = await liveTest();
  const { service, store, clock } = live;
  const { hash } = await store.putBlob(Buffer.from("a picture"), {
    mediaType: "image/jpeg",
    expiresAt: new Date(clock.now() + 60_000).toISOString(),
  });
  const sessionId = await watched(live, "k", "The harbour opens at dawn");
  const thumbnail = { hash, mediaType: "image/jpeg", sizeBytes: 9 };
  await live.send("k", { type: "frame_captured", mediaTimeMs: 2_000, thumbnail } as EvidenceInput);
  await clock.advance(20_000);
  await service.removals.remove("k");
  await clock.advance(7 * DAY_MS - 60_000);
  expect(await service.removals.deleteDue()).toBe(0);
  expect(await store.statBlob(hash)).not.toBeNull();
  await clock.advance(60_001);
  expect(await service.removals.deleteDue()).toBe(1);
  expect(await store.getSession(sessionId)).toBeNull();
  expect(await store.statBlob(hash)).toBeNull();
  expect((await service.removals.list()).items).toEqual([]);
  await expect(service.removals.restore("k")).rejects.toMatchObject({ code: "not_found" });
  expect((await service.open("k", OF_VIDEO)).sessionId).not.toBe(sessionId);
});

test("the next deletion finishes one that was interrupted, which cannot be undone in between", async () => {
  await using live = await liveTest();
  const { service, store } = live;
  const sessionId = await watched(live, "k", "The harbour opens at dawn");
  await service.removals.remove("k");
  vi.spyOn(store, "deleteSession").mockRejectedValueOnce(new Error("the store is away"));
  expect(await weekLater(live)).toBe(0);
  await expect(service.removals.restore("k")).rejects.toMatchObject({ code: "gone" });
  await expect(service.session("k")).rejects.toMatchObject({ code: "not_found" });
  await service.removals.deleteDue();
  expect(await store.getSession(sessionId)).toBeNull();
});

test("a removed session that its process could not end stays hidden, and the next server deletes it", async () => {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  const first = await liveTest({ store });
  const sessionId = await watched(first, "k", "The harbour opens at dawn");
  const { append } = store;
  vi.spyOn(store, "append").mockRejectedValue(new Error("killed"));
  await first.service.removals.remove("k");
  store.append = append;
  await first.service.stop();
  await using next = await liveTest({ store, startMs: first.clock.now() });
  await next.service.start();
  expect((await next.service.list()).items).toEqual([]);
  await next.service.removals.remove("k");
  expect((await store.getSession(sessionId))?.status).toBe("closed");
  await next.clock.advance(7 * DAY_MS + 3_700_000);
  expect(await store.getSession(sessionId)).toBeNull();
});

test("if a process was killed between the steps of a removal, no server sends anything of the session to a note writer, and the session is closed", async () => {
  for (const finish of ["take over", "clean up", "remove again"] as const) {
    const store = await openStore("memory:");
    onTestFinished(() => store.close());
    const first = await liveTest({ store });
    await first.service.start();
    const { sessionId } = await first.service.open("k", OF_VIDEO);
    await first.send("k", said("private words", 1_000));
    const append = vi.spyOn(store, "append").mockRejectedValue(new Error("killed"));
    await first.service.removals.remove("k");
    append.mockRestore();
    await first.service.stop();
    await using next = await liveTest({ store, startMs: first.clock.now() + 4_000_000 });
    if (finish === "take over") {
      await next.service.start();
      await vi.waitFor(async () => expect((await store.getSession(sessionId))?.status).toBe("closed"));
    }
    if (finish === "clean up") await next.service.cleanUp();
    if (finish === "remove again") await next.service.removals.remove("k");
    await next.clock.advance(60_000);
    expect(next.writer.requests, finish).toEqual([]);
    expect((await store.getSession(sessionId))?.status, finish).toBe("closed");
  }
});

test("the next session of a video continues the session before a removed one, and reports that the other one was removed", async () => {
  await using live = await liveTest();
  const { service } = live;
  const monday = await watched(live, "monday", "The harbour opens at dawn");
  await service.close("monday");
  const tuesday = await watched(live, "tuesday", "Boats leave with the tide", 60_000);
  await service.close("tuesday");
  await service.removals.remove("tuesday");
  await service.open("wednesday", OF_VIDEO);
  expect(await texts(live, "wednesday")).toEqual(["The harbour opens at dawn"]);
  expect(await service.session("wednesday")).toMatchObject({ parentId: monday });
  expect(await service.session("wednesday")).not.toHaveProperty("parentStatus");

  await service.removals.remove("monday");
  expect(await service.session("wednesday")).toMatchObject({ parentId: monday, parentStatus: "removed" });
  expect(await texts(live, "wednesday"), "its own notes by now").toEqual(["The harbour opens at dawn"]);
  await weekLater(live);
  expect(await service.session("wednesday")).toMatchObject({ parentId: monday, parentStatus: "deleted" });
  expect(await service.removals.list()).toMatchObject({ items: [] });
  expect(await live.store.getSession(tuesday)).toBeNull();
});

test("after the newest session of a video was deleted, the next session continues the one before it", async () => {
  await using live = await liveTest();
  const { service } = live;
  const monday = await watched(live, "monday", "The harbour opens at dawn");
  await service.close("monday");
  await watched(live, "tuesday", "Boats leave with the tide", 60_000);
  await service.close("tuesday");
  await service.removals.remove("tuesday");
  await weekLater(live);
  await service.open("wednesday", OF_VIDEO);
  expect(await service.session("wednesday")).toMatchObject({ parentId: monday });
});

test("a session can be restored although its key now names another session, and both can be read", async () => {
  await using live = await liveTest();
  const { service } = live;
  const first = await watched(live, "k", "The harbour opens at dawn");
  await service.removals.remove("k");
  const second = await watched(live, "k", "Boats leave with the tide", 60_000);
  expect(second).not.toBe(first);
  await expect(service.removals.restore("k")).rejects.toMatchObject({ code: "not_found" });
  const key = await service.removals.restore("k", { sessionId: first });
  expect(key).toBe(`k~${first}`);
  expect(await texts(live, key)).toEqual(["The harbour opens at dawn"]);
  expect(await texts(live, "k")).toEqual(["Boats leave with the tide"]);
  expect((await service.list()).items.map(({ sessionId }) => sessionId).toSorted()).toEqual(
    [first, second].toSorted(),
  );
});

test("after its video is deleted, a removed session is no longer in the list of sessions that can be restored", async () => {
  await using live = await liveTest();
  const { service } = live;
  const sessionId = await watched(live, "k", "The harbour opens at dawn");
  await service.removals.remove("k");
  expect(await service.deleteVideo("talk")).toBe(1);
  expect((await service.removals.list()).items).toEqual([]);
  const restoring = service.removals.restore("k", { sessionId });
  await expect(restoring).rejects.toMatchObject({ code: "not_found" });
});

test("a removal by the id of a session removes only that session", async () => {
  await using live = await liveTest();
  const { service } = live;
  await watched(live, "k", "The harbour opens at dawn");
  await expect(service.removals.remove("k", { sessionId: "another" })).rejects.toMatchObject({
    code: "conflict",
  });
  expect((await service.list()).items).toHaveLength(1);
});

test("a video is removed and restored with all its sessions, and a session that was removed before stays removed", async () => {
  await using live = await liveTest();
  const { service } = live;
  for (const key of ["monday", "tuesday", "wednesday"]) {
    await watched(live, key, `The harbour on ${key}`);
    await service.close(key);
  }
  await service.open("other", { videoId: "another talk" });
  await service.removals.remove("monday");
  const removed = await service.removals.removeVideo("talk");
  expect(removed.map(({ key }) => key).toSorted()).toEqual(["tuesday", "wednesday"]);
  expect((await service.list()).items.map(({ key }) => key)).toEqual(["other"]);
  expect((await service.removals.removeVideo("talk")).length, "a second time").toBe(2);
  await service.open("thursday", OF_VIDEO);
  expect(await service.notes("thursday")).toEqual([]);
  await service.close("thursday");

  expect((await service.removals.restoreVideo("talk")).toSorted()).toEqual(["tuesday", "wednesday"]);
  expect((await service.list()).items.map(({ key }) => key).toSorted()).toEqual([
    "other",
    "thursday",
    "tuesday",
    "wednesday",
  ]);
  await expect(service.removals.restoreVideo("talk")).rejects.toMatchObject({ code: "not_found" });
  await expect(service.removals.removeVideo("nobody watched it")).rejects.toMatchObject({
    code: "not_found",
  });
});

test("a client can remove and restore a session only if it may change all of the session's keys", async () => {
  await using live = await liveTest();
  const { service } = live;
  await watched(live, "mine", "The harbour opens at dawn");
  await service.open("shared", OF_VIDEO);
  const mayChange = (key: string): boolean => key === "mine";
  await expect(service.removals.remove("mine", { mayChange })).rejects.toMatchObject({ code: "forbidden" });
  await expect(service.removals.removeVideo("talk", mayChange)).rejects.toMatchObject({ code: "not_found" });
  await service.removals.remove("mine");
  await expect(service.removals.restore("mine", { mayChange })).rejects.toMatchObject({ code: "forbidden" });
  expect((await service.removals.list()).items).toHaveLength(1);
});

test("a degraded session can be removed; a restored one is no longer degraded, but still damaged, and it can be deleted", async () => {
  const folder = scratchFolder("removal");
  const file = join(folder, "store.db");
  const store = await openStore(`sqlite:${file}`);
  onTestFinished(() => store.close());
  await using live = await liveTest({ store });
  const { service } = live;
  const sessionId = await watched(live, "k", "The harbour opens at dawn");
  const database = new DatabaseSync(file);
  database.exec(
    "pragma busy_timeout = 5000; update events set payload = replace(payload, 'dawn', 'noon') where type = 'transcript_added'",
  );
  database.close();
  expect((await service.verify("k")).ok).toBe(false);
  expect((await service.session("k")).state).toBe("degraded");
  await service.removals.remove("k");
  expect((await service.list()).items).toEqual([]);
  await service.removals.restore("k");
  expect(await service.session("k")).toMatchObject({ state: "closed" });
  expect((await service.session("k")).health.damaged).toHaveLength(1);
  await service.removals.remove("k");
  await weekLater(live);
  expect(await store.getSession(sessionId)).toBeNull();
});

test("over HTTP a token can remove, list and restore only sessions that its scopes name", async () => {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  const server = await openServer(store, { authenticate: createAuthenticate(store) });
  onTestFinished(() => server.close());
  const tokenOf = async (scope: string): Promise<string> =>
    (await store.createToken({ scopes: [scope], label: "t" })).secret;
  const call = async (token: string, method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json = (await answer.json()) as { readonly error?: { readonly code: string } };
    return answer.ok ? json : json.error?.code;
  };
  const all = await tokenOf("live:*:read,write");
  const mine = await tokenOf("live:mine:read,write");
  const reader = await tokenOf("live:mine:read");
  for (const key of ["mine", "yours"])
    await call(all, "PUT", `/v1/live/${key}`, { videoId: "a/b", title: "T" });
  expect(await call(reader, "POST", "/v1/live/mine/remove", {})).toBe("forbidden");
  expect(await call(mine, "POST", "/v1/live/yours/remove", {})).toBe("forbidden");
  expect(await call(all, "POST", "/v1/live/mine/remove", { sessionId: 7 })).toBe("invalid");
  const removed = await call(mine, "POST", "/v1/live/mine/remove");
  expect(removed).toMatchObject({ key: "mine", videoId: "a/b", title: "T" });
  expect(await call(mine, "GET", "/v1/live/mine")).toBe("not_found");
  expect(await call(mine, "GET", "/v1/live?status=removed")).toEqual({
    sessions: [removed],
    nextCursor: null,
  });
  expect(await call(mine, "GET", "/v1/live?status=removed&limit=-5")).toMatchObject({ sessions: [removed] });
  const yours = await tokenOf("live:yours:read,write");
  expect(await call(yours, "GET", "/v1/live?status=removed")).toMatchObject({ sessions: [] });
  expect(await call(all, "GET", "/v1/live?status=closed")).toBe("invalid");
  expect(await call(reader, "POST", "/v1/live/mine/restore")).toBe("forbidden");
  expect(await call(mine, "POST", "/v1/live/mine/restore")).toMatchObject({ key: "mine", state: "closed" });

  const video = `/v1/videos/${encodeURIComponent("a/b")}`;
  expect(await call(mine, "POST", `${video}/remove`)).toMatchObject({ sessions: [{ key: "mine" }] });
  expect(await call(reader, "POST", `${video}/restore`)).toBe("not_found");
  expect(await call(all, "GET", "/v1/live")).toMatchObject({ sessions: [{ key: "yours" }] });
  expect(await call(all, "POST", `${video}/restore`)).toMatchObject({ sessions: [{ key: "mine" }] });
});
