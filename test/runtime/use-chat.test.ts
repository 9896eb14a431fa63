/** `useChat` of the AI SDK, without a browser: its chat and its own transport, against the handler of a program. */

import { type Continuo, openContinuo } from "@continuo/server/runtime";
import { AbstractChat, type ChatState, type ChatStatus, DefaultChatTransport, type UIMessage } from "ai";
import { afterEach, expect, test } from "vitest";
import { type Script, ScriptedAgent } from "../../packages/store/src/testing/index.ts";

class PageState implements ChatState<UIMessage> {
  status: ChatStatus = "ready";
  error: Error | undefined;
  messages: UIMessage[] = [];
  pushMessage = (message: UIMessage): void => void this.messages.push(message);
  popMessage = (): void => void this.messages.pop();
  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message));
  };
  snapshot = <Thing>(thing: Thing): Thing => structuredClone(thing);
}

class Page extends AbstractChat<UIMessage> {}

let c: Continuo;
let isDown = false;
let losesAnswers = false;

afterEach(() => {
  isDown = false;
  losesAnswers = false;
  return c.close({ graceMs: 0 });
});

async function openPage(turns: readonly Script[]): Promise<Page> {
  c = await openContinuo("memory:", { agents: [new ScriptedAgent({ turns })], pollMs: 10 });
  const handler = c.handler({ authorize: () => ({ sessions: ["ann"], access: "chat", by: "ann" }) });
  const transport = new DefaultChatTransport({
    api: "http://desk.example/v1/sessions/ann/chat",
    fetch: async (url, init) => {
      if (isDown) throw new TypeError("fetch failed");
      const response = await handler(new Request(String(url), init));
      if (!losesAnswers) return response;
      await response.text();
      throw new TypeError("fetch failed");
    },
  });
  return new Page({ id: "page-1", state: new PageState(), transport });
}

function textsOf(messages: readonly UIMessage[]): readonly string[] {
  return messages.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
}

const stored = async (): Promise<readonly string[]> =>
  textsOf((await c.session("ann").chat()).messages as readonly UIMessage[]);

test.each<[string, (page: Page) => Promise<void>]>([
  ["regenerate()", (page) => page.regenerate()],
  ["sendMessage() without a message", (page) => page.sendMessage()],
])("%s sends a message that the server never had, also the first one of a session", async (_, again) => {
  const page = await openPage([[{ say: "In Ulm." }], [{ say: "On Friday." }]]);
  for (const [question, answer] of [
    ["Where is it?", "In Ulm."],
    ["When will it come?", "On Friday."],
  ] as const) {
    isDown = true;
    await page.sendMessage({ text: question });
    expect([page.status, page.error?.message]).toEqual(["error", "fetch failed"]);
    isDown = false;
    await again(page);
    expect([page.status, page.error]).toEqual(["ready", undefined]);
    expect(textsOf(page.messages).slice(-2)).toEqual([question, answer]);
  }
  expect(await stored()).toEqual(["Where is it?", "In Ulm.", "When will it come?", "On Friday."]);
});

test("sendMessage() without a message follows the answer that exists, if only the response was lost", async () => {
  const page = await openPage([[{ say: "In Ulm." }], [{ say: "never said" }]]);
  losesAnswers = true;
  await page.sendMessage({ text: "Where is it?" });
  losesAnswers = false;
  await page.sendMessage();
  expect([page.status, textsOf(page.messages)]).toEqual(["ready", ["Where is it?", "In Ulm."]]);
  expect(await stored()).toEqual(["Where is it?", "In Ulm."]);
});

test("regenerate() follows the newest answer while it is written, and asks again after it was stopped", async () => {
  const page = await openPage([[{ stream: ["In "] }, { wait: "abort" }], [{ say: "In Ulm." }]]);
  isDown = true;
  await page.sendMessage({ text: "Where is it?" });
  isDown = false;
  const [{ id, parts } = { id: "", parts: [] }] = page.messages;
  await c.session("ann", { create: true }).send([{ type: "text", text: "Where is it?" }], { id });
  expect(parts).toMatchObject([{ text: "Where is it?" }]);
  const following = page.regenerate();
  await expect.poll(() => textsOf(page.messages)).toEqual(["Where is it?", "In "]);
  await c.session("ann").stop();
  await following;
  await page.regenerate();
  expect(textsOf(page.messages)).toEqual(["Where is it?", "In Ulm."]);
  expect(await stored()).toEqual(["Where is it?", "In Ulm."]);
});

test("regenerate() asks again after an answer failed, each time once, and keeps the answer that is complete", async () => {
  const page = await openPage([[{ fail: "no power" }], [{ fail: "no power" }], [{ say: "In Ulm." }]]);
  await page.sendMessage({ text: "Where is it?" });
  for (let failed = 1; failed <= 2; failed++) {
    expect(textsOf(page.messages)).toEqual(["Where is it?", ""]);
    await page.regenerate();
  }
  expect([page.status, textsOf(page.messages)]).toEqual(["ready", ["Where is it?", "In Ulm."]]);
  expect(await stored()).toEqual(["Where is it?", "In Ulm."]);
  const { items } = await c.store.listRuns({ sessionId: "ann" });
  expect(items.map(({ status }) => status).sort()).toEqual(["completed", "failed", "failed"]);
});

test("an answer that is complete is not replaced, and a message that was sent is not changed", async () => {
  const page = await openPage([
    [{ say: "In Ulm." }],
    [{ say: "On Friday." }],
    [{ fail: "no power" }],
    [{ say: "Yes." }],
  ]);
  await page.sendMessage({ text: "Where is it?" });
  const [{ id } = { id: "" }] = page.messages;
  await page.regenerate();
  expect(JSON.parse(page.error?.message ?? "")).toMatchObject({
    error: { code: "usage", message: expect.stringContaining("cannot be answered again") },
  });
  await page.sendMessage({ text: "Where is my parcel?", messageId: id });
  expect(JSON.parse(page.error?.message ?? "")).toMatchObject({
    error: {
      code: "conflict",
      message: `the message "${id}" was sent with other words, or to another agent`,
    },
  });
  await page.sendMessage({ text: "Where is it?", messageId: id });
  expect(textsOf(page.messages)).toEqual(["Where is it?", "In Ulm."]);
  expect(await stored()).toEqual(["Where is it?", "In Ulm."]);
});

test("a message that others follow is not answered again, although its own answer failed", async () => {
  const page = await openPage([[{ fail: "no power" }], [{ say: "On Friday." }]]);
  await page.sendMessage({ text: "Where is it?" });
  const [{ id } = { id: "" }] = page.messages;
  await page.sendMessage({ text: "When will it come?" });
  await page.regenerate({ messageId: id });
  expect(JSON.parse(page.error?.message ?? "")).toMatchObject({ error: { code: "usage" } });
  expect(await stored()).toHaveLength(4);
});

test("a page with resume: true begins without an error in a chat that has no session yet, and creates none", async () => {
  const page = await openPage([[{ say: "In Ulm." }]]);
  await page.resumeStream();
  expect([page.status, page.error]).toEqual(["ready", undefined]);
  expect(await c.store.getSession("ann")).toBeNull();
  await page.sendMessage({ text: "Where is it?" });
  expect(textsOf(page.messages)).toEqual(["Where is it?", "In Ulm."]);
});
