/** A page in a chat, against a server that the test plays: each stream stays open until the test ends it. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CHAT_LIST_LIMITS, type ChatFrame, type ChatMessage } from "../../wire/index.ts";
import { LIMITS } from "./limits.ts";
import type { ChatListMessage } from "./message-list.ts";
import { type OpenedChat, openChat } from "./open-chat.ts";

interface Stream {
  send(frame: ChatFrame | { readonly type: string }): void;
  end(): void;
}

let streams: Stream[];
let posts: { readonly path: string; readonly body: unknown; readonly token: string | null }[];
let answerPost: () => Response;
let answerStream: () => Response | undefined;
let chat: OpenedChat | undefined;

const OPTIONS = { serverUrl: "http://desk.example/shop/", session: "ann/1", token: () => "secret" };
const EMPTY: ChatFrame = { type: "chat", messages: [], open: [] };

beforeEach(() => {
  vi.useFakeTimers();
  [streams, posts, chat] = [[], [], undefined];
  answerPost = () => Response.json({}, { status: 202 });
  answerStream = () => undefined;
  vi.stubGlobal("fetch", async (url: string, { method, body, headers, signal }: RequestInit) => {
    const { pathname: path, search } = new URL(url);
    if (method === "POST") {
      const token = new Headers(headers).get("authorization");
      posts.push({ path, body: JSON.parse(String(body)), token });
      return answerPost();
    }
    expect(path + search).toBe("/shop/v1/sessions/ann%2F1/chat/events?limit=100");
    return answerStream() ?? streamed(signal);
  });
});
afterEach(() => {
  chat?.close();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function streamed(signal: AbortSignal | null | undefined): Response {
  let to: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      to = controller;
    },
  });
  signal?.addEventListener("abort", () => to?.error(signal.reason), { once: true });
  streams.push({
    send: (frame) => to?.enqueue(new TextEncoder().encode(`:\n\ndata: ${JSON.stringify(frame)}\n\n`)),
    end: () => to?.close(),
  });
  return new Response(body);
}

const settle = (ms = 1): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

async function open(first: ChatFrame = EMPTY): Promise<OpenedChat> {
  const opening = openChat(OPTIONS);
  await settle();
  streams.at(-1)?.send(first);
  chat = await opening;
  return chat;
}

/** The newest list of a reader that reads without end. */
function follow(opened: OpenedChat): { readonly lists: (readonly ChatListMessage[])[]; error?: unknown } {
  const seen: { readonly lists: (readonly ChatListMessage[])[]; error?: unknown } = { lists: [] };
  const reading = async (): Promise<void> => {
    for await (const list of opened.messages()) seen.lists.push(list);
  };
  reading().catch((error: unknown) => {
    seen.error = error;
  });
  return seen;
}

const said = (id: string, ...parts: ChatMessage["parts"]): ChatMessage => ({ id, role: "assistant", parts });

test("the frames of the stream change the list, and a message that did not change is the same object", async () => {
  const asked: ChatMessage = { id: "q", role: "user", parts: [{ type: "text", text: "Why?" }] };
  const seen = follow(await open({ type: "chat", messages: [asked, said("a")], open: ["a"] }));
  const [stream] = streams;
  const part = { type: "text", text: "Be", state: "streaming" };
  stream?.send({
    type: "change",
    id: "a",
    parts: [
      [0, { type: "step-start" }],
      [1, part],
    ],
  });
  stream?.send({ type: "change", id: "a", delta: "cause" });
  // A frame of an unknown type changes nothing, and a part of an unknown type is kept.
  stream?.send({ type: "mood" });
  stream?.send({ type: "change", id: "a", parts: [[2, { type: "data-map", data: 1 }]] });
  await settle();
  expect(seen.lists.at(-1)).toMatchObject([
    { id: "q", text: "Why?", status: "complete" },
    { id: "a", text: "Because", status: "open", parts: [{}, { text: "Because" }, { data: 1 }] },
  ]);
  const call = {
    type: "tool-refund",
    state: "approval-requested",
    approval: { id: "p1" },
    input: { order: 7 },
  };
  stream?.send({ type: "change", id: "a", length: 1, parts: [[1, call]] });
  await settle();
  expect(seen.lists.at(-1)?.[1]).toMatchObject({
    text: "",
    questions: [{ id: "p1", toolName: "refund", toolInput: { order: 7 } }],
  });
  stream?.send({ type: "end", id: "a", metadata: { status: "failed", errorText: "It failed." } });
  await settle();
  expect(seen.lists.at(-1)?.[1]).toMatchObject({ status: "failed", metadata: { errorText: "It failed." } });
  expect(seen.lists.at(-1)?.[0]).toBe(seen.lists[0]?.[0]);
});

