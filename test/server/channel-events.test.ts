/**
 * Events that are appended to a channel without a connection follow the same rules as frames, and name their
 * writer.
 */

import { connect } from "@continuo/core/client";
import type { NewToken, Store } from "@continuo/core/model";
import type { ChannelHead, MessagesWindow, WireError } from "@continuo/core/wire";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openServer } from "./harness/open-server.ts";

let store: Store;
let server: ServerHandle;
let ada: string;
beforeAll(async () => {
  store = await openStore("memory:");
  server = await openServer(store, { authenticate: createAuthenticate(store) });
  ada = await tokenOf({ handle: "ada" });
  for (const name of ["team", "parts", "replies"]) await store.createLog({ logId: `channels/${name}` });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

async function tokenOf(more: Partial<NewToken>): Promise<string> {
  return (await store.createToken({ scopes: ["channel:*:read,write"], ...more })).secret;
}

async function call(token: string, method: string, path: string, body?: unknown): Promise<Response> {
  return await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function outcome(token: string, body: unknown, channel = "team"): Promise<number | string> {
  const answer = await call(token, "POST", `/v1/stream/channels/${channel}`, body);
  return answer.status === 204 ? 204 : ((await answer.json()) as WireError).error.code;
}

const sent = (data: unknown, more: object = {}) => ({ type: "message_sent", data, ...more });
const names = Array.from({ length: 20_000 }, (_, n) => `n${n}`);
const attachment = { blob: "x", mimeType: "image/png" };

test.each([
  ["a number as content", sent({ content: 5 }), "invalid"],
  ["a message without content", sent({}), "invalid"],
  ["data that is a text", sent("hello"), "invalid"],
  ["blocks without a type", sent({ content: [{ text: "x" }] }), "invalid"],
  ["20,000 names", sent({ content: "x", to: names }), "too_large"],
  ["an invalid name", sent({ content: "x", to: ["a:b"] }), "invalid"],
  ["a long content", sent({ content: "x".repeat(1_100_000) }), "too_large"],
  ["long blocks", sent({ content: [{ type: "text", text: "x".repeat(1_100_000) }] }), "too_large"],
  ["an invalid attachment", sent({ content: "x", attachments: [attachment] }), "invalid"],
  ["a reply to nothing", sent({ content: "x", replyTo: "nothing" }), "not_found"],
  ["the handle of a reply", sent({ content: "x", replyToHandle: "bob" }), "invalid"],
  ["a writer", sent({ content: "x", writer: "w" }), "invalid"],
  ["the id of another message", sent({ content: "x", messageId: "b" }, { id: "a" }), "invalid"],
  ["a call without a receiver", { type: "method_called", data: { method: "m", args: {} } }, "invalid"],
  [
    "long arguments",
    { type: "method_called", data: { to: "bob", method: "m", args: "x".repeat(300_000) } },
    "too_large",
  ],
  ["an answer to no call", { type: "method_answered", data: { value: 1, done: true } }, "invalid"],
  ["a cancellation without a reason", { type: "method_cancelled", data: { callId: "c" } }, "invalid"],
])(
  "a channel refuses %s below /v1/stream: by itself, after a valid event, and at its beginning",
  async (_what, event, code) => {
    expect(await outcome(ada, event)).toBe(code);
    expect(await outcome(ada, [sent({ content: "good" }), event])).toBe(code);
    const made = await call(ada, "PUT", "/v1/stream/channels/made", [event]);
    expect(((await made.json()) as WireError).error.code).toBe(code);
    expect((await store.read("channels/team")).events).toEqual([]);
  },
);

test("whole messages of text or blocks, calls and events of unknown types are stored as they were sent", async () => {
  await store.createLog({ logId: "channels/good" });
  const first = sent({ content: "one", to: ["bob"], color: "red" }, { id: "one" });
  const events = [
    first,
    sent({ content: [{ type: "text", text: "two" }] }),
    sent({ content: "three", replyTo: "one" }),
    { type: "method_called", id: "c", data: { callId: "c", to: "bob", method: "m", args: [1] } },
    { type: "custom", data: { name: "x", content: 5 } },
  ];
  for (const event of events) expect(await outcome(ada, event, "good")).toBe(204);
  // An event that was sent before is not stored again.
  expect(await outcome(ada, first, "good")).toBe(204);
  const stored = (await store.read("channels/good")).events;
  expect(stored.map(({ data }) => data)).toEqual(
    events.map(({ data }) =>
      data === events[2]?.data ? { content: "three", replyTo: "one", replyToHandle: "ada" } : data,
    ),
  );
  expect(stored.every(({ actor }) => actor.kind === "person" && actor.id === "ada")).toBe(true);
});

test("nobody can end or change another writer's message, and a reader that comes later sees its original text", async () => {
  const bob = await connect({
    serverUrl: server.url,
    token: await tokenOf({ handle: "bob" }),
    channel: "parts",
    handle: "bob",
  });
  const { messageId } = await bob.openMessage();
  await bob.update(messageId, "half");
  for (const event of [
    { type: "message_completed", data: { messageId, content: "forged" } },
    { type: "message_updated", data: { messageId, content: "forged" } },
    { type: "message_streamed", data: { messageId, delta: "forged" } },
    { type: "message_interrupted", data: { messageId, content: "forged" } },
    sent({ content: "", state: "open" }, { id: "mine" }),
  ]) {
    expect([event.type, await outcome(ada, event, "parts")]).toEqual([event.type, "forbidden"]);
  }
  const window = await call(ada, "GET", "/v1/channels/parts/messages");
  expect(((await window.json()) as MessagesWindow).messages).toMatchObject([
    { handle: "bob", content: "half", state: "open" },
  ]);
  await bob.complete(messageId);
  await bob.close();
});

const OF_THE_SERVER = [
  "error_raised",
  "message_received",
  "approval_requested",
  "context_compacted",
  "note_written",
];

test("a writer cannot write the events of the server or set their time, and an administrator can", async () => {
  await store.createLog({ logId: "channels/forged" });
  const forged: readonly Readonly<Record<string, unknown>>[] = [
    ...OF_THE_SERVER.map((type) => ({ type, data: { message: "The server will stop.", content: "x" } })),
    sent({ content: "x", role: "assistant" }),
    sent({ content: "x" }, { occurredAt: "2020-01-01T00:00:00.000Z" }),
    sent({ content: "x" }, { runId: "run" }),
    { type: "custom", data: { name: "x" }, parentId: "x" },
  ];
  const anyHandle = await tokenOf({ anyHandle: true });
  for (const event of forged) {
    for (const token of [ada, anyHandle]) expect(await outcome(token, event, "forged")).toBe("forbidden");
    expect(await outcome(ada, [sent({ content: "good" }), event], "forged")).toBe("forbidden");
    expect((await call(ada, "PUT", "/v1/stream/channels/begun", [event])).status).toBe(403);
  }
  expect((await store.read("channels/forged")).events).toEqual([]);
  expect(await store.getLog("channels/begun")).toBeNull();
  const admin = (await store.createToken({ scopes: ["admin"] })).secret;
  expect(await outcome(admin, { type: "error_raised", data: { message: "x" } }, "forged")).toBe(204);
});

test.each(["channel", "session"] as const)(
  "only an administrator deletes or closes the log of a %s, or lets it end",
  async (kind) => {
    const logId = kind === "channel" ? "channels/kept" : "kept";
    if (kind === "channel") await store.createLog({ logId });
    else await store.createSession({ sessionId: logId });
    const path = `${server.url}/v1/stream/${kind}s/kept`;
    const writer = await tokenOf({ handle: "ada", scopes: [`${kind}:*:read,write`] });
    const ask = (token: string, method: string, more: Readonly<Record<string, string>> = {}, at = path) =>
      fetch(at, { method, headers: { authorization: `Bearer ${token}`, ...more } });
    const closing = { "stream-closed": "true" };
    const last = { ...closing, "content-type": "application/json" };
    const body = JSON.stringify({ type: "custom", data: { name: "last" } });
    const headers = { authorization: `Bearer ${writer}`, ...last };
    const answers = [
      await ask(writer, "DELETE"),
      await ask(writer, "POST", closing),
      await fetch(path, { method: "POST", headers, body }),
    ];
    if (kind === "channel") {
      const other = `${server.url}/v1/stream/channels/other`;
      const fork = { "stream-forked-from": "/v1/stream/channels/kept" };
      for (const more of [closing, { "stream-ttl": "1" }, fork]) {
        answers.push(await ask(writer, "PUT", more, other));
      }
      answers.push(await ask(writer, "PUT", { "stream-expires-at": "2100-01-01T00:00:00Z" }, other));
      expect(await store.getLog("channels/other")).toBeNull();
    }
    for (const answer of answers) {
      expect(answer.status).toBe(403);
      expect(((await answer.json()) as WireError).error.message).toContain("only a token with `admin`");
    }
    expect((await store.getLog(logId))?.closedAt).toBeUndefined();
    expect((await ask(writer, "PUT", {}, `${path}-new`)).status).toBe(201);
    const admin = (await store.createToken({ scopes: ["admin"] })).secret;
    expect((await ask(admin, "POST", closing)).status).toBe(204);
    expect((await ask(admin, "DELETE")).status).toBe(204);
    expect(await store.getLog(logId)).toBeNull();
  },
);

test("a token without a handle can read channels and cannot write to them", async () => {
  const token = await tokenOf({});
  expect(await outcome(token, sent({ content: "x" }))).toBe("forbidden");
  const said = await call(token, "POST", "/v1/channels/team/messages", { handle: "bob", content: "x" });
  expect([said.status, ((await said.json()) as WireError).error.code]).toEqual([403, "forbidden"]);
  const joining = connect({ serverUrl: server.url, token, channel: "team", handle: "bob", reconnect: false });
  await expect(joining).rejects.toMatchObject({ code: "forbidden" });
  const head = (await (await call(token, "GET", "/v1/channels/team")).json()) as ChannelHead;
  expect([head.access, head.handle]).toEqual([["read"], null]);
});

test("a token for any handle writes under the handle that a request names, and `*` itself is not a handle", async () => {
  const token = await tokenOf({ anyHandle: true });
  await store.createLog({ logId: "channels/any" });
  const say = (handle: string): Promise<Response> =>
    call(token, "POST", "/v1/channels/any/messages", { handle, content: "x" });
  expect([(await say("bob")).status, (await say("eve")).status, (await say("*")).status]).toEqual([
    200, 200, 400,
  ]);
  expect(await outcome(token, sent({ content: "x" }), "any")).toBe("forbidden");
  const head = (await (await call(token, "GET", "/v1/channels/any")).json()) as ChannelHead;
  expect([head.access, head.handle]).toEqual([["read", "write"], null]);
  const admin = (await store.createToken({ scopes: ["admin"] })).secret;
  expect(await outcome(admin, sent({ content: "x" }), "any")).toBe(204);
  const actors = (await store.read("channels/any")).events.map(({ actor }) => actor);
  expect(actors.map(({ id, kind }) => id ?? kind)).toEqual(["bob", "eve", "system"]);
});

test("only the participant who stored a blob and administrators can refer to it, and a stored event can be sent again", async () => {
  const bob = await tokenOf({ handle: "bob" });
  const put = await fetch(`${server.url}/v1/blobs`, {
    method: "POST",
    headers: { authorization: `Bearer ${bob}` },
    body: "bob's picture",
  });
  const { hash } = (await put.json()) as { readonly hash: string };
  await store.createLog({ logId: "channels/blobs" });
  const attachments = [{ blob: hash, mimeType: "text/plain" }];
  const ways = [
    (token: string, id: string) =>
      call(token, "POST", "/v1/stream/channels/blobs", sent({ content: "x" }, { id, blobs: [hash] })),
    (token: string, id: string) =>
      call(token, "POST", "/v1/stream/channels/blobs", sent({ content: "x", attachments }, { id })),
    (token: string, id: string) =>
      call(token, "POST", "/v1/channels/blobs/messages", { id, content: "x", attachments }),
  ];
  for (const [n, way] of ways.entries()) {
    const refused = await way(ada, `ada${n}`);
    expect([n, refused.status, ((await refused.json()) as WireError).error.code]).toEqual([
      n,
      404,
      "not_found",
    ]);
    expect((await way(bob, `bob${n}`)).ok).toBe(true);
  }
  const join = (token: string, handle: string) =>
    connect({ serverUrl: server.url, token, channel: "blobs", handle, reconnect: false });
  const client = await join(ada, "ada");
  await expect(client.send("x", { attachments })).rejects.toMatchObject({ code: "not_found" });
  await client.close();
  const owner = await join(bob, "bob");
  await owner.send("x", { attachments });
  await owner.close();
  // Another token of the same participant may refer to it, and so may an administrator of the workspace.
  expect((await ways[0]?.(await tokenOf({ handle: "bob" }), "again"))?.ok).toBe(true);
  expect((await ways[0]?.((await store.createToken({ scopes: ["admin"] })).secret, "admin"))?.ok).toBe(true);
  for (const { name, generation, owner: by } of (await store.listClaims({ prefix: "server/blobs/" })).items) {
    await store.deleteClaim({ name, generation, owner: by });
  }
  expect((await ways[0]?.(bob, "bob0"))?.ok).toBe(true);
  expect((await ways[0]?.(bob, "new"))?.ok).toBe(false);
  const referring = (await store.read("channels/blobs")).events.map(({ blobs }) => blobs);
  expect(referring).toEqual(Array.from({ length: 6 }, () => [hash]));
});

test("a token that may only read a channel can neither write nor change a message", async () => {
  const reads = await tokenOf({ handle: "ada", scopes: ["channel:team:read"] });
  const said = await call(ada, "POST", "/v1/channels/team/messages", { id: "by-ada", content: "x" });
  expect(said.status).toBe(200);
  const message = "/v1/channels/team/messages/by-ada";
  const answers = await Promise.all([
    call(reads, "POST", "/v1/channels/team/messages", { content: "x" }),
    call(reads, "PUT", message, { content: "y" }),
    call(reads, "DELETE", `${message}?handle=ada`),
    call(reads, "PUT", `${message}/reactions/ok?handle=ada`),
    call(reads, "DELETE", `${message}/reactions/ok?handle=ada`),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
});

test("over HTTP only the author and an administrator can delete a message, and a deletion creates no channel", async () => {
  await call(ada, "POST", "/v1/channels/team/messages", { id: "hers", content: "x" });
  const bob = await tokenOf({ handle: "bob" });
  const path = "/v1/channels/team/messages/hers?handle=bob";
  expect((await call(bob, "DELETE", path)).status).toBe(403);
  const admin = (await store.createToken({ scopes: ["admin"] })).secret;
  expect((await call(admin, "DELETE", path)).status).toBe(200);
  expect((await call(ada, "DELETE", "/v1/channels/not-there/messages/x?handle=ada")).status).toBe(404);
  expect(await store.getLog("channels/not-there")).toBeNull();
});
