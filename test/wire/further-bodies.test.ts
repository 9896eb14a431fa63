/**
 * Bodies, answers and refusals of subscriptions, files, the audit log, phones and continuous sessions, and the media
 * types of answers that are not JSON: real servers send them in the form of `protocol/http.json`.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { extractiveWriter } from "@continuo/live";
import { createAuthenticate, createPhones } from "@continuo/server";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { type Talk, talksIn } from "../live/captions/draw.ts";
import { fakeClock } from "../live/fake-clock.ts";
import { scriptedWriter } from "../live/live-session.ts";
import { openMachine } from "../machine/open-machine.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { openPage } from "../server/harness/open-page.ts";
import { openServer } from "../server/harness/open-server.ts";
import { checkOfEndpoint, readSchemas } from "./schemas.ts";

const { endpoints = {} } = readSchemas("http");

interface Asked {
  /** The base URL, such as `http://127.0.0.1:4747/v1`. */
  readonly root: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a body that its schema allows, and checks the answer by the schema of the endpoint. Returns the answer. */
async function ask(asked: Asked, endpoint: string, path: string, body?: object | string): Promise<unknown> {
  const { content } = endpoints[endpoint] ?? {};
  if (typeof body === "object") expectFit(endpoint, "body", body);
  const response = await request(asked, endpoint, path, body);
  const shown = await response.text();
  expect([endpoint, response.ok, response.ok || shown]).toEqual([endpoint, true, true]);
  if (content === undefined) {
    const answer: unknown = JSON.parse(shown);
    expectFit(endpoint, "answer", answer);
    return answer;
  }
  const type = response.headers.get("content-type");
  if (content === "none") expect([endpoint, response.status, shown]).toEqual([endpoint, 204, ""]);
  else expect([endpoint, type]).toEqual([endpoint, expect.stringMatching(toPattern(String(content)))]);
  return shown;
}

/** Sends a request that is refused, and checks the body of the refusal. */
async function refused(asked: Asked, endpoint: string, path: string, body?: object): Promise<unknown> {
  const response = await request(asked, endpoint, path, body);
  const answer: unknown = await response.json();
  expect([endpoint, response.ok]).toEqual([endpoint, false]);
  expectFit(
    endpoint in endpoints && "error" in (endpoints[endpoint] ?? {}) ? endpoint : "*",
    "error",
    answer,
  );
  return answer;
}

function expectFit(endpoint: string, part: string, value: unknown): void {
  expect(Object.keys(endpoints)).toContain(endpoint);
  expect([endpoint, part, checkOfEndpoint(endpoint, part)(value)]).toEqual([endpoint, part, ""]);
}

function toPattern(content: string): RegExp {
  return new RegExp(`^${content.replaceAll("*", "[\\w.+-]+")}(?:;|$)`, "u");
}

function request({ root, token, headers }: Asked, endpoint: string, path: string, body?: object | string) {
  const [method = ""] = endpoint.split(" ");
  const init = {
    method,
    headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
  };
  if (body === undefined) return fetch(`${root}${path}`, init);
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? {} : { "content-type": "application/json" };
  return fetch(`${root}${path}`, { ...init, headers: { ...init.headers, ...type }, body: sent });
}

const SUBSCRIPTION = "/v1/stream/__ds/subscriptions/ID";