test("an answer waits until its run begins", async () => {
  const seen = follow(await open({ type: "chat", messages: [said("a")], open: ["a"], waiting: ["a"] }));
  const [stream] = streams;
  stream?.send({ type: "message", message: said("b"), isOpen: true, isWaiting: true });
  await settle();
  expect(seen.lists.at(-1)?.map(({ status }) => status)).toEqual(["waiting", "waiting"]);
  stream?.send({ type: "begin", id: "a" });
  stream?.send({ type: "end", id: "b", metadata: { status: "cancelled" } });
  await settle();
  expect(seen.lists.at(-1)?.map(({ status }) => status)).toEqual(["open", "cancelled"]);
});

test("a message is in the list while it is sent, once, and messages are sent in their order", async () => {
  const opened = await open();
  const seen = follow(opened);
  answerPost = () => Response.json({}, { status: 503 });
  const first = opened.send("One", { id: "m1" });
  const second = opened.send("Two", { id: "m2" });
  await settle(LIMITS.firstRetryMs / 4);
  expect(posts).toHaveLength(1);
  expect(posts[0]).toEqual({
    path: "/shop/v1/sessions/ann%2F1/chat",
    token: "Bearer secret",
    body: { messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "One" }] }], stream: false },
  });
  expect(seen.lists.at(-1)?.map(({ text, status }) => [text, status])).toEqual([
    ["One", "sending"],
    ["Two", "sending"],
  ]);
  answerPost = () => Response.json({}, { status: 202 });
  await settle(1_000);
  await Promise.all([first, second]);
  expect(posts.map(({ body }) => JSON.stringify(body).includes("Two"))).toEqual([false, false, true]);
  // The session did not exist before, so the page asks for its chat again.
  expect(streams.length).toBeGreaterThan(1);
  const stored = ["m1", "m2"].map((id): ChatMessage => ({ id, role: "user", parts: [] }));
  streams.at(-1)?.send({ type: "chat", messages: stored, open: [] });
  await settle();
  expect(seen.lists.at(-1)?.map(({ id }) => id)).toEqual(["m1", "m2"]);
});

test("a message that the server refuses leaves the list, and its sender gets the reason", async () => {
  const opened = await open();
  const seen = follow(opened);
  answerPost = () => Response.json({ error: { code: "conflict", message: "other words" } }, { status: 409 });
  const sent = expect(opened.send("One")).rejects.toMatchObject({ code: "conflict" });
  await settle();
  await sent;
  await settle();
  expect(seen.lists.at(-1)).toEqual([]);
  await expect(opened.send(" ")).rejects.toMatchObject({ code: "invalid" });
  await expect(opened.send("x", { ID: "m" } as never)).rejects.toMatchObject({ code: "usage" });
  await expect(opened.answer("p1", { outcome: "yes" } as never)).rejects.toMatchObject({ code: "usage" });
});

test("a message that the server refuses because of too many requests is tried again", async () => {
  const opened = await open();
  answerPost = () => Response.json({ error: { code: "rate_limited", message: "later" } }, { status: 429 });
  const sent = opened.send("One", { id: "m1" });
  await settle();
  expect(posts).toHaveLength(1);
  answerPost = () => Response.json({}, { status: 202 });
  await settle(1_000);
  await sent;
  expect(posts.map(({ body }) => JSON.stringify(body).includes("m1"))).toEqual([true, true]);
});

