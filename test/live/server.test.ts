import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryOutbox, openLive } from "@continuo/core/client/live";
import { canonicalJson } from "@continuo/core/model";
import type { EvidenceInput, LiveServerFrame, LiveSession, WireEvent } from "@continuo/core/wire";
import { extractiveWriter } from "@continuo/live";
import { createAuthenticate, type ServerHandle, type ServerOptions } from "@continuo/server";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { sha256 } from "../../packages/live/src/kit/index.ts";
import { openServer } from "../server/harness/open-server.ts";
import { type FakeClock, fakeClock } from "./fake-clock.ts";
import { said, scriptedWriter } from "./live-session.ts";

interface Opened extends AsyncDisposable {
  readonly store: Awaited<ReturnType<typeof openStore>>;
  readonly clock: FakeClock;
  readonly writer: ReturnType<typeof scriptedWriter>;
  readonly server: ServerHandle;
}

async function opened(options: Partial<ServerOptions> = {}): Promise<Opened> {
  const store = await openStore("memory:");
  const writer = scriptedWriter();
  // The fake clock opens and closes windows; requests and sockets take real time.
  const clock = fakeClock(() => new Promise((resolve) => setTimeout(resolve, 5)));
  const live = { workspaceIds: [store.workspaceId], clock, noteWriters: [writer] };
  const authenticate = options.authenticate === undefined ? {} : { authenticate: createAuthenticate(store) };
  const server = await openServer(store, { live, ...options, ...authenticate });
  return {
    store,
    clock,
    writer,
    server,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await store.close();
    },
  };
}

/** Waits until the owner has seen the evidence, and advances the clock to the batch. */
async function processed({ clock }: Opened, ms: number): Promise<void> {
  await expect.poll(() => clock.isDue(ms)).toBe(true);
  await clock.advance(ms);
}

function collector(): {
  readonly frames: LiveServerFrame[];
  readonly onFrame: (frame: LiveServerFrame) => void;
} {
  const frames: LiveServerFrame[] = [];
  return { frames, onFrame: (frame) => frames.push(frame) };
}

function typesOf(frames: readonly LiveServerFrame[]): readonly string[] {
  return frames.flatMap((frame) => (frame.type === "event" ? [frame.event.type] : []));
}

test("a client adds evidence, sees the note appear, edits it, and ends the session", async () => {
  await using live = await opened();
  const { frames, onFrame } = collector();
  const client = await openLive({
    serverUrl: live.server.url,
    key: "tab/1",
    videoId: "v",
    title: "T",
    onFrame,
  });
  const acknowledged = await client.add(said("the bridge is closed", 2_000));
  expect(acknowledged).toMatchObject({ depth: 1, level: "normal" });
  await processed(live, 4_100);
  await expect.poll(() => typesOf(frames)).toContain("note_written");
  // The event of a frame and the answer to a request come from two readers of the log.
  await expect.poll(() => client.notes()).toHaveLength(1);
  const [note] = await client.notes();
  expect(note).toMatchObject({
    text: "the bridge is closed",
    startMs: 2_000,
    status: "written",
    by: "agent",
  });

  const noteId = note?.noteId ?? "";
  await client.operate(noteId, { operation: "edit", text: "The bridge is closed today." });
  expect(await client.notes()).toMatchObject([{ noteId, text: "The bridge is closed today.", by: "person" }]);
  await client.operate(noteId, { operation: "undo" });
  expect(await client.notes()).toMatchObject([{ noteId, text: "the bridge is closed", by: "agent" }]);
  await expect(client.operate(noteId, { operation: "undo" })).rejects.toMatchObject({ code: "conflict" });

  expect(await client.session()).toMatchObject({ key: "tab/1", videoId: "v", title: "T", noteIds: [noteId] });
  const list = (await (await fetch(`${live.server.url}/v1/live`)).json()) as { sessions: { key: string }[] };
  expect(list.sessions.map(({ key }) => key)).toEqual(["tab/1"]);
  expect(await client.end()).toMatchObject({ state: "closed" });
  client.close();
});