test("bodies and refusals of subscriptions are as their schemas say", async () => {
  await using store = await openStore("memory:");
  await using server = await opened(store);
  const asked = { root: `${server.url}/v1` };
  const path = "/stream/__ds/subscriptions/jobs";
  await request(asked, "PUT", "/stream/jobs/1", [1]);
  const wanted = { type: "pull-wake", pattern: "jobs/*", wake_stream: "wakes", lease_ttl_ms: 60_000 };
  await ask(asked, `PUT ${SUBSCRIPTION}`, path, { ...wanted, description: "the jobs" });
  await request(asked, "POST", "/stream/jobs/1", [2]);
  await request(asked, "PUT", "/stream/more", [1]);
  await ask(asked, `POST ${SUBSCRIPTION}/streams`, `${path}/streams`, { streams: ["more"] });
  expect(await ask(asked, `GET ${SUBSCRIPTION}`, path)).toMatchObject({
    streams: expect.arrayContaining([expect.objectContaining({ path: "jobs/1", has_pending: true })]),
  });
  await ask(asked, `DELETE ${SUBSCRIPTION}/streams/PATH`, `${path}/streams/more`);

  type Wake = {
    wake_id: string;
    generation: number;
    token: string;
    streams: { path: string; tail_offset: string }[];
  };
  const claim = async (): Promise<Wake> =>
    (await ask(asked, `POST ${SUBSCRIPTION}/claim`, `${path}/claim`, { worker: "w" })) as Wake;
  const given = await claim();
  const { wake_id, generation, token } = given;
  await ask({ ...asked, token }, `POST ${SUBSCRIPTION}/release`, `${path}/release`, { wake_id, generation });
  const held = await claim();
  const acks = held.streams.map((stream) => ({ path: stream.path, offset: stream.tail_offset }));
  const report = { wake_id: held.wake_id, generation: held.generation, acks, done: true };
  const holder = { ...asked, token: held.token };
  const answer = await ask(holder, `POST ${SUBSCRIPTION}/ack`, `${path}/ack`, report);
  expect(answer).toEqual({ ok: true, next_wake: false });

  const codes = [
    await refused(asked, `PUT ${SUBSCRIPTION}`, path, { ...wanted, pattern: "other/*" }),
    await refused(asked, `PUT ${SUBSCRIPTION}`, `${path}2`, { type: "push" }),
    await refused(asked, `GET ${SUBSCRIPTION}`, "/stream/__ds/subscriptions/none"),
    await refused(asked, `POST ${SUBSCRIPTION}/streams`, `${path}/streams`, { streams: [] }),
    await refused(asked, `DELETE ${SUBSCRIPTION}/streams/PATH`, "/stream/__ds/subscriptions/none/streams/x"),
    await refused(asked, `POST ${SUBSCRIPTION}/claim`, `${path}/claim`, {}),
    await refused(asked, `POST ${SUBSCRIPTION}/ack`, `${path}/ack`, report),
    await refused(holder, `POST ${SUBSCRIPTION}/callback`, `${path}/callback`, report),
    await refused(asked, `POST ${SUBSCRIPTION}/release`, `${path}/release`, report),
  ].map((body) => (body as { error: { code: string } }).error.code);
  expect(new Set(codes).size).toBeGreaterThan(3);
  await ask(asked, `DELETE ${SUBSCRIPTION}`, path);

  const keys = await ask(asked, "GET /v1/stream/__ds/jwks.json", "/stream/__ds/jwks.json");
  expect((keys as { keys: unknown[] }).keys.length).toBeGreaterThan(0);
  const entries = await ask(asked, "GET /v1/audit", "/audit?limit=2");
  expect((entries as { entries: unknown[] }).entries).toHaveLength(2);
  await refused(asked, "GET /v1/audit", "/audit?what=nothing");
});

async function opened(
  store: Awaited<ReturnType<typeof openStore>>,
  options: Parameters<typeof openServer>[1] = {},
) {
  const server = await openServer(store, options);
  return { url: server.url, [Symbol.asyncDispose]: () => server.close() };
}

test("a webhook's subscription and its report are as their schemas say", async () => {
  await using store = await openStore("memory:");
  const { promise: reported, resolve } = Promise.withResolvers<string>();
  const hook = createHttpServer((incoming, outgoing) => {
    outgoing.end("{}");
    resolve(text(incoming));
  });
  await new Promise<void>((done) => hook.listen(0, "127.0.0.1", done));
  const { port } = hook.address() as { port: number };
  await using server = await opened(store, { webhookHosts: ["127.0.0.1"] });
  const asked = { root: `${server.url}/v1` };
  const path = "/stream/__ds/subscriptions/hook";
  await request(asked, "PUT", "/stream/jobs/1", [1]);
  const webhook = { url: `http://127.0.0.1:${port}/` };
  await ask(asked, `PUT ${SUBSCRIPTION}`, path, { type: "webhook", streams: ["jobs/1"], webhook });
  await request(asked, "POST", "/stream/jobs/1", [2]);
  const { wake_id, generation, callback_token: token } = JSON.parse(await reported);
  const report = { wake_id, generation, done: true };
  await ask({ ...asked, token }, `POST ${SUBSCRIPTION}/callback`, `${path}/callback`, report);
  hook.close();
});