test("a stop comes after a message that is still being sent, so that its answer is stopped too", async () => {
  const opened = await open();
  answerPost = () => Response.json({}, { status: 503 });
  const sent = opened.send("One");
  const stopped = opened.stop({ reason: "enough" });
  await settle();
  expect(posts.map(({ path }) => path.split("/").at(-1))).toEqual(["chat"]);
  answerPost = () => Response.json({}, { status: 202 });
  await settle(1_000);
  await Promise.all([sent, stopped]);
  expect(posts.map(({ path }) => path.split("/").at(-1))).toEqual(["chat", "chat", "stop"]);
});

test("at most 100 messages wait, and a list has at most 1,000", async () => {
  const opened = await open();
  answerPost = () => Response.json({}, { status: 503 });
  for (let count = 0; count < LIMITS.unsent; count++) opened.send("x").catch(() => undefined);
  await expect(opened.send("x")).rejects.toMatchObject({ code: "busy" });
  const messages = Array.from({ length: CHAT_LIST_LIMITS.mostMessages }, (_, place) => said(`a${place}`));
  streams[0]?.send({ type: "chat", messages, open: [] });
  streams[0]?.send({ type: "message", message: said("last"), isOpen: false });
  await settle();
  const { value } = await opened.messages().next();
  expect(value?.length).toBe(CHAT_LIST_LIMITS.mostMessages + LIMITS.unsent);
  expect([value?.[0]?.id, value?.[CHAT_LIST_LIMITS.mostMessages - 1]?.id]).toEqual(["a1", "last"]);
});

test("a connection that ends, breaks or is silent comes back with the whole chat", async () => {
  const states: string[] = [];
  const opening = openChat({ ...OPTIONS, onConnection: (state) => void states.push(state) });
  await settle();
  streams[0]?.send({ type: "chat", messages: [said("a", { type: "text", text: "old" })], open: [] });
  chat = await opening;
  const seen = follow(chat);
  streams[0]?.end();
  await settle(LIMITS.firstRetryMs);
  streams[1]?.send({ type: "chat", messages: [said("a", { type: "text", text: "new" })], open: [] });
  await settle();
  expect(seen.lists.at(-1)?.[0]?.text).toBe("new");
  expect(streams).toHaveLength(2);
  await settle(LIMITS.silentMs + LIMITS.firstRetryMs);
  expect(streams).toHaveLength(3);
  expect(states).toEqual(["open", "lost", "open", "lost"]);
});

test("a page that asks for its chat again, because its first message made the session, learns of no new connection", async () => {
  const states: string[] = [];
  answerStream = () => Response.json({}, { status: 502 });
  const opening = openChat({ ...OPTIONS, onConnection: (state) => void states.push(state) });
  await settle();
  answerStream = () => undefined;
  await settle(LIMITS.longestRetryMs);
  streams[0]?.send(EMPTY);
  chat = await opening;
  const sent = chat.send("One", { id: "m1" });
  await settle(1_000);
  await sent;
  expect(streams).toHaveLength(2);
  streams[1]?.send({ type: "chat", messages: [{ id: "m1", role: "user", parts: [] }], open: [] });
  await settle();
  expect(states).toEqual(["open"]);
  answerStream = () => Response.json({}, { status: 502 });
  streams[1]?.end();
  await settle();
  expect(states).toEqual(["open", "lost"]);
});

test("a refusal ends the chat at once, and a server that never answers after its time", async () => {
  answerStream = () => Response.json({ error: { code: "forbidden", message: "no" } }, { status: 403 });
  await expect(openChat(OPTIONS)).rejects.toMatchObject({ code: "forbidden" });
  answerStream = () => Response.json({}, { status: 502 });
  const refused = expect(openChat(OPTIONS)).rejects.toMatchObject({ code: "unavailable" });
  await settle(LIMITS.firstConnectionMs + LIMITS.longestRetryMs);
  await refused;
  answerStream = () => undefined;
  const seen = follow(await open());
  answerStream = () => Response.json({ error: { code: "unauthorized", message: "no" } }, { status: 401 });
  streams.at(-1)?.end();
  await settle(LIMITS.firstRetryMs);
  expect(seen.error).toMatchObject({ code: "unauthorized" });
  await expect(openChat({ ...OPTIONS, limit: 1_001 })).rejects.toMatchObject({ code: "invalid" });
  await expect(openChat({ ...OPTIONS, sesion: "x" } as never)).rejects.toMatchObject({ code: "usage" });
});

