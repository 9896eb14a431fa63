/** A program reads and posts in its own channels, and sends a message once a day. */

import { type Continuo, openContinuo } from "@continuo/server/runtime";
import { type OpenedStore, openStore } from "@continuo/store";
import { post } from "@continuo/store/channels";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";

let store: OpenedStore;
const opened: Continuo[] = [];
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(async () => {
  vi.useRealTimers();
  for (const c of opened.splice(0)) await c.close({ graceMs: 0 });
  await store.close();
});

async function start(options: Parameters<typeof openContinuo>[1] = {}): Promise<Continuo> {
  const c = await openContinuo(store, { pollMs: 10, ...options });
  opened.push(c);
  return c;
}

const PERSON = { channel: "team", handle: "ann", type: "person", instance: "i", moderates: false } as const;

test("a program posts a message once, and the same id with another text or author is a conflict", async () => {
  const team = (await start()).channel("team");
  expect(await team.messages()).toEqual([]);
  expect(await team.message("m1")).toBeNull();
  const first = await team.post("good night, @ann", { id: "m1", from: "scribe" });
  expect(first).toEqual({ messageId: "m1", sequence: 1 });
  expect(await team.post("good night, @ann", { id: "m1", from: "scribe" })).toEqual(first);
  await expect(team.post("other words", { id: "m1", from: "scribe" })).rejects.toMatchObject({
    code: "conflict",
  });
  await expect(team.post("good night, @ann", { id: "m1", from: "ben" })).rejects.toMatchObject({
    code: "conflict",
  });
  await team.post("a person", { from: "ben", type: "person", replyTo: "m1", to: ["cy"] });
  expect(await team.messages()).toMatchObject([
    { messageId: "m1", handle: "scribe", kind: "agent", content: "good night, @ann", state: "complete" },
    { handle: "ben", kind: "person", content: "a person", replyTo: "m1", to: ["cy"] },
  ]);
  expect(await team.messages({ limit: 1 })).toMatchObject([{ handle: "ben" }]);
  expect(await team.message("m1")).toMatchObject({ content: "good night, @ann" });
});

test("a program that posts gets the errors of a participant", async () => {
  const c = await start();
  const team = c.channel("team");
  expect(() => c.channel("a/b")).toThrow(expect.objectContaining({ code: "invalid" }));
  const refused = (text: string, options: object): Promise<unknown> =>
    team.post(text, options as never).then(
      () => "stored",
      (error: { readonly code: string }) => error.code,
    );
  expect(await refused("text", { from: "a:b" })).toBe("invalid");
  expect(await refused("text", { from: "bot", messageId: "m1" })).toBe("usage");
  expect(await refused("text", { from: "bot", type: "robot" })).toBe("usage");
  expect(await refused("text", { from: "bot", id: "" })).toBe("invalid");
  expect(await refused("text", { from: "bot", replyTo: "nothing" })).toBe("not_found");
  expect(await team.messages()).toEqual([]);
});

test("what a handle missed begins after its checkpoint, which is stored together with its message", async () => {
  const team = (await start()).channel("team");
  expect(await team.missed("scribe")).toMatchObject({ count: 0, formatted: "", messages: [] });
  const says = (id: string, content: string): Promise<unknown> =>
    post(store, PERSON, { frame: { type: "send", request: 0, id, content } as never, open: new Map() });
  await team.post("from ben", { id: "b1", from: "ben" });
  await says("a1", "frist");
  await says("a2", "a secret");
  const edit = { type: "edit", request: 0, id: "e1", messageId: "a1", content: "first" };
  await post(store, PERSON, { frame: edit as never, open: new Map() });
  const removal = { type: "delete", request: 0, id: "d1", messageId: "a2" };
  await post(store, PERSON, { frame: removal as never, open: new Map() });
  await team.post("my own", { from: "scribe" });
  const missed = await team.missed("scribe", { format: "plain" });
  expect(missed.messages.map(({ from, content }) => [from, content])).toEqual([
    ["ben", "from ben"],
    ["ann", "first"],
  ]);
  expect(missed).toMatchObject({ count: 2, omitted: 0, lastSequence: 6 });
  expect(missed.formatted).toContain("first");
  expect((await team.missed("scribe")).count).toBe(2);
  await says("a3", "while the summary was written");
  const summary = { id: "s1", from: "scribe", checkpoint: missed.lastSequence };
  await team.post("a summary", summary);
  expect((await team.missed("scribe")).messages).toMatchObject([{ messageId: "a3" }]);
  // A message that is refused moves nothing.
  await expect(team.post("other", { ...summary, checkpoint: 7 })).rejects.toMatchObject({ code: "conflict" });
  expect((await team.missed("scribe")).count).toBe(1);
  expect((await team.missed("ben")).count).toBe(4);
});