test("answers that are not JSON have the media types that the schemas name", async () => {
  await using store = await openStore("memory:");
  await using server = await opened(store, { authenticate: createAuthenticate(store) });
  const { secret: token } = await store.createToken({
    scopes: ["admin"],
    handle: "ann",
    issuedFrom: "loopback",
  });
  const asked = { root: `${server.url}/v1`, token };
  const { hash } = (await ask(asked, "POST /v1/blobs", "/blobs", "words")) as { hash: string };
  const sent = { type: "message_sent", data: { content: "a file" }, blobs: [hash] };
  await request(asked, "PUT", "/stream/channels/files");
  expect((await request(asked, "POST", "/stream/channels/files", sent)).ok).toBe(true);
  const { events } = await store.read("channels/files");
  const place = `stream=channels/files&sequence=${events.at(-1)?.sequence}`;
  expect(await ask(asked, "GET /v1/blobs/HASH", `/blobs/${hash}?${place}`)).toBe("words");
  const line = await ask(asked, "GET /v1/client.js", "/client.js");
  const [, file = ""] = /"\.\/(client-[\w-]+\.js)"/u.exec(String(line)) ?? [];
  expect(await ask(asked, "GET /v1/FILE", `/${file}`)).toContain("openChat");
  const page = await openPage(server.url, token);
  const own = { ...asked, token: page.secret ?? "", headers: { origin: server.url } };
  await ask(own, "GET /v1/pages/proof", "/pages/proof");
  await ask(own, "DELETE /v1/pages/cookie", "/pages/cookie");
});

test("bodies of phones, and the files of the machine's sessions, are as the schemas say", async () => {
  await using machine = await openMachine();
  const token = await machine.token(["machine:read,write"]);
  const { sessions } = await machine.json("/v1/machine/sessions");
  const asked = { root: `${machine.url}/v1`, token };
  const path = `/machine/sessions/${encodeURIComponent(sessions[0].key)}/export`;
  for (const format of ["md", "html", "json", "jsonl"])
    await ask(asked, "GET /v1/machine/sessions/KEY/export", `${path}?format=${format}`);
  await refused(asked, "GET /v1/machine/sessions/KEY/export", `${path}?format=doc`);

  const changes = await machine.get("/v1/machine/sessions/events");
  expect(changes.headers.get("x-accel-buffering")).toBe("no");
  await changes.body?.cancel();

  await using store = await openStore("memory:");
  const phones = createPhones(store, "https://tunnel.example");
  await using server = await opened(store, { phones });
  const owner = { root: `${server.url}/v1` };
  const wanted = { name: "Ann's phone", rights: "read" };
  const paired = await ask(owner, "POST /v1/machine/phones", "/machine/phones", wanted);
  const { phone } = paired as { phone: { id: string } };
  await ask(owner, "GET /v1/machine/phones", "/machine/phones");
  await ask(owner, "POST /v1/machine/phones/ID/revoke", `/machine/phones/${phone.id}/revoke`, "{}");
  await refused(owner, "POST /v1/machine/phones/ID/revoke", "/machine/phones/none/revoke", {});
});

const LIVE = "/v1/live/KEY";
const BEES = talksIn("tune").find(({ name }) => name === "bees") as Talk;