test("notes can be merged and split by a person, and their sources are archived with lineage", async () => {
  await using live = await opened();
  const client = await openLive({ serverUrl: live.server.url, key: "k", videoId: "v" });
  for (const [text, at] of [
    ["one", 0],
    ["two", 60_000],
  ] as const) {
    await client.add(said(text, at));
    await processed(live, 13_000);
  }
  await expect.poll(async () => (await client.notes()).length).toBe(2);
  const [a, b] = await client.notes();
  await client.operate(a?.noteId ?? "", { operation: "merge", noteIds: [b?.noteId ?? ""] });
  const [merged, ...others] = await client.notes();
  expect(others).toEqual([]);
  expect(merged).toMatchObject({
    text: "one\n\ntwo",
    startMs: 0,
    endMs: 60_000,
    lineage: [a?.noteId, b?.noteId],
  });
  const parts = [
    { text: "first", startMs: 0, endMs: 1_000 },
    { text: "second", startMs: 60_000, endMs: 60_000 },
  ];
  await client.operate(merged?.noteId ?? "", { operation: "split", parts });
  expect((await client.notes()).map(({ text, lineage }) => [text, lineage])).toEqual([
    ["first", [merged?.noteId]],
    ["second", [merged?.noteId]],
  ]);
  client.close();
});

test("evidence for a session that ended goes to the next session of the key, also after a reload, once", async () => {
  await using live = await opened();
  const outbox = memoryOutbox();
  const options = { serverUrl: live.server.url, key: "k", videoId: "v", outbox };
  const first = await openLive(options);
  await first.add(said("stored in the first session"));
  const parentId = first.sessionId;
  // The laptop sleeps: evidence that it adds now stays in its outbox, and the session ends without it.
  first.close();
  const state = await outbox.load();
  await outbox.add({ sequence: state?.nextSequence ?? 0, evidence: [said("said while nobody listened")] });
  await fetch(`${live.server.url}/v1/live/k`, { method: "DELETE" });

  const second = await openLive(options);
  await second.flushed();
  expect(second.waiting).toBe(0);
  await expect.poll(() => second.session()).toMatchObject({ parentId, depth: 1 });
  expect((await outbox.load())?.batches).toEqual([]);
  const { events } = await live.store.read(second.sessionId, { types: ["transcript_added"] });
  expect(events.map(({ data }) => (data as { text: string }).text)).toEqual(["said while nobody listened"]);
  second.close();
});

test("evidence that was stored, but whose answer was lost, is not stored again in the next session", async () => {
  await using live = await opened();
  const outbox = memoryOutbox();
  const options = { serverUrl: live.server.url, key: "k", videoId: "v", outbox };
  const first = await openLive(options);
  const evidence = [said("once")];
  await first.add(...evidence);
  first.close();
  // The page was closed after the server stored the evidence and before the outbox removed it.
  const state = await outbox.load();
  if (state !== null) await outbox.reset({ ...state, batches: [{ sequence: 0, evidence }] });
  await fetch(`${live.server.url}/v1/live/k`, { method: "DELETE" });
  const second = await openLive(options);
  await second.flushed();
  const { events } = await live.store.read((await second.session()).sessionId, {
    types: ["transcript_added"],
  });
  expect(events).toEqual([]);
  second.close();
});

test("a client reports that the server answered, and that its connection was lost", async () => {
  await using live = await opened();
  const connections: string[] = [];
  const onConnection = (connection: string): number => connections.push(connection);
  const client = await openLive({ serverUrl: live.server.url, key: "k", videoId: "v", onConnection });
  await expect.poll(() => connections).toEqual(["open"]);
  await live.server.close();
  await expect.poll(() => connections.slice(0, 2)).toEqual(["open", "lost"]);
  client.close();
});

test("the limit of questions about one session leaves those about another session free", async () => {
  await using live = await opened();
  const clients = [];
  for (const key of ["k", "other"]) {
    clients.push(await openLive({ serverUrl: live.server.url, key, videoId: "v" }));
  }
  const [client, other] = clients;
  const answers = await Promise.allSettled(Array.from({ length: 100 }, () => client?.ask("What is this?")));
  const refused = answers.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
  expect(refused.length).toBeGreaterThan(0);
  expect(new Set(refused)).toEqual(new Set(["rate_limited"]));
  expect(answers.filter(({ status }) => status === "fulfilled").length).toBeGreaterThanOrEqual(10);
  expect(await other?.ask("What is this?")).toMatchObject({ text: "Nothing was noted yet." });
  for (const one of clients) one.close();
});

test("levels are sent when a client joins and when the depth grows", async () => {
  await using live = await opened();
  const { frames, onFrame } = collector();
  const client = await openLive({ serverUrl: live.server.url, key: "k", videoId: "v", onFrame });
  const levels = (): readonly string[] =>
    frames.flatMap((frame) => (frame.type === "backpressure" ? [frame.level] : []));
  await expect.poll(levels).toEqual(["normal"]);
  const many = Array.from({ length: 60 }, (_, n) => said(`words ${n}`, n));
  expect(await client.add(...many)).toMatchObject({ depth: 60, level: "warning" });
  await expect.poll(levels).toContain("warning");
  client.close();
});

