/** Promises of the client that PROTOCOL.md does not contain. */

import type { AgenticClient, ClientEvent } from "@continuo/core/client";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { LIMITS } from "../../packages/core/src/client/limits.ts";
import { MissedCollector } from "../../packages/core/src/client/missed-collector.ts";
import { cuttingProxy } from "./cutting-proxy.ts";
import { openChannelServer, take, words } from "./open-channel.ts";

const LOG = "channels/team";

test("with reconnect: false a lost connection ends events() with unavailable", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  await using proxy = await cuttingProxy(server.url);
  const ann = await server.join("ann", { serverUrl: proxy.url, reconnect: false });
  const reading = Array.fromAsync(ann.events());
  proxy.cutAll();
  await expect(reading).rejects.toMatchObject({ code: "unavailable" });
  await expect(ann.send("x")).rejects.toMatchObject({ code: "unavailable" });
});

test("while the server is away the client says that its session is interrupted", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  await using proxy = await cuttingProxy(server.url);
  let ann: AgenticClient | undefined;
  const seen: string[] = [];
  ann = await server.join("ann", {
    serverUrl: proxy.url,
    onConnection: (connection) => seen.push(`${connection}: ${ann?.status}`),
  });
  expect(ann.status).toBe("active");
  proxy.cutAll();
  await expect
    .poll(() => seen, { timeout: 60_000 })
    .toEqual(["open: undefined", "lost: interrupted", "open: active"]);
});

test("a streamed question is answered whole, once, by the loop that answers every message", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const ann = await server.join("ann");
  const bot = await server.join("bot", { type: "agent" });
  const heard: string[] = [];
  const listening = (async () => {
    for await (const event of bot.events({ targetedOnly: true })) {
      if (event.type !== "message" || event.sequence === undefined) continue;
      heard.push(event.content);
      const { messageId } = await bot.openMessage({ replyTo: event.id });
      await bot.update(messageId, `you said: ${event.content}`);
      await bot.commitCheckpoint(event.sequence);
      await bot.complete(messageId);
      if (heard.length === 2) return;
    }
  })();
  const { messageId } = await ann.openMessage({ to: ["bot"] });
  for (const word of ["where ", "is ", "it?"]) await ann.update(messageId, word);
  await ann.send("said meanwhile", { to: ["bot"] });
  await ann.complete(messageId);
  await listening;
  expect(heard).toEqual(["said meanwhile", "where is it?"]);
  const answers = (await take(ann, 2, ({ type, own }) => type === "complete" && !own)).map(words);
  expect(answers).toEqual(["bot: you said: said meanwhile", "bot: you said: where is it?"]);
});

test("an interrupted message arrives once, or in its parts for a reader who asks for them", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const bob = await server.join("bob");
  const readers = [await server.join("whole"), await server.join("parts")];
  await bob.openMessage({ messageId: "half", to: ["whole", "parts"] });
  await bob.update("half", "I was abo");
  await bob.send("between");
  await bob.close();
  const seen: string[][] = [];
  for (const [n, reader] of readers.entries()) {
    const own: string[] = [];
    for await (const event of reader.events({ parts: n === 1 })) {
      if (event.type === "presence") continue;
      const text = event.type === "update" ? event.delta : words(event);
      own.push(`${event.type} ${"state" in event ? event.state : ""} ${text} ${event.addressed}`);
      if (event.type === "error" || ("state" in event && event.state === "interrupted")) break;
    }
    seen.push(own);
  }
  expect(seen).toEqual([
    ["message complete bob: between false", "message interrupted bob: I was abo false"],
    [
      "message open bob:  true",
      "update  I was abo false",
      "message complete bob: between false",
      "error  null: I was abo false",
    ],
  ]);
});

test("targetedOnly yields only messages that are addressed by `to`, by @handle, as a reply or as a call", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const bob = await server.join("bob");
  const ann = await server.join("ann");
  const asked = await ann.send("does anybody know?");
  await bob.send("not for ann");
  await bob.send("by to", { to: ["ann", "carl"] });
  await bob.send("for carl", { to: ["carl"] });
  await bob.send("hello @ann");
  await bob.send("a reply", { replyTo: asked.messageId });
  const call = bob.call("ann", "paint", { colour: "red" });
  const seen: ClientEvent[] = [];
  for await (const event of ann.events({ targetedOnly: true })) {
    seen.push(event);
    if (event.type === "method_call") break;
  }
  expect(seen.map((event) => ("content" in event ? event.content : event.type))).toEqual([
    "by to",
    "hello @ann",
    "a reply",
    "method_call",
  ]);
  await ann.respond(call.callId, "done");
  expect(await call.result).toBe("done");
});