test("a handle that missed more than a thousand messages gets the newest, and the number of the others", async () => {
  const team = (await start()).channel("team");
  const events = Array.from({ length: 1_050 }, (_, n) => ({
    id: `m${n}`,
    type: "message_sent",
    actor: { kind: "person", id: "ann" } as const,
    data: { messageId: `m${n}`, content: `message ${n}` },
  }));
  await team.post("begin", { from: "scribe", checkpoint: 0 });
  await store.append("channels/team", events);
  const { messages, count, formatted } = await team.missed("scribe", { maxChars: 1_000_000 });
  expect(messages).toHaveLength(1_000);
  expect([messages[0]?.content, messages.at(-1)?.content]).toEqual(["message 50", "message 1049"]);
  // The own message is among the older ones, whose authors are not read.
  expect(count).toBe(1_051);
  expect(formatted).toContain("message 50\n");
});

test("an agent may use the object that openContinuo returns, even for a message that is due at once", async () => {
  const c = await start({ work: false, agents: [new EchoAgent()] });
  const { runId } = await c.session("s", { create: true }).send("go", { id: "1" });
  const own: { c?: Continuo } = {};
  const agent = {
    name: "echo",
    async execute() {
      await own.c?.channel("team").post("done", { id: "1", from: "bot" });
      return {};
    },
  };
  own.c = await start({ agents: [agent] });
  await expect.poll(async () => (await store.getRun(runId))?.status).toBe("completed");
  expect(await c.channel("team").message("1")).toMatchObject({ content: "done" });
});

test("a daily message is sent once a day by several processes, and again the next day", async () => {
  vi.useFakeTimers({
    toFake: ["Date", "setInterval", "clearInterval"],
    now: new Date("2026-03-01T05:59:30Z"),
  });
  const times: string[] = [];
  const errors: unknown[] = [];
  const programs = await Promise.all(
    [1, 2].map(
      async () => await start({ work: false, agents: [new EchoAgent()], onError: (e) => errors.push(e) }),
    ),
  );
  for (const c of programs) {
    c.everyDay("06:00", async ({ day, runAt }) => {
      times.push(runAt);
      await c.session("reports", { create: true }).send(`the report of ${day}`, { id: day, runAt });
    });
  }
  const scheduled = async (): Promise<readonly string[]> =>
    (await store.listClaims({ prefix: "schedule/" })).items.map(({ name }) => name.slice(9, 33));
  await vi.waitFor(async () => expect(await scheduled()).toEqual(["2026-03-01T06:00:00.000Z"]));
  await vi.advanceTimersByTimeAsync(60_000);
  const both = ["2026-03-01T06:00:00.000Z", "2026-03-02T06:00:00.000Z"];
  await vi.waitFor(async () => expect(await scheduled()).toEqual(both));
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(times).toEqual([both[0], both[0], both[1], both[1]]);
  expect(errors).toEqual([]);
  await programs[0]?.close();
  await vi.advanceTimersByTimeAsync(86_400_000);
  expect(times).toHaveLength(5);
});

test("a daily message whose sending failed is reported and sent again", async () => {
  vi.useFakeTimers({
    toFake: ["Date", "setInterval", "clearInterval"],
    now: new Date("2026-03-01T06:00:00Z"),
  });
  const errors: unknown[] = [];
  const c = await start({ onError: (error) => errors.push(error) });
  const days: string[] = [];
  c.everyDay("06:00:00", ({ day }) => {
    days.push(day);
    if (days.length === 1) throw new Error("the store is away");
  });
  await vi.advanceTimersByTimeAsync(180_000);
  expect(days).toEqual(["2026-03-02", "2026-03-02"]);
  expect(errors).toMatchObject([{ message: "the store is away" }]);
  for (const time of ["6:00", "24:00", "06:60", "06:00 ", ""]) {
    expect(() => c.everyDay(time, () => undefined)).toThrow(expect.objectContaining({ code: "usage" }));
  }
});