test("a client of a degraded session learns that it was repaired, and that its own evidence was stored then", async () => {
  await using live = await opened();
  const { store, clock, server } = live;
  const first = await openLive({ serverUrl: server.url, key: "k", videoId: "v" });
  await first.add(said("the first words", 1_000));
  const { sessionId } = first;
  const newest = (): ReturnType<typeof store.getLatestSnapshot> =>
    store.getLatestSnapshot({ logId: sessionId, name: "live" });
  await expect
    .poll(async () => {
      await clock.advance(301_000);
      return newest();
    })
    .not.toBeNull();
  first.close();
  await server.close();
  const snapshot = await newest();
  const data = structuredClone(snapshot?.data) as { fold: { lastInput: number } };
  data.fold.lastInput = 99;
  await store.putSnapshot({ logId: sessionId, name: "live", sequence: snapshot?.sequence ?? 0, data });

  const again = await openServer(store, { live: { workspaceIds: [store.workspaceId] } });
  try {
    const { frames, onFrame } = collector();
    const client = await openLive({ serverUrl: again.url, key: "k", videoId: "v", onFrame });
    const states = (): readonly string[] =>
      frames.flatMap((frame) => (frame.type === "backpressure" ? [frame.state] : []));
    await expect.poll(() => frames.map(({ type }) => type)).toContain("degraded");
    await expect.poll(async () => (await store.getSession(sessionId))?.status).toBe("degraded");
    const waiting = client.add(said("words while nothing could be stored", 2_000));
    await fetch(`${again.url}/v1/live/k/repair`, { method: "POST" });
    await expect.poll(() => states().at(-1)).not.toBe("degraded");
    expect((await waiting).sequences).toHaveLength(1);
    client.close();
  } finally {
    await again.close();
  }
});

test("a token gives access only to the keys that its scopes name, and only with the rights that they name", async () => {
  await using live = await opened({ authenticate: async () => Promise.reject(new Error("replaced")) });
  const tokenFor = async (scope: string): Promise<string> =>
    (await live.store.createToken({ scopes: [scope] })).secret;
  const put = async (key: string, token?: string): Promise<number> =>
    (
      await fetch(`${live.server.url}/v1/live/${key}`, {
        method: "PUT",
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        body: JSON.stringify({ videoId: "v" }),
      })
    ).status;
  const writer = await tokenFor("live:mine:read,write");
  const reader = await tokenFor("live:mine:read");
  expect([
    await put("mine"),
    await put("mine", reader),
    await put("mine", writer),
    await put("yours", writer),
  ]).toEqual([401, 403, 201, 403]);
  const status = async (path: string, token: string): Promise<number> =>
    (await fetch(`${live.server.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await status("/v1/live/mine", reader)).toBe(200);
  const { frames, onFrame } = collector();
  const client = await openLive({
    serverUrl: live.server.url,
    token: writer,
    key: "mine",
    videoId: "v",
    onFrame,
  });
  await expect.poll(() => frames.map(({ type }) => type)).toContain("ready");
  client.close();
});

test("a token cannot read another token's picture by naming its hash in a frame of its own", async () => {
  await using live = await opened({ authenticate: async () => Promise.reject(new Error("replaced")) });
  const tokens = await Promise.all(
    ["ours", "theirs"].map(
      async (key) => (await live.store.createToken({ scopes: [`live:${key}:read,write`] })).secret,
    ),
  );
  const post = async (path: string, token: string | undefined, body: string): Promise<unknown> =>
    (
      await fetch(`${live.server.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "image/jpeg" },
        body,
      })
    ).json();
  const picture = (await post("/v1/blobs", tokens[0], "a face")) as { readonly hash: string };
  for (const [n, key] of ["ours", "theirs"].entries()) {
    const client = await openLive({ serverUrl: live.server.url, token: tokens[n] ?? "", key, videoId: "v" });
    await client.add({
      type: "frame_captured",
      mediaTimeMs: 0,
      full: { hash: picture.hash, mediaType: "image/jpeg", sizeBytes: 6 },
    });
    const { events } = await live.store.read(client.sessionId, { types: ["frame_captured"] });
    const path = `/v1/live/${key}/blobs/${picture.hash}?sequence=${events[0]?.sequence}`;
    const answer = await fetch(`${live.server.url}${path}`, {
      headers: { authorization: `Bearer ${tokens[n]}` },
    });
    expect([key, answer.status]).toEqual([key, n === 0 ? 200 : 404]);
    client.close();
  }
});

