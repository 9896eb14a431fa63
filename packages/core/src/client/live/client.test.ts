/** The client of a continuous session against a server that the test plays: each request waits until it is answered. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeSocket } from "../../../../../test/channels/fake-socket.ts";
import type { EvidenceInput } from "../../wire/index.ts";
import { type LiveClient, type OpenLiveOptions, openLive } from "./client.ts";
import { LIMITS } from "./limits.ts";
import { memoryOutbox, type OutboxBatch } from "./outbox.ts";

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

type Reply = object | "never" | { readonly error: { readonly code: string } };

const CAPTION = { type: "note", text: "x" } as unknown as EvidenceInput;
const OPENED = { sessionId: "s1", videoId: "v1" };

let requests: SentRequest[];
let replyTo: (request: SentRequest) => Reply;
let clients: LiveClient[];
beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.opened.length = 0;
  vi.stubGlobal("WebSocket", FakeSocket);
  requests = [];
  clients = [];
  replyTo = ({ method }) => (method === "PUT" ? OPENED : { ok: true });
  vi.stubGlobal("fetch", async (url: string, { method = "GET", body = null, signal }: RequestInit = {}) => {
    const { pathname, search } = new URL(url);
    const text = typeof body === "string" ? JSON.parse(body) : null;
    const request = { method, path: `${pathname}${search}`, body: text };
    requests.push(request);
    const reply = replyTo(request);
    if (reply === "never") return await new Promise((_, reject) => signal?.addEventListener("abort", reject));
    return Response.json(reply, { status: "error" in reply ? 400 : 200 });
  });
});
afterEach(() => {
  for (const client of clients) client.close();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function open(more: Partial<OpenLiveOptions> = {}): Promise<LiveClient> {
  const client = await openLive({
    serverUrl: "http://localhost",
    key: "talk",
    videoId: "v1",
    title: "Talk",
    ...more,
  });
  clients.push(client);
  return client;
}

function sent(path: string): readonly SentRequest[] {
  return requests.filter((one) => one.path.startsWith(`/v1/live/talk${path}`));
}

/** Waits until all work is done that does not wait for a timer. */
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

test("evidence that a page left behind in a session that has ended since is sent by the next page", async () => {
  const outbox = memoryOutbox();
  const batches = [{ sequence: 4, evidence: [CAPTION] }];
  await outbox.reset({ producerId: "p", sessionId: "ended", nextSequence: 5, batches });
  replyTo = ({ method, body }) => {
    const { sessionId } = (body ?? {}) as { readonly sessionId?: string };
    if (sessionId === "ended") return { error: { code: "log_closed", message: "it has ended" } };
    return method === "PUT" ? OPENED : { ok: true };
  };
  const client = await open({ outbox });
  expect(client.waiting).toBe(1);
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  expect(sent("/evidence").at(-1)?.body).toMatchObject({ sessionId: "s1", sequence: 0, evidence: [CAPTION] });
  expect([client.waiting, (await outbox.load())?.batches]).toEqual([0, []]);
});

test("when the session has ended, frames come from the next session of the key", async () => {
  const client = await open();
  FakeSocket.opened.at(-1)?.accept();
  replyTo = ({ method, body }) => {
    if (method === "PUT") return { ...OPENED, sessionId: "s2" };
    const { sessionId } = (body ?? {}) as { readonly sessionId?: string };
    return sessionId === "s1" ? { error: { code: "log_closed", message: "it has ended" } } : { ok: true };
  };
  const stored = client.add(CAPTION);
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  await stored;
  expect(client.sessionId).toBe("s2");
  expect(FakeSocket.opened).toHaveLength(2);
});

test("a page that joined the session of another video asks for the outline of its own video", async () => {
  replyTo = ({ method }) => (method === "PUT" ? { ...OPENED, videoId: "v2" } : { ok: true });
  const joined = await open({ videoId: "v1" });
  await joined.outline();
  replyTo = () => OPENED;
  await (await open({ videoId: "v1" })).outline();
  expect(sent("/outline").map(({ path }) => path)).toEqual([
    "/v1/live/talk/outline?videoId=v1",
    "/v1/live/talk/outline",
  ]);
});

test("after a refused token the client tries again only rarely, and after a busy server more often at first", async () => {
  const triesIn = async (code: string): Promise<number> => {
    const client = await open();
    requests.length = 0;
    replyTo = () => ({ error: { code, message: "no" } });
    client.add(CAPTION).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs / 2 - 1);
    client.close();
    return sent("/evidence").length;
  };
  expect(await triesIn("unauthorized")).toBe(1);
  replyTo = () => OPENED;
  expect(await triesIn("busy")).toBeGreaterThan(2);
});

