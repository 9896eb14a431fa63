/** The default budget of a model: of a conversation that exceeds its window, the model receives the newest messages. */

import { openModel } from "@continuo/agents/model-agent";
import { defineAgent, openContinuo } from "@continuo/server/runtime";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type ModelServer, startModelServer, text } from "../model-servers/index.ts";
import { startWindowServer } from "../model-servers/window-server.ts";

let models: ModelServer;
beforeEach(async () => {
  models = await startModelServer({ turns: [{ user: "*", answers: [[text("Yes.")]] }] });
});
afterEach(async () => await models.close());

const LONG = `old ${"word ".repeat(1_500)}`;

test.each([
  ["the window that the program sets", { window: 1_000 }, "a part"],
  ["a budget that the program sets", { maxTokens: 600 }, "a part"],
  ["a window that holds everything", { window: 100_000 }, "everything"],
  ["no setting", undefined, "everything"],
])("with %s the model receives the messages that fit", async (_name, context, given) => {
  const model = await openModel({ type: "openai", url: `${models.url}/v1`, model: "small" });
  await using c = await openContinuo("memory:", {
    agents: [defineAgent({ name: "desk", model, ...(context === undefined ? {} : { context }) })],
  });
  const session = c.session("s", { create: true });
  expect(await session.send(LONG).result()).toMatchObject({ status: "completed" });
  expect(await session.send("new question").result()).toMatchObject({ status: "completed" });
  const last = JSON.stringify(models.conversation().at(-1)?.body);
  expect(last).toContain("new question");
  expect(last.length > LONG.length ? "everything" : last.length < 4_000 ? "a part" : last.length).toBe(given);
});

test("a model receives the messages that fit the window that its server reports, if the program sets nothing", async () => {
  const server = await startWindowServer(models, { model: "small", tokens: 1_000 });
  const model = await openModel({ type: "openai", url: server.url, model: "small" });
  await using c = await openContinuo("memory:", { agents: [defineAgent({ name: "desk", model })] });
  const session = c.session("s", { create: true });
  for (const words of [LONG, "new question"])
    expect(await session.send(words).result()).toMatchObject({ status: "completed" });
  server.close();
  const last = JSON.stringify(models.conversation().at(-1)?.body);
  expect(last).toContain("new question");
  expect(last.length).toBeLessThan(4_000);
});

test.each([
  ["in Chinese", "旧消息".repeat(400), 1_200],
  ["with pictures", [{ type: "image", mimeType: "image/png", data: "AAAA" } as const], 1_600],
])("a conversation %s is cut by what it costs in tokens, not in characters", async (_name, old, tokens) => {
  const model = await openModel({ type: "openai", url: `${models.url}/v1`, model: "small" });
  const given = async (window: number): Promise<string> => {
    await using c = await openContinuo("memory:", {
      agents: [defineAgent({ name: "desk", model, context: { window } })],
    });
    const session = c.session("s", { create: true });
    await session.send(old).result();
    await session.send("new question").result();
    return JSON.stringify(models.conversation().at(-1)?.body);
  };
  const mark = typeof old === "string" ? old : "AAAA";
  expect(await given(tokens)).not.toContain(mark);
  expect(await given(3 * tokens)).toContain(mark);
});

test("a model whose window nobody knows is named once, with the setting that helps", async () => {
  const told = vi.spyOn(process, "emitWarning").mockReturnValue();
  const model = await openModel({ type: "openai", url: `${models.url}/v1`, model: "own-model" });
  const agent = (name: string, context = {}) => defineAgent({ name, model, context });
  await using c = await openContinuo("memory:", { agents: [agent("set", { window: 9_000 }), agent("desk")] });
  const session = c.session("s", { create: true });
  await session.send("hello", { agent: "set" }).result();
  expect(told).not.toHaveBeenCalled();
  for (const text of ["hello", "hello again"]) await session.send(text, { agent: "desk" }).result();
  expect(told.mock.calls).toEqual([
    [
      expect.stringContaining("own-model"),
      expect.objectContaining({ detail: expect.stringContaining("context: { window }") }),
    ],
  ]);
  told.mockRestore();
});