const REFUSED: readonly (readonly [string, unknown, string])[] = [
  ["no video", {}, "invalid"],
  ["another lane", { videoId: "v", lanes: "three" }, "invalid"],
  ["an unknown note writer", { videoId: "v", noteWriter: "nobody" }, "not_found"],
  ["an unknown field", { videoId: "v", budgets: { maxTokens: 1 } }, "invalid"],
  ["an unknown field of its budget", { videoId: "v", budget: { maxToken: 1 } }, "invalid"],
];
for (const [what, body, code] of REFUSED) {
  test(`a request for a session with ${what} is refused`, async () => {
    await using live = await opened();
    const answer = await fetch(`${live.server.url}/v1/live/k`, { method: "PUT", body: JSON.stringify(body) });
    expect(((await answer.json()) as { error: { code: string } }).error.code).toBe(code);
  });
}

const HOSTILE: readonly (readonly [string, unknown])[] = [
  ["an unknown type", { type: "note_written", noteId: "n", content: "x" }],
  ["an unknown field", { type: "transcript_added", text: "x", mediaTimeMs: 0, audioId: "a" }],
  ["a media time that is not whole", { type: "transcript_added", text: "x", mediaTimeMs: 0.5 }],
  ["a negative media time", { type: "remark_added", text: "x", mediaTimeMs: -1 }],
  ["an end before its start", { type: "remark_added", text: "x", mediaTimeMs: 5, endMs: 4 }],
  [
    "a blob that is not a hash",
    { type: "frame_captured", mediaTimeMs: 0, full: { hash: "../x", mediaType: "a", sizeBytes: 1 } },
  ],
  ["an embedding that is not a vector", { type: "frame_captured", mediaTimeMs: 0, embedding: ["a"] }],
];
for (const [what, evidence] of HOSTILE) {
  test(`evidence with ${what} is refused, and nothing of its batch is stored`, async () => {
    await using live = await opened();
    const client = await openLive({ serverUrl: live.server.url, key: "k", videoId: "v" });
    await expect(client.add(said("fine"), evidence as EvidenceInput)).rejects.toMatchObject({
      code: "invalid",
      details: { index: 1 },
    });
    expect(await client.add(said("what comes next"))).toMatchObject({ depth: 1 });
    const { events } = await live.store.read(client.sessionId, { types: ["transcript_added"] });
    expect(events).toHaveLength(1);
    client.close();
  });
}

test("evidence has the hash of its payload, over HTTP and on the socket, and an answer without a model is marked as a quote", async () => {
  await using live = await opened({ live: { workspaceIds: [], noteWriters: [extractiveWriter()] } });
  const { frames, onFrame } = collector();
  const client = await openLive({ serverUrl: live.server.url, key: "k", videoId: "v", onFrame });
  await client.add(said("The harbour opens at dawn", 1_000));
  const get = async (path: string, init: RequestInit = {}): Promise<unknown> =>
    (await fetch(`${live.server.url}/v1/live/k${path}`, init)).json();
  const { events } = (await get("/evidence")) as { readonly events: readonly WireEvent[] };
  const hash = sha256(canonicalJson(events[0]?.data));
  expect(events).toMatchObject([{ type: "transcript_added", hash }]);
  await expect
    .poll(() => frames.find((frame) => frame.type === "event" && frame.event.type === "transcript_added"))
    .toMatchObject({ event: { hash } });
  const body = JSON.stringify({ question: "When does the harbour open?", mediaTimeMs: 1_000 });
  const asked = await get("/ask", { method: "POST", body, headers: { "content-type": "application/json" } });
  expect(asked).toMatchObject({ text: "The harbour opens at dawn", by: "quote", evidence: [events[0]?.id] });
  client.close();
});