test("a call ends with its signal, and the called participant is notified", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const ann = await server.join("ann");
  const bob = await server.join("bob");
  const stop = new AbortController();
  const call = ann.call("bob", "wait", null, { signal: stop.signal });
  call.result.catch(() => undefined);
  const asked = await take(bob, 1, ({ type }) => type === "method_call");
  expect(asked).toMatchObject([{ method: "wait" }]);
  stop.abort(new Error("enough"));
  await expect(call.result).rejects.toThrow("the call was cancelled");
  expect(await take(bob, 1, ({ type }) => type === "method_cancel")).toMatchObject([{ callId: call.callId }]);
});

test("an attachment is read through the message that it belongs to", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const put = await fetch(`${server.url}/v1/blobs`, {
    method: "POST",
    headers: { "content-type": "image/png" },
    body: "not really",
  });
  const { hash } = (await put.json()) as { readonly hash: string };
  const ann = await server.join("ann");
  const attachments = [{ blob: hash, mimeType: "image/png", name: "a.png" }];
  await ann.send("look", { attachments });
  const [event] = await take(ann, 1);
  expect(event).toMatchObject({ type: "message", content: "look", attachments });
  const got = await fetch(`${server.url}/v1/blobs/${hash}?stream=${LOG}&sequence=${event?.sequence}`);
  expect([got.status, await got.text()]).toEqual([200, "not really"]);
  await expect(
    ann.send("x", { attachments: [{ blob: "0".repeat(64), mimeType: "image/png" }] }),
  ).rejects.toThrow();
});

test("deltas are sent in groups, and a late reader has the whole text even after they were pruned", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const ann = await server.join("ann");
  const { messageId } = await ann.openMessage();
  const parts = Array.from({ length: 200 }, (_, n) => `${n} `);
  await Promise.all(parts.map((part) => ann.update(messageId, part)));
  await ann.complete(messageId);
  const { events } = await store.read(LOG);
  const deltas = events.filter(({ type }) => type === "message_streamed");
  expect(deltas.length).toBeGreaterThan(0);
  expect(deltas.length).toBeLessThan(parts.length / 10);
  for (const { sequence } of deltas) await store.redact(LOG, sequence, { reason: "space" });
  const late = await server.join("late", { replayMode: "stream" });
  expect((await take(late, 1)).map(words)).toEqual([`ann: ${parts.join("")}`]);
});

test("an input that is committed at the first delta does not come again after a crash, and the half answer is interrupted", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  await using proxy = await cuttingProxy(server.url);
  const ann = await server.join("ann");
  await ann.send("@bot one");
  const first = await server.join("bot", { serverUrl: proxy.url, reconnect: false });
  const [input] = await take(first, 1, ({ addressed }) => addressed);
  const { messageId } = await first.openMessage({ replyTo: input?.id ?? "" });
  await first.update(messageId, "half");
  await first.commitCheckpoint(input?.sequence ?? 0);
  proxy.cutAll();
  const seen = await take(ann, 1, ({ type }) => type === "error");
  expect(seen).toMatchObject([{ code: "interrupted", messageId, content: "half" }]);
  const session = async () => (await store.getSession("participant:team:bot"))?.status;
  await expect.poll(session).toBe("interrupted");
  await expect.poll(() => store.getLease("channel/team/bot")).toBe(null);
  await ann.send("@bot two");
  const second = await server.join("bot");
  expect(second.status).toBe("interrupted");
  const next = await take(second, 1, ({ addressed }) => addressed);
  expect(next).toMatchObject([{ content: "@bot two", redelivered: false }]);
  await second.commitCheckpoint(next[0]?.sequence ?? 0);
  expect(second.status).toBe("active");
});

test("cleared history stays in the log, and each message has role, content, time and sequence", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const ann = await server.join("ann");
  await ann.storeMessage("user", "before");
  await ann.clearHistory();
  for (let n = 0; n < 25; n++) await ann.storeMessage("user", `m${n}`);
  const history = await ann.getHistory();
  expect(history).toHaveLength(20);
  expect(history.at(-1)).toEqual({
    role: "user",
    content: "m24",
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/u),
    sequence: expect.any(Number),
  });
  const { events } = await store.read("participant:team:ann");
  expect(JSON.stringify(events)).toContain("before");
});

test("of the missed messages, the newest 1,000 are kept, or the newest that fit into a megabyte", () => {
  const collect = (count: number, content: string) => {
    const collector = new MissedCollector();
    for (let n = 1; n <= count; n++) {
      const event = { type: "message", state: "complete", own: false, addressed: false, from: "bob" };
      collector.add({
        ...event,
        messageId: `m${n}`,
        sequence: n,
        content,
        timestamp: undefined,
      } as ClientEvent);
    }
    return collector.missed;
  };
  const many = collect(LIMITS.missedMessages + 7, "x");
  expect([many.messages.length, many.omitted, many.messages.at(-1)?.sequence]).toEqual([1_000, 7, 1_007]);
  const long = collect(20, "x".repeat(100_000));
  expect([long.messages.length, long.omitted, long.lastSequence]).toEqual([10, 10, 20]);
});
