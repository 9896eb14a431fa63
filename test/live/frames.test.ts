/**
 * Pictures of frames: how long each tier is stored, who is warned, what keeps a picture, and what is deleted with a
 * video.
 */

import { openLive } from "@continuo/core/client/live";
import type { Store, StoredEvent } from "@continuo/core/model";
import type { EvidenceInput, LiveServerFrame, PurgeWarning } from "@continuo/core/wire";
import type { LiveService } from "@continuo/live";
import { openStore } from "@continuo/store";
import { expect, test, vi } from "vitest";
import { openServer } from "../server/harness/open-server.ts";
import { fakeClock } from "./fake-clock.ts";
import { type LiveTest, liveTest, said, scriptedWriter } from "./live-session.ts";
import { allEvents } from "./servers.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

async function picture(store: Store, content: string): Promise<{ hash: string } & Pointer> {
  const expiresAt = new Date(Date.now() + DAY_MS).toISOString();
  const bytes = Buffer.from(content);
  const { hash, sizeBytes, mediaType } = await store.putBlob(bytes, { mediaType: "image/jpeg", expiresAt });
  return { hash, sizeBytes, mediaType };
}

interface Pointer {
  readonly hash: string;
  readonly sizeBytes: number;
  readonly mediaType: string;
}

function frame(mediaTimeMs: number, pointers: { readonly full?: Pointer; readonly thumbnail?: Pointer }) {
  return { type: "frame_captured", mediaTimeMs, embedding: [0.5, 1], ...pointers } satisfies EvidenceInput;
}