test("evidence that waits when its client is closed is rejected, and stays in the outbox", async () => {
  const outbox = memoryOutbox();
  const client = await open({ outbox });
  replyTo = () => "never";
  const stored = client.add(CAPTION);
  await settle();
  client.close();
  await expect(stored).rejects.toMatchObject({ code: "unavailable" });
  expect((await outbox.load())?.batches).toHaveLength(1);
});

test("evidence that the outbox still stores when its client is closed is rejected, and stays in the outbox", async () => {
  const outbox = memoryOutbox();
  const client = await open({ outbox });
  const codes: string[] = [];
  for (const added of [client.add(CAPTION), client.add(CAPTION)]) {
    added.catch(({ code }: { readonly code: string }) => codes.push(code));
  }
  client.close();
  await settle();
  expect(codes).toEqual(["unavailable", "unavailable"]);
  expect((await outbox.load())?.batches.map(({ sequence }) => sequence)).toEqual([0, 1]);
  expect(sent("/evidence")).toEqual([]);
});

test("a client that is closed while it asks for the next session leaves the outbox to the next client", async () => {
  const outbox = memoryOutbox();
  const client = await open({ outbox });
  const opening = Promise.withResolvers<void>();
  const answer = globalThis.fetch;
  vi.stubGlobal("fetch", async (url: string, init: RequestInit = {}) => {
    if (init.method === "PUT") await opening.promise;
    return await answer(url, init);
  });
  replyTo = ({ method }) =>
    method === "PUT"
      ? { ...OPENED, sessionId: "s2" }
      : { error: { code: "log_closed", message: "it has ended" } };
  const stored = client.add(CAPTION);
  stored.catch(() => undefined);
  await settle();
  const before = await outbox.load();
  client.close();
  opening.resolve();
  await settle();
  await expect(stored).rejects.toMatchObject({ code: "unavailable" });
  expect([before?.sessionId, await outbox.load()]).toEqual(["s1", before]);
});

test("a full outbox refuses more evidence", async () => {
  const outbox = memoryOutbox();
  const batches = Array.from({ length: LIMITS.outboxBatches }, (_, sequence) => ({ sequence, evidence: [] }));
  await outbox.reset({ producerId: "p", sessionId: "s1", nextSequence: batches.length, batches });
  replyTo = ({ method }) => (method === "PUT" ? OPENED : "never");
  const client = await open({ outbox });
  await expect(client.add(CAPTION)).rejects.toMatchObject({
    code: "too_large",
    details: { limit: LIMITS.outboxBatches },
  });
});

test("a recording is sent with its place, its language, its speaker and its video", async () => {
  const client = await open();
  const facts = { startMs: 1_000, endMs: 2_500, lang: "en", speaker: "Ann", videoId: "v3", id: "r1" };
  await client.addAudio({ bytes: new Uint8Array([1]), mediaType: "audio/wav", ...facts });
  const [{ path } = { path: "" }] = sent("/audio");
  expect(Object.fromEntries(new URLSearchParams(path.split("?")[1]))).toEqual({
    ...facts,
    startMs: "1000",
    endMs: "2500",
  });
});

test("evidence that the server refuses is rejected, and what follows is stored", async () => {
  const refused = { type: "note", text: "too long" } as unknown as EvidenceInput;
  replyTo = ({ method, body }) => {
    const { evidence = [] } = (body ?? {}) as { readonly evidence?: readonly object[] };
    if (JSON.stringify(evidence).includes("too long"))
      return { error: { code: "invalid", message: "the note is too long" } };
    return method === "PUT" ? OPENED : { ok: true };
  };
  const client = await open();
  const first = expect(client.add(refused)).rejects.toMatchObject({ code: "invalid" });
  const second = client.add(CAPTION);
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  await first;
  expect([await second, client.waiting]).toEqual([{ ok: true }, 0]);
});

test("evidence is in the outbox before it is sent", async () => {
  const outbox = memoryOutbox();
  const kept = Promise.withResolvers<void>();
  const slow = {
    ...outbox,
    add: async (batch: OutboxBatch) => {
      await kept.promise;
      await outbox.add(batch);
    },
  };
  const client = await open({ outbox: slow });
  const added = client.add(CAPTION);
  await settle();
  expect(sent("/evidence")).toEqual([]);
  kept.resolve();
  expect(await added).toEqual({ ok: true });
});