test("bodies of the page, the writers, the pictures and the related notes of a continuous session are as their schemas say", async () => {
  await using store = await openStore("memory:");
  const clock = fakeClock(() => new Promise((resolve) => setTimeout(resolve, 5)));
  const whisperFolder = scratchFolder("whisper");
  mkdirSync(join(whisperFolder, "tiny"), { recursive: true });
  writeFileSync(join(whisperFolder, "tiny/config.json"), "{}");
  const live = {
    workspaceIds: [store.workspaceId],
    clock,
    noteWriters: [extractiveWriter(), scriptedWriter("second")],
    frameDays: { full: 26 / 24 },
  };
  await using server = await opened(store, { live, whisperFolder });
  const asked = { root: `${server.url}/v1` };
  const { sessionId } = (await ask(asked, `PUT ${LIVE}`, "/live/tab", { videoId: "bees" })) as {
    sessionId: string;
  };
  const picture = (await ask(asked, "POST /v1/blobs", "/blobs", "\u0089PNG\r\n\u001a\n")) as {
    hash: string;
    sizeBytes: number;
    mediaType: string;
  };
  const said = BEES.pieces.map(({ text, mediaTimeMs, endMs }) => ({ text, mediaTimeMs, endMs, lang: "en" }));
  const afterMs = Math.max(...said.map(({ endMs = 0 }) => endMs)) + 60_000;
  const evidence = [
    ...said.map((one) => ({ type: "transcript_added", ...one })),
    ...["The lamp of the lighthouse is old and bright.", "The lamp of the lighthouse turns all night."].map(
      (text, n) => ({ type: "transcript_added", text, lang: "en", mediaTimeMs: afterMs + n * 90_000 }),
    ),
    { type: "frame_captured", mediaTimeMs: 1_000, full: picture },
  ];
  for (let sequence = 0; sequence * 100 < evidence.length; sequence++) {
    const batch = evidence.slice(sequence * 100, sequence * 100 + 100);
    await ask(asked, `POST ${LIVE}/evidence`, "/live/tab/evidence", {
      producerId: "p",
      epoch: 0,
      sequence,
      evidence: batch,
    });
  }
  await expect.poll(() => clock.isDue(4_100)).toBe(true);
  for (let n = 0; n < 60; n++) await clock.advance(1_000);
  const { writers } = (await ask(asked, `GET ${LIVE}/writers`, "/live/tab/writers")) as {
    writers: unknown[];
  };
  expect(writers.length).toBeGreaterThan(1);
  const { notes } = (await ask(asked, `GET ${LIVE}/notes`, "/live/tab/notes")) as {
    notes: { noteId: string }[];
  };
  expect(notes.length).toBeGreaterThan(1);
  let found = 0;
  for (const { noteId } of notes) {
    const path = `/live/tab/notes/${noteId}/related`;
    const { related } = (await ask(asked, `GET ${LIVE}/notes/ID/related`, path)) as { related: unknown[] };
    found += related.length;
  }
  expect(found).toBeGreaterThan(0);
  for (let n = 0; n < 3; n++) {
    await ask(asked, `POST ${LIVE}/ping`, "/live/tab/ping");
    await clock.advance(3_600_000);
  }
  const expiring = async () =>
    (await ask(asked, `GET ${LIVE}/expiring`, "/live/tab/expiring")) as { pictures: { hash: string }[] };
  expect((await expiring()).pictures).toMatchObject([{ hash: picture.hash }]);
  const { events } = await store.read(sessionId, { types: ["frame_captured"] });
  const sequence = events[0]?.sequence;
  const blob = `/live/tab/blobs/${picture.hash}`;
  await ask(asked, `GET ${LIVE}/blobs/HASH`, `${blob}?sequence=${sequence}`);
  await ask(asked, `POST ${LIVE}/blobs/HASH/keep`, `${blob}/keep`);
  expect((await expiring()).pictures).toEqual([]);
  await ask(asked, `POST ${LIVE}/writer`, "/live/tab/writer", { name: "second" });
  await refused(asked, `POST ${LIVE}/writer`, "/live/tab/writer", { name: "nobody" });
  const { page } = (await ask(asked, `GET ${LIVE}/page`, "/live/tab/page")) as {
    page: { items: { itemId: string }[] };
  };
  const [item] = page.items;
  for (const operation of [{ operation: "edit", text: "Bees dance." }, { operation: "undo" }])
    await ask(asked, `POST ${LIVE}/page/ID`, `/live/tab/page/${item?.itemId}`, operation);
  await refused(asked, `POST ${LIVE}/page/ID`, `/live/tab/page/${item?.itemId}`, { operation: "burn" });
  await ask(asked, `DELETE ${LIVE}`, "/live/tab");
  await ask(asked, "GET /v1/whisper/FILE", "/whisper/tiny/config.json");
});
