/** The behaviour of a Durable Stream of Continuo beyond the cases of the conformance suite. */

import type { Store, StoredEvent } from "@continuo/core/model";
import type { WireError } from "@continuo/core/wire";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openServer } from "./harness/open-server.ts";

let store: Store;
let server: ServerHandle;
beforeAll(async () => {
  store = await openStore("memory:");
  server = await openServer(store, { longPollMs: 200 });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

const JSON_HEADERS = { "content-type": "application/json" };

function send(
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers = {},
): Promise<Response> {
  return fetch(`${server.url}/v1/stream/${path}`, {
    method,
    headers: { ...JSON_HEADERS, ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

/** The network decides how much comes in one read. */
async function readUntil(
  reader: ReadableStreamDefaultReader<string> | undefined,
  wanted: string,
): Promise<void> {
  let text = "";
  while (!text.includes(wanted)) {
    const chunk = await reader?.read();
    if (chunk?.done !== false) throw new Error(`the stream ended before ${wanted}: ${text}`);
    text += chunk.value;
  }
}

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as WireError).error.code;
}

test("JSON numbers are returned as they were sent, in single values, arrays and nested text", async () => {
  await send("PUT", "exact");
  await send("POST", "exact", '{"n":12345678901234567890.10}');
  await send("POST", "exact", '[ 1.0 , {"a":"],[\\"{","b":[1,2]}, "x,y" ,[[]] ]');
  const text = await (await send("GET", "exact?offset=-1")).text();
  expect(text).toBe('[{"n":12345678901234567890.10},1.0,{"a":"],[\\"{","b":[1,2]},"x,y",[[]]]');
});

test("an offset beyond the end is an error, since the stream may be another one", async () => {
  await send("PUT", "shorter");
  const response = await send("GET", "shorter?offset=0000000000000000_0000000000000009");
  expect(response.status).toBe(400);
  expect(await codeOf(response)).toBe("out_of_range");
});

test("a stream that was deleted and created again has another ETag", async () => {
  await send("PUT", "anew", '[{"v":1}]');
  const first = (await send("GET", "anew?offset=-1")).headers.get("etag") ?? "";
  await send("DELETE", "anew");
  await send("PUT", "anew", '[{"v":2}]');
  const second = await send("GET", "anew?offset=-1", undefined, { "if-none-match": first });
  expect([second.status, await second.json()]).toEqual([200, [{ v: 2 }]]);
});

test("a page that is followed by another one is never reported as the end, whatever was cached", async () => {
  await send("PUT", "grows", "[1]");
  const etag = (await send("GET", "grows?offset=-1")).headers.get("etag") ?? "";
  expect(
    (await send("GET", "grows?offset=-1", undefined, { "if-none-match": `"x", W/${etag}` })).status,
  ).toBe(304);
  await send("POST", "grows", "2");
  expect((await send("GET", "grows?offset=-1", undefined, { "if-none-match": etag })).status).toBe(200);
});

test("a reader at the end of a stream learns that the stream was closed in the meantime", async () => {
  await send("PUT", "closes", "[1]");
  const etag = (await send("GET", "closes?offset=-1")).headers.get("etag") ?? "";
  await send("POST", "closes", undefined, { "stream-closed": "true" });
  const closed = await send("GET", "closes?offset=-1", undefined, { "if-none-match": etag });
  expect([closed.status, closed.headers.get("stream-closed")]).toEqual([200, "true"]);
});

test("a channel is a log of events: the server sets the actor and the retention, and GET returns stored events", async () => {
  expect((await send("PUT", "channels/team")).status).toBe(201);
  const posted = { id: "m1", type: "message_sent", data: { content: "hello" } };
  expect((await send("POST", "channels/team", JSON.stringify([posted]))).status).toBe(204);
  expect((await send("POST", "channels/team", JSON.stringify(posted))).status).toBe(204);
  const response = await send("GET", "channels/team?offset=-1");
  expect(response.headers.get("content-type")).toBe("application/json");
  const [event, ...more] = (await response.json()) as StoredEvent[];
  expect(more).toEqual([]);
  expect(event).toMatchObject({ ...posted, sequence: 1, actor: { kind: "system" }, retention: "critical" });
  expect((await store.read("channels/team")).events[0]?.chainHash).toBe(event?.chainHash);
  await send("POST", "channels/team", JSON.stringify({ type: "plan_updated", data: { entries: [] } }));
  expect((await store.read("channels/team")).events.map(({ retention }) => retention)).toEqual([
    "critical",
    "supplementary",
  ]);
});

test("the server refuses events of its own, and keys that it sets itself", async () => {
  await send("PUT", "channels/strict");
  for (const type of [
    "session_updated",
    "run_completed",
    "checkpoint_committed",
    "approval_resolved",
    "participant_joined",
    "message_interrupted",
    "bytes",
  ]) {
    const response = await send("POST", "channels/strict", JSON.stringify({ type, data: {} }));
    expect([type, response.status, await codeOf(response)]).toEqual([type, 403, "forbidden"]);
  }
  for (const extra of [
    { actor: { kind: "system" } },
    { retention: "supplementary" },
    { sequence: 7 },
    { chainHash: "0" },
  ]) {
    const body = JSON.stringify({ type: "message_sent", data: { content: "x" }, ...extra });
    const response = await send("POST", "channels/strict", body);
    expect([response.status, await codeOf(response)]).toEqual([400, "invalid"]);
  }
  for (const body of [
    "7",
    "null",
    '["x"]',
    "[[]]",
    '{"type":7,"data":1}',
    '{"data":1}',
    '{"type":"message_sent","data":{},"blobs":"x"}',
    "[]",
  ]) {
    expect((await send("POST", "channels/strict", body)).status, body).toBe(400);
  }
  expect(await (await send("GET", "channels/strict?offset=-1")).json()).toEqual([]);
});

test("PUT makes a session with its row, DELETE deletes it, and a fork of a session is a session", async () => {
  expect((await send("PUT", "sessions/s1", undefined, { "stream-ttl": "3600" })).status).toBe(201);
  expect(await store.getSession("s1")).toMatchObject({ sessionId: "s1", status: "open", ttl: 3600 });
  expect((await send("PUT", "sessions/s1", undefined, { "stream-ttl": "3600" })).status).toBe(200);
  expect((await send("PUT", "sessions/s1")).status).toBe(409);
  const event = JSON.stringify({ type: "message_sent", data: { content: "hello" } });
  expect((await send("POST", "sessions/s1", event)).status).toBe(204);
  const from = { "stream-forked-from": "/v1/stream/sessions/s1" };
  expect((await send("PUT", "sessions/s2", undefined, from)).status).toBe(201);
  expect(await store.getSession("s2")).toMatchObject({
    parentId: "s1",
    forkedFrom: { logId: "s1", sequence: 2 },
  });
  const events = (await (await send("GET", "sessions/s2?offset=-1")).json()) as StoredEvent[];
  expect(events.map(({ type }) => type)).toEqual(["session_created", "message_sent", "session_created"]);
  expect((await send("PUT", "channels/c", undefined, from)).status).toBe(400);
  expect((await send("PUT", "sessions/s3", event)).status).toBe(400);
  expect((await send("DELETE", "sessions/s2")).status).toBe(204);
  expect(await store.getSession("s2")).toBe(null);
  expect((await send("GET", "sessions/s2")).status).toBe(404);
});

test("PUT confirms a session that is a fork only as a fork of the same source", async () => {
  for (const id of ["source", "other"]) expect((await send("PUT", `sessions/${id}`)).status).toBe(201);
  const from = (id: string) => ({ "stream-forked-from": `/v1/stream/sessions/${id}` });
  const put = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await send("PUT", "sessions/copy", undefined, headers)).status;
  expect([
    await put(from("source")),
    await put(from("source")),
    await put(from("other")),
    await put({}),
  ]).toEqual([201, 200, 409, 409]);
});

test("a token that only reads has the head and the records of a stream, and changes nothing", async () => {
  await send("PUT", "only-read", "[1]");
  const { secret } = await store.createToken({ scopes: ["stream:only-read:read"] });
  const guarded = await openServer(store, { authenticate: createAuthenticate(store) });
  const statusOf = async (method: string): Promise<number> => {
    const headers = { ...JSON_HEADERS, authorization: `Bearer ${secret}` };
    const body = method === "POST" || method === "PUT" ? { body: "[2]" } : {};
    return (await fetch(`${guarded.url}/v1/stream/only-read`, { method, headers, ...body })).status;
  };
  const statuses = [];
  for (const method of ["HEAD", "GET", "POST", "PUT", "DELETE"]) statuses.push(await statusOf(method));
  await guarded.close();
  expect(statuses).toEqual([200, 200, 403, 403, 403]);
});

test("the server refuses a path that is not a stream, in every notation", async () => {
  for (const path of [
    "channels/",
    "channels/a%2Fb",
    "channels/a%3Ab",
    "channels/%00",
    "sessions/a%2Fb",
    "sessions/",
    "%E0%A4%A",
    "x%0Ay",
  ]) {
    const response = await send("PUT", path);
    expect([path, response.status]).toEqual([path, 400]);
  }
});

test("a long-poll and an SSE stream end when the server closes, with a hint to reconnect", async () => {
  const other = await openServer(store, { longPollMs: 60_000 });
  await fetch(`${other.url}/v1/stream/waits`, { method: "PUT", headers: JSON_HEADERS });
  const poll = fetch(`${other.url}/v1/stream/waits?offset=now&live=long-poll`);
  const sse = await fetch(`${other.url}/v1/stream/waits?offset=now&live=sse`);
  const reader = sse.body?.pipeThrough(new TextDecoderStream()).getReader();
  await readUntil(reader, '"upToDate":true');
  const closed = other.close();
  let rest = "";
  for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read())
    rest += chunk.value;
  expect(rest).toContain("retry: 1000");
  expect((await poll).status).toBe(204);
  await closed;
  await expect(fetch(other.url)).rejects.toThrow();
});

test("a stream that was deleted and created again accepts its new Content-Type, and refuses the old one", async () => {
  await send("PUT", "retyped");
  expect((await send("POST", "retyped", '{"v":1}')).status).toBe(204);
  await send("DELETE", "retyped");
  const text = { "content-type": "text/plain" };
  await send("PUT", "retyped", undefined, text);
  expect((await send("POST", "retyped", '{"v":2}')).status).toBe(409);
  expect((await send("POST", "retyped", "words", text)).status).toBe(204);
  await send("DELETE", "retyped");
  // Another server of the same store creates it, so this server does not know of it.
  await store.createLog({ logId: "streams/retyped", mediaType: "application/json" });
  expect((await send("POST", "retyped", "words", text)).status).toBe(409);
  expect((await send("POST", "retyped", '{"v":3}')).status).toBe(204);
  expect(await (await send("GET", "retyped?offset=-1")).text()).toBe('[{"v":3}]');
});

test("records whose bytes were pruned are left out of pages, long-polls and SSE, and the offset still advances", async () => {
  await send("PUT", "redacted", '[{"v":1},{"v":2},{"v":3}]');
  await store.redact("streams/redacted", 2, { reason: "asked for" });
  const page = await send("GET", "redacted?offset=-1");
  expect([page.status, await page.text()]).toEqual([200, '[{"v":1},{"v":3}]']);
  expect(page.headers.get("stream-next-offset")).toMatch(/3$/u);
  const stop = new AbortController();
  const url = `${server.url}/v1/stream/redacted?offset=-1&live=sse`;
  const sse = await fetch(url, { signal: stop.signal });
  const reader = sse.body?.pipeThrough(new TextDecoderStream()).getReader();
  await readUntil(reader, '{"v":1},{"v":3}');
  await reader?.cancel();
  stop.abort();
});

test("a batch that a producer sends again is stored once, and the answer has the place that it reached", async () => {
  await send("PUT", "producer");
  const producer = { "producer-id": "p", "producer-epoch": "0", "producer-seq": "0" };
  const first = await send("POST", "producer", "[1,2]", producer);
  const again = await send("POST", "producer", "[1,2]", producer);
  const place = (answer: Response): unknown => [
    answer.headers.get("stream-next-offset"),
    answer.headers.get("producer-seq"),
  ];
  expect([first.status, again.status, place(again)]).toEqual([200, 204, place(first)]);
  expect(await (await send("GET", "producer?offset=-1")).json()).toEqual([1, 2]);
});

test("a producer that sends an old batch again learns how far it got", async () => {
  await send("PUT", "repeats");
  const produce = (sequence: number): Promise<Response> =>
    send("POST", "repeats", `[${sequence}]`, {
      "producer-id": "p",
      "producer-epoch": "0",
      "producer-seq": String(sequence),
    });
  for (const sequence of [0, 1, 2]) expect((await produce(sequence)).status).toBe(200);
  const again = await produce(0);
  expect([again.status, again.headers.get("producer-seq")]).toEqual([204, "2"]);
  expect(await (await send("GET", "repeats?offset=-1")).json()).toEqual([0, 1, 2]);
});

test("a producer that a newer epoch replaced cannot close the stream", async () => {
  await send("PUT", "epochs");
  const of = (epoch: number, sequence: number) => ({
    "producer-id": "p",
    "producer-epoch": String(epoch),
    "producer-seq": String(sequence),
  });
  expect((await send("POST", "epochs", "[1]", of(1, 0))).status).toBe(200);
  expect((await send("POST", "epochs", undefined, { ...of(0, 1), "stream-closed": "true" })).status).toBe(
    403,
  );
  expect((await send("POST", "epochs", "[2]", of(1, 1))).status).toBe(200);
  expect((await send("POST", "epochs", undefined, { ...of(1, 2), "stream-closed": "true" })).status).toBe(
    204,
  );
  expect((await send("POST", "epochs", "[3]")).status).toBe(409);
});

test("only the last page of a closed stream says that the stream is closed", async () => {
  const half = 2_500_000;
  await send("PUT", "pages", undefined, { "content-type": "application/octet-stream" });
  for (let n = 0; n < 2; n++) {
    const posted = await send("POST", "pages", new Uint8Array(half), {
      "content-type": "application/octet-stream",
    });
    expect(posted.status).toBe(204);
  }
  await send("POST", "pages", undefined, { "stream-closed": "true" });
  const first = await send("GET", "pages?offset=-1");
  expect([first.headers.get("stream-closed"), (await first.bytes()).length]).toEqual([null, half]);
  const last = await send("GET", `pages?offset=${first.headers.get("stream-next-offset")}`);
  expect([last.headers.get("stream-closed"), (await last.bytes()).length]).toEqual(["true", half]);
});