test("a session ends after all speech is stored, and a closed client sends no more signs of its presence", async () => {
  const stored = Promise.withResolvers<void>();
  const client = await open();
  const box = client.addAudio({ bytes: new Uint8Array([1]), mediaType: "audio/webm", startMs: 0, endMs: 10 });
  const slow = fetch;
  vi.stubGlobal("fetch", async (url: string, init: RequestInit = {}) => {
    if (url.includes("/audio")) await stored.promise;
    return await slow(url, init);
  });
  const later = client.addAudio({
    bytes: new Uint8Array([2]),
    mediaType: "audio/webm",
    startMs: 10,
    endMs: 20,
  });
  const ending = client.end();
  await settle();
  expect(requests.filter(({ method }) => method === "DELETE")).toEqual([]);
  stored.resolve();
  await Promise.all([box, later, ending]);
  expect(requests.at(-1)).toMatchObject({ method: "DELETE" });
  client.close();
  const before = requests.length;
  await vi.advanceTimersByTimeAsync(2 * LIMITS.pingMs);
  expect(requests).toHaveLength(before);
});

test("a refused token is reported, and another one sends what waits at once", async () => {
  const refusals: string[] = [];
  const client = await open({ token: "old", onRefused: ({ code }) => void refusals.push(code) });
  const tokens: unknown[] = [];
  const { fetch: played } = globalThis;
  vi.stubGlobal("fetch", async (url: string, init: RequestInit = {}) => {
    if (url.endsWith("/evidence")) tokens.push(new Headers(init.headers).get("authorization"));
    return await played(url, init);
  });
  replyTo = () => ({ error: { code: "unauthorized", message: "no" } });
  const stored = client.add(CAPTION);
  await settle();
  expect(refusals).toEqual(["unauthorized"]);
  replyTo = () => ({ ok: true });
  client.useToken("new");
  await settle();
  expect([await stored, tokens]).toEqual([{ ok: true }, ["Bearer old", "Bearer new"]]);
});

test("evidence is sent again at once when the server's session was repaired", async () => {
  const client = await open();
  replyTo = () => ({ error: { code: "degraded", message: "it is damaged" } });
  for (let tries = 0; tries < 12; tries++) {
    client.add(CAPTION).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  }
  // The last socket may be closed, and the next one not yet open.
  const sockets = FakeSocket.opened.length;
  while (FakeSocket.opened.length === sockets) await vi.advanceTimersByTimeAsync(100);
  const before = sent("/evidence").length;
  replyTo = () => ({ ok: true });
  FakeSocket.opened.at(-1)?.say({ type: "backpressure", level: "none" });
  await settle();
  expect(sent("/evidence").length).toBeGreaterThan(before);
  expect(client.waiting).toBe(0);
});

test("after a gap in the numbers the waiting evidence is numbered again, and its callers get their answers", async () => {
  const outbox = memoryOutbox();
  await outbox.reset({ producerId: "p", sessionId: "s1", nextSequence: 9, batches: [] });
  replyTo = ({ method, body }) => {
    if (method === "PUT") return OPENED;
    const { sequence } = (body ?? {}) as { readonly sequence?: number };
    return sequence === 9 ? { error: { code: "sequence_gap", message: "0 comes first" } } : { ok: true };
  };
  const client = await open({ outbox });
  const stored = client.add(CAPTION);
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  expect(await stored).toEqual({ ok: true });
  const bodies = sent("/evidence").map(({ body }) => body as { producerId: string; sequence: number });
  expect(bodies.map(({ sequence }) => sequence)).toEqual([9, 0]);
  // Another producer numbers its evidence from 0.
  expect(new Set(bodies.map(({ producerId }) => producerId)).size).toBe(2);
});

test("a closed client refuses evidence, and evidence that the outbox cannot keep is refused and not sent", async () => {
  const full = { ...memoryOutbox(), add: () => Promise.reject(new Error("the disk is full")) };
  const client = await open({ outbox: full });
  await expect(client.add(CAPTION)).rejects.toThrow("the disk is full");
  await settle();
  expect([sent("/evidence"), client.waiting]).toEqual([[], 0]);
  client.close();
  await expect(client.add(CAPTION)).rejects.toMatchObject({ code: "unavailable" });
});

test("speech that the server cannot take at all is refused, and not tried without end", async () => {
  const client = await open();
  replyTo = () => ({ error: { code: "unsupported", message: "no transcripts here" } });
  const speech = { bytes: new Uint8Array([1]), mediaType: "audio/webm", startMs: 0, endMs: 10 };
  await expect(client.addAudio(speech)).rejects.toMatchObject({ code: "unsupported" });
  expect(sent("/audio")).toHaveLength(1);
});

test("evidence that is acknowledged leaves the outbox", async () => {
  const outbox = memoryOutbox();
  const client = await open({ outbox });
  await client.add(CAPTION);
  expect((await outbox.load())?.batches).toEqual([]);
});