test("an open chat outlives a redirect of its server, such as one to a page about maintenance", async () => {
  const seen = follow(await open());
  answerStream = () =>
    new Response(null, { status: 302, headers: { location: "https://other.example/soon" } });
  streams[0]?.end();
  await settle(LIMITS.longestRetryMs);
  expect(seen.error).toBeUndefined();
  answerStream = () => undefined;
  await settle(LIMITS.longestRetryMs);
  streams[1]?.send({ type: "chat", messages: [said("a", { type: "text", text: "back" })], open: [] });
  await settle();
  expect(seen.lists.at(-1)?.map(({ text }) => text)).toEqual(["back"]);
  // A refusal that is not one of Continuo's server stays one.
  answerStream = () => new Response("<p>no</p>", { status: 403 });
  streams[1]?.end();
  await settle(LIMITS.longestRetryMs);
  expect(seen.error).toMatchObject({ code: "unavailable", details: { status: 403 } });
});

test("a message of the page is shown once, before and after its own frame arrives", async () => {
  const opened = await open({ type: "chat", messages: [said("a")], open: [] });
  const seen = follow(opened);
  const sending = opened.send("Why?");
  await settle();
  const shown = () => seen.lists.at(-1)?.map(({ id, text }) => [id, text]) ?? [];
  const [id = ""] = shown()[1] ?? [];
  expect(shown()).toEqual([
    ["a", ""],
    [id, "Why?"],
  ]);
  const message: ChatMessage = { id, role: "user", parts: [{ type: "text", text: "Why?" }] };
  streams[0]?.send({ type: "message", message, isOpen: false });
  await settle();
  await sending;
  expect(shown().map(([one]) => one)).toEqual(["a", id]);
});

test("a chat connects again when its server was busy or down for a moment", async () => {
  const seen = follow(await open());
  const statuses = [429, 503];
  answerStream = () => {
    const status = statuses.shift();
    return status === undefined ? undefined : Response.json({ error: { code: "busy" } }, { status });
  };
  streams[0]?.end();
  for (let times = 0; times < 60 && streams.length < 2; times++) await settle(1_000);
  expect([statuses, streams.length, seen.error]).toEqual([[], 2, undefined]);
});

test("a chat that is closed no longer tries to send, and a message that fails does not hold up the next one", async () => {
  const opened = await open();
  answerPost = () => Response.json({ error: { code: "conflict", message: "other words" } }, { status: 409 });
  const refused = expect(opened.send("One")).rejects.toMatchObject({ code: "conflict" });
  await settle();
  await refused;
  answerPost = () => Response.json({}, { status: 202 });
  await Promise.all([opened.send("Two"), settle(1_000)]);
  expect(posts).toHaveLength(2);
  answerPost = () => Response.json({}, { status: 503 });
  const left = expect(opened.send("Three")).rejects.toBeDefined();
  await settle();
  opened.close();
  await settle();
  await left;
  const before = posts.length;
  await settle(LIMITS.sendMs);
  expect(posts).toHaveLength(before);
});

test("the id of a question names one question, whatever is in it", async () => {
  const opened = await open();
  const answered = opened.answer("p/1?x", { outcome: "denied", reason: "too dear" });
  await settle();
  await answered;
  expect(posts).toEqual([
    {
      path: "/shop/v1/approvals/p%2F1%3Fx",
      token: "Bearer secret",
      body: { outcome: "denied", reason: "too dear" },
    },
  ]);
});

test("a reader whose signal aborts has no further list, and the chat stays open for others", async () => {
  const opened = await open();
  const stop = new AbortController();
  const lists = opened.messages({ signal: stop.signal });
  expect((await lists.next()).value).toEqual([]);
  const next = lists.next();
  stop.abort();
  await settle();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(await opened.messages({ signal: stop.signal }).next()).toEqual({ done: true, value: undefined });
});