async function read(service: LiveService, key: string, event: StoredEvent, hash: string): Promise<string> {
  try {
    const { bytes } = await service.openPicture(key, { sequence: event.sequence, hash });
    let text = "";
    for await (const chunk of bytes) text += Buffer.from(chunk).toString();
    return text;
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}

async function frames({ store }: LiveTest, sessionId: string): Promise<readonly StoredEvent[]> {
  return (await allEvents(store, sessionId)).filter(({ type }) => type === "frame_captured");
}

/** Removes expired pictures after each hour. A ping in each hour shows that nobody abandoned the session. */
async function hours({ service, clock }: LiveTest, count: number, key = "k"): Promise<void> {
  for (let n = 0; n < count; n++) {
    await service.ping(key);
    await clock.advance(HOUR_MS);
    await service.frames.purge();
  }
}

test("a full picture is stored for 7 days and its thumbnail for 30; row, hash and embedding are never deleted", async () => {
  await using live = await liveTest();
  const { service, store, clock } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  const [full, thumbnail] = [await picture(store, "the full one"), await picture(store, "the small one")];
  await live.send("k", frame(1_000, { full, thumbnail }));
  const beganMs = clock.now();
  const [event] = await frames(live, sessionId);
  if (event === undefined) throw new Error("there is no frame");
  const iso = (days: number): string => new Date(beganMs + days * DAY_MS).toISOString();
  expect(event.data).toEqual({
    mediaTimeMs: 1_000,
    embedding: [0.5, 1],
    full: { ...full, expiresAt: iso(7) },
    thumbnail: { ...thumbnail, expiresAt: iso(30) },
  });
  // The pointer does not keep the picture.
  expect(event.blobs ?? []).toEqual([]);
  const both = async (): Promise<readonly string[]> => [
    await read(service, "k", event, full.hash),
    await read(service, "k", event, thumbnail.hash),
  ];
  await clock.advance(7 * DAY_MS - 1);
  expect(await service.frames.purge()).toBe(0);
  expect(await both()).toEqual(["the full one", "the small one"]);
  await clock.advance(1);
  // From then on nobody can read it, even before the bytes are deleted.
  expect(await both()).toEqual(["not_found", "the small one"]);
  expect(await service.frames.purge()).toBe(1);
  expect([await store.statBlob(full.hash), await store.statBlob(thumbnail.hash)]).toEqual([
    null,
    expect.anything(),
  ]);
  await clock.advance(23 * DAY_MS);
  expect(await service.frames.purge()).toBe(1);
  expect(await both()).toEqual(["not_found", "not_found"]);
  expect((await store.listBlobs()).items).toEqual([]);
  expect((await store.listClaims({ prefix: "live/blob/" })).items).toEqual([]);
  expect(await frames(live, sessionId)).toEqual([event]);
  expect((await service.verify("k")).ok).toBe(true);
});

test("the tiers can be configured, and an open session records each removal once", async () => {
  await using live = await liveTest({ frameDays: { full: 1 / 12, thumbnail: 1 / 6 } });
  const { service, store } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  const [full, thumbnail] = [await picture(store, "full"), await picture(store, "small")];
  await live.send("k", said("before", 500), frame(1_000, { full, thumbnail }));
  await hours(live, 6);
  const purged = (await allEvents(store, sessionId)).filter(({ type }) => type === "blob_purged");
  const [{ sequence } = { sequence: 0 }] = await frames(live, sessionId);
  expect(purged.map(({ data }) => data)).toEqual([
    { hash: full.hash, tier: "full", sequence, reason: "expired" },
    { hash: thumbnail.hash, tier: "thumbnail", sequence, reason: "expired" },
  ]);
});

test("a picture cannot be read through an event that only claims to refer to it", async () => {
  await using live = await liveTest();
  const { service, store } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  const full = await picture(store, "of somebody else");
  const pointers = { full: { ...full, expiresAt: "2999-01-01T00:00:00.000Z" } };
  await store.append(sessionId, [{ type: "frame_captured", data: frame(1_000, pointers) }]);
  const [event] = await frames(live, sessionId);
  if (event === undefined) throw new Error("there is no frame");
  expect(await read(service, "k", event, full.hash)).toBe("not_found");
});

test("a picture of two frames is stored until the later frame expires, and then can be read only through that frame", async () => {
  await using live = await liveTest();
  const { service, store, clock } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  const full = await picture(store, "a slide");
  await live.send("k", frame(1_000, { full }));
  await hours(live, 72);
  await live.send("k", frame(2_000, { full }));
  const [first, second] = await frames(live, sessionId);
  if (first === undefined || second === undefined) throw new Error("there are no two frames");
  const both = async (): Promise<readonly string[]> => [
    await read(service, "k", first, full.hash),
    await read(service, "k", second, full.hash),
  ];
  expect(await both()).toEqual(["a slide", "a slide"]);
  await clock.advance(4 * DAY_MS);
  await service.frames.purge();
  expect(await both()).toEqual(["not_found", "a slide"]);
  await clock.advance(3 * DAY_MS);
  await service.frames.purge();
  expect(await both()).toEqual(["not_found", "not_found"]);
  expect(await store.statBlob(full.hash)).toBeNull();
});

test("a frame that is sent again because the answer was lost is stored once: in the same batch, in another one, and together with new pieces", async () => {
  await using live = await liveTest();
  const { service, store, clock } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  const full = await picture(store, "a slide");
  const seen = { ...frame(1_000, { full }), id: "seen" };
  const batch = { producerId: "page", epoch: 0, sequence: 0, evidence: [seen] };
  const first = await service.accept("k", batch);
  await clock.advance(1_000);
  expect((await service.accept("k", batch)).sequences).toEqual([]);
  const heard = said("words", 1_000, { id: "heard" });
  const next = { producerId: "the next page", epoch: 0, sequence: 0, evidence: [seen, heard] };
  expect((await service.accept("k", next)).sequences).toHaveLength(1);
  expect((await frames(live, sessionId)).map(({ sequence }) => sequence)).toEqual(first.sequences);
  const other = { ...batch, sequence: 1, evidence: [{ ...seen, embedding: [1, 1] }] };
  await expect(service.accept("k", other)).rejects.toMatchObject({ code: "conflict" });
  // This is also true of the session that ended.
  await service.close("k");
  await service.open("k", { videoId: "v" });
  const late = { ...batch, producerId: "a third page", sessionId };
  expect((await service.accept("k", late)).sequences).toEqual([]);
  const fresh = { ...late, evidence: [said("never stored", 2_000, { id: "fresh" })] };
  await expect(service.accept("k", fresh)).rejects.toMatchObject({ code: "log_closed" });
});

test("a picture that two sessions share is removed with the later session's frame, and both record it, even if one has ended", async () => {
  await using live = await liveTest();
  const { service, store, clock } = live;
  const { sessionId: first } = await service.open("k", { videoId: "v" });
  const full = await picture(store, "a slide");
  await live.send("k", said("before", 500), frame(1_000, { full }));
  await service.close("k");
  await clock.advance(3 * DAY_MS);
  const { sessionId: second } = await service.open("other", { videoId: "w" });
  await live.send("other", frame(2_000, { full }));
  const [[one], [two]] = [await frames(live, first), await frames(live, second)];
  if (one === undefined || two === undefined) throw new Error("there are no two frames");
  const both = async (): Promise<readonly string[]> => [
    await read(service, "k", one, full.hash),
    await read(service, "other", two, full.hash),
  ];
  await clock.advance(4 * DAY_MS);
  expect(await service.frames.purge()).toBe(0);
  expect(await both()).toEqual(["not_found", "a slide"]);
  await clock.advance(3 * DAY_MS);
  expect(await service.frames.purge()).toBe(1);
  expect(await both()).toEqual(["not_found", "not_found"]);
  expect(await store.statBlob(full.hash)).toBeNull();
  const removed = async (logId: string): Promise<readonly unknown[]> =>
    (await allEvents(store, logId)).flatMap(({ type, data }) => (type === "blob_purged" ? [data] : []));
  const data = { hash: full.hash, tier: "full", reason: "expired" };
  // The log of an ended session is closed, so later records are in a secondary log.
  expect(await removed(first)).toEqual([]);
  expect(await removed(`${first}.pictures`)).toEqual([{ ...data, sequence: one.sequence }]);
  expect(await removed(second)).toEqual([{ ...data, sequence: two.sequence }]);
  expect((await service.verify("k")).ok).toBe(true);
  await service.deleteVideo("v");
  expect(await store.getSession(`${first}.pictures`)).toBeNull();
});

test("the next removal finishes one that was interrupted, and it is recorded once", async () => {
  await using live = await liveTest({ frameDays: { full: 1 / 12 } });
  const { service, store, clock } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  const full = await picture(store, "full");
  await live.send("k", frame(1_000, { full }));
  await clock.advance(2 * HOUR_MS);
  vi.spyOn(store, "deleteClaim").mockRejectedValueOnce(new Error("the store is away"));
  await expect(service.frames.purge()).rejects.toThrow("the store is away");
  expect(await service.frames.purge()).toBe(1);
  expect(await store.statBlob(full.hash)).toBeNull();
  const purged = (await allEvents(store, sessionId)).filter(({ type }) => type === "blob_purged");
  expect(purged).toHaveLength(1);
});

test("bytes that a frame or a person still needs are kept, whatever the store reports about them", async () => {
  await using live = await liveTest();
  const { service, store, clock } = live;
  await service.open("k", { videoId: "v" });
  const [twice, kept] = [await picture(store, "in two frames"), await picture(store, "kept")];
  await live.send("k", frame(1_000, { full: twice }), frame(2_000, { full: kept }));
  await hours(live, 24);
  await live.send("k", frame(3_000, { full: twice }));
  await service.keepPicture("k", kept.hash);
  // The state is the same as if the server had died between the two writes.
  const soon = new Date(clock.now() + 7 * DAY_MS).toISOString();
  for (const { hash } of [twice, kept]) await store.setBlobExpiry(hash, soon);
  await clock.advance(6 * DAY_MS);
  expect(await service.frames.purge()).toBe(0);
  await clock.advance(DAY_MS);
  expect(await service.frames.purge()).toBe(1);
  expect([await store.statBlob(twice.hash), await store.statBlob(kept.hash)]).toEqual([
    null,
    expect.anything(),
  ]);
});

test("a day before a removal each client of the session is warned once, also one that connects later; `keep` ends the warning", async () => {
  await using live = await liveTest({ frameDays: { full: 2 } });
  const { service, store, clock } = live;
  await service.start();
  const { sessionId } = await service.open("k", { videoId: "v" });
  const [kept, lost] = [await picture(store, "kept"), await picture(store, "lost")];
  await live.send("k", frame(1_000, { full: kept }), frame(2_000, { full: lost }));
  const expiresAt = new Date(clock.now() + 2 * DAY_MS).toISOString();
  const heard: { [name: string]: PurgeWarning[] } = { early: [], late: [], other: [], again: [] };
  const listen = (name: string, videoId: string): (() => void) =>
    service.frames.watch(videoId, (warnings) => heard[name]?.push(...warnings));
  listen("early", "v");
  listen("other", "another video");
  await clock.advance(DAY_MS - HOUR_MS);
  expect(heard.early).toEqual([]);
  await clock.advance(HOUR_MS);
  const warning = { tier: "full", sessionId, expiresAt };
  const warnings = [
    { ...warning, hash: kept.hash, mediaTimeMs: 1_000 },
    { ...warning, hash: lost.hash, mediaTimeMs: 2_000 },
  ];
  const inOrder = (list: readonly PurgeWarning[] = []): readonly PurgeWarning[] =>
    list.toSorted((a, b) => a.mediaTimeMs - b.mediaTimeMs);
  await expect.poll(() => inOrder(heard.early)).toEqual(warnings);
  listen("late", "v");
  await expect.poll(() => inOrder(heard.late)).toEqual(warnings);
  await service.keepPicture("k", kept.hash);
  listen("again", "v");
  await expect.poll(() => heard.again).toEqual([warnings[1]]);
  // The server removes the picture by itself, even if no client is connected.
  await clock.advance(DAY_MS + HOUR_MS);
  await expect.poll(() => store.statBlob(lost.hash)).toBeNull();
  expect([heard.early?.length, heard.late?.length, heard.other]).toEqual([2, 2, []]);
  await clock.advance(3 * DAY_MS);
  await service.frames.purge();
  expect(await store.statBlob(kept.hash)).not.toBeNull();
  const [event] = await frames(live, sessionId);
  if (event === undefined) throw new Error("there is no frame");
  expect(await read(service, "k", event, kept.hash)).toBe("kept");
});

test("pictures are removed even if no client is connected", async () => {
  await using live = await liveTest();
  await live.service.start();
  await live.service.open("k", { videoId: "v" });
  const full = await picture(live.store, "alone");
  await live.send("k", frame(1_000, { full }));
  await live.clock.advance(7 * DAY_MS + 2 * HOUR_MS);
  await expect.poll(() => live.store.statBlob(full.hash)).toBeNull();
});

test("a picture of another video, and one that was removed, cannot be kept", async () => {
  await using live = await liveTest();
  const { service, store, clock } = live;
  await service.open("k", { videoId: "v" });
  await service.open("other", { videoId: "w" });
  const full = await picture(store, "mine");
  await live.send("k", frame(1_000, { full }));
  for (const [key, hash] of [
    ["other", full.hash],
    ["k", "f".repeat(64)],
    ["k", `${full.hash}/`],
  ] as const) {
    await expect(service.keepPicture(key, hash)).rejects.toMatchObject({ code: "not_found" });
  }
  await clock.advance(7 * DAY_MS);
  await service.frames.purge();
  await expect(service.keepPicture("k", full.hash)).rejects.toMatchObject({ code: "not_found" });
});

test("deleting a video deletes its evidence, pictures and audio and leaves tombstones; other videos do not change", async () => {
  const transcriber = { name: "away", transcribe: () => Promise.reject(new Error("away")) };
  await using live = await liveTest({ transcriber });
  const { service, store } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  await service.open("other", { videoId: "w" });
  const pictures = [
    await picture(store, "only here"),
    await picture(store, "kept"),
    await picture(store, "in both"),
  ];
  const [only, kept, shared] = pictures;
  if (only === undefined || kept === undefined || shared === undefined) throw new Error("no pictures");
  await live.send("k", frame(1, { full: only }), frame(2, { full: kept }), frame(3, { full: shared }));
  await live.send("other", frame(1, { thumbnail: shared }));
  await service.keepPicture("k", kept.hash);
  await service.keepPicture("k", shared.hash);
  const bytes = Buffer.concat([Buffer.from("RIFF\u0024\0\0\0WAVEfmt "), Buffer.alloc(64)]);
  await service.acceptAudio("k", { bytes, mediaType: "audio/wav", startMs: 0, endMs: 1_000 });
  expect((await store.listBlobs()).items).toHaveLength(4);
  await service.close("k");
  expect(await service.deleteVideo("v")).toBe(1);
  expect((await store.listBlobs()).items.map(({ hash }) => hash)).toEqual([shared.hash]);
  expect((await store.listDeletedLogs({ logId: sessionId })).items).toMatchObject([
    { logId: sessionId, reason: "the video was deleted" },
  ]);
  expect((await store.listClaims({ prefix: "live/kept/" })).items).toEqual([]);
  // The thumbnail of the other video stays until its own time ends.
  await live.clock.advance(30 * DAY_MS);
  expect(await service.frames.purge()).toBe(1);
  expect((await store.listBlobs()).items).toEqual([]);
});

test("a page sends pictures and speech, is warned over its socket, and keeps a picture", async () => {
  await using store = await openStore("memory:");
  const clock = fakeClock(() => new Promise((resolve) => setTimeout(resolve, 5)));
  const transcriber = {
    name: "scripted",
    transcribe: async () => ({ segments: [{ text: "spoken", startMs: 0, endMs: 500 }] }),
  };
  const live = {
    workspaceIds: [store.workspaceId],
    clock,
    noteWriters: [scriptedWriter()],
    transcriber,
    frameDays: { full: 26 / 24 },
  };
  const server = await openServer(store, { live });
  await using _closing = { [Symbol.asyncDispose]: () => server.close() };
  const seen: LiveServerFrame[] = [];
  const client = await openLive({
    serverUrl: server.url,
    key: "tab",
    videoId: "v",
    onFrame: (one) => seen.push(one),
  });
  const full = await client.addPicture(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), "image/png");
  expect(full).toMatchObject({ mediaType: "image/png", sizeBytes: 8 });
  await client.add(frame(1_000, { full }));
  const bytes = Buffer.concat([Buffer.from("RIFF\u0024\0\0\0WAVEfmt "), Buffer.alloc(64)]);
  const speech = { mediaType: "audio/wav", startMs: 2_000, endMs: 3_000, lang: "en", id: "one" };
  const spoken = await client.addAudio({ bytes, ...speech });
  expect(spoken.sequences).toHaveLength(1);
  expect((await client.addAudio({ bytes: new Blob([bytes]), ...speech })).sequences).toEqual(
    spoken.sequences,
  );
  await expect(client.addAudio({ bytes: Buffer.from("no audio"), ...speech })).rejects.toMatchObject({
    code: "invalid",
  });
  const keepAlive = (): Promise<unknown> =>
    fetch(`${server.url}/v1/live/tab/ping`, { method: "POST" }).then(() => clock.advance(HOUR_MS));
  for (let n = 0; n < 3; n++) await keepAlive();
  const warned = (): readonly string[] =>
    seen.flatMap((one) => (one.type === "purge_warning" ? one.blobs.map(({ hash }) => hash) : []));
  // After a lost connection the client is warned again.
  await expect.poll(() => [...new Set(warned())]).toEqual([full.hash]);
  const expiring = async (): Promise<unknown> => (await fetch(`${server.url}/v1/live/tab/expiring`)).json();
  const { sessionId } = client;
  const due = { hash: full.hash, tier: "full", sessionId, mediaTimeMs: 1_000, expiresAt: expect.any(String) };
  expect(await expiring()).toEqual({ pictures: [due], access: ["read", "write"] });
  await client.keep(full.hash);
  expect(await expiring()).toMatchObject({ pictures: [] });
  for (let n = 0; n < 30; n++) await keepAlive();
  expect(await store.statBlob(full.hash)).not.toBeNull();
  await expect(client.keep("f".repeat(64))).rejects.toMatchObject({ code: "not_found" });
  // The warning also names the pictures of an ended session.
  const last = await client.addPicture(Buffer.from("\x89PNG\r\n\x1a\nlast", "latin1"), "image/png");
  await client.add(frame(5_000, { full: last }));
  for (let n = 0; n < 3; n++) await keepAlive();
  await client.end();
  expect(await expiring()).toMatchObject({ pictures: [{ hash: last.hash, mediaTimeMs: 5_000 }] });
  client.close();
});