test("/metrics has the numbers of continuous sessions, and the target of each measure of success", async () => {
  await using live = await opened();
  const client = await openLive({ serverUrl: live.server.url, key: "k", videoId: "v" });
  await client.add(said("The harbour opens at dawn", 1_000));
  await live.clock.advance(5_000);
  await client.end();
  client.close();
  const text = await (await fetch(`${live.server.url}/metrics`)).text();
  for (const series of [
    'continuo_live_messages_total{type="transcript_added"} ',
    'continuo_live_notes_total{action="write"} ',
    "continuo_live_depth_sum ",
    'continuo_live_batch_size_count{lane="all"} ',
    'continuo_live_checkpoint_duration_count{outcome="done"} ',
    'continuo_live_transitions_total{from="active",to="closed"} ',
    'continuo_live_success_ratio{measure="checkpoints"} 1\n',
    'continuo_live_success_ratio{measure="closed"} 1\n',
    'continuo_live_success_ratio{measure="coverage"} 1\n',
    'continuo_live_success_target{measure="segments"} 0.95\n',
    'continuo_live_success_target{measure="checkpoints"} 0.99\n',
    'continuo_live_success_target{measure="closed"} 0.99\n',
    'continuo_live_success_target{measure="coverage"} 1\n',
    'continuo_live_success_target{measure="replay"} 0.95\n',
    'continuo_live_success_target{measure="citations"} ',
  ])
    expect(text).toContain(series);
});

test("/metrics has the share of long sessions that ended well, and of notes that cite earlier segments", async () => {
  await using live = await opened();
  const client = await openLive({ serverUrl: live.server.url, key: "k", videoId: "v" });
  for (let segment = 0; segment < 10; segment++) {
    // The second segment repeats the first one, so both give one note that cites both.
    await client.add(said(`segment ${segment === 1 ? 0 : segment}`, segment === 1 ? 0 : segment * 60_000));
    await live.clock.advance(20_000);
  }
  await client.end();
  client.close();
  const text = await (await fetch(`${live.server.url}/metrics`)).text();
  expect(text).toContain('continuo_live_success_ratio{measure="segments"} 1\n');
  expect(text).toContain('continuo_live_success_ratio{measure="citations"} 0.1\n');
  expect(text).toContain('continuo_live_success_target{measure="segments"} 0.95\n');
});

test("a shared session is listed with the keys that a token may read, and joining a key needs the right to read it", async () => {
  const store = await openStore("memory:");
  const server = await openServer(store, { authenticate: createAuthenticate(store) });
  const tokenOf = async (...scopes: readonly string[]): Promise<string> =>
    (await store.createToken({ scopes, label: "t" })).secret;
  const ask = async (token: string, path: string, method = "GET", body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    return (await fetch(`${server.url}/v1/live${path}`, init)).json();
  };
  const all = await tokenOf("live:*:read,write");
  const ofVideo = { videoId: "v", continues: "video" };
  for (const key of ["a", "b", "c"]) await ask(all, `/${key}`, "PUT", ofVideo);
  const rows = async (token: string): Promise<readonly unknown[]> => {
    const { sessions } = (await ask(token, "")) as { readonly sessions: readonly LiveSession[] };
    return sessions.map(({ key, keys }) => keys?.toSorted() ?? key);
  };
  expect(await rows(all)).toEqual([["a", "b", "c"]]);
  for (const key of ["a", "b", "c"]) expect(await rows(await tokenOf(`live:${key}:read`))).toEqual([key]);
  expect(await rows(await tokenOf("live:d:read"))).toEqual([]);

  const writer = await tokenOf("live:a:write", "live:d:read,write");
  expect(await ask(writer, "/a/join", "POST", { key: "d" })).toMatchObject({ error: { code: "forbidden" } });
  expect(await ask(writer, "/d", "PUT", ofVideo)).toMatchObject({ created: true });
  expect(await ask(all, "/a/join", "POST", { key: "e" })).toMatchObject({ videoId: "v" });
  await server.close();
  await store.close();
});

test("a server serves the files of Whisper from one folder, and no file outside of it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "continuo-whisper-"));
  const whisperFolder = join(folder, "whisper");
  mkdirSync(join(whisperFolder, "model"), { recursive: true });
  writeFileSync(join(whisperFolder, "model/config.json"), "{}");
  writeFileSync(join(whisperFolder, ".hidden"), "hidden");
  writeFileSync(join(folder, "server-token"), "secret");
  try {
    await using live = await opened({ whisperFolder });
    const get = (name: string): Promise<Response> => fetch(`${live.server.url}/v1/whisper/${name}`);
    const found = await get("model/config.json");
    expect(await found.text()).toBe("{}");
    expect(found.headers.get("content-length")).toBe("2");
    // A browser that opens it as a page does not run its script.
    expect(found.headers.get("content-type")).toBe("application/octet-stream");
    for (const name of [
      "model",
      "other.json",
      ".hidden",
      "..%2fserver-token",
      "%2e%2e/server-token",
      "model%2f..%2f..%2fserver-token",
    ]) {
      expect((await get(name)).status, name).toBe(404);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
