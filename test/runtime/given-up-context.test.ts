/** A message that was given up: what the model still reads of it, in later attempts and with later questions. */

import type { Agent } from "@continuo/core/model";
import { defineAgent, openContinuo } from "@continuo/server/runtime";
import { type OpenedStore, openStore } from "@continuo/store";
import { executeRun } from "@continuo/store/sessions";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ScriptedModel } from "../../packages/store/src/testing/index.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(async () => {
  await store.close();
});

const model = new ScriptedModel({ turns: () => [{ say: "Good." }] });
const asked = (): readonly string[] | undefined => model.given.at(-1)?.messages;

async function start(options: Parameters<typeof openContinuo>[1] = {}) {
  const agents = [defineAgent({ name: "desk", model, context: { window: 8_000 } })];
  return await openContinuo(store, {
    pollMs: 10,
    onError: () => undefined,
    agents,
    recover: "retry",
    ...options,
  });
}

/** An attempt whose process is killed after these words. */
async function killedAfter(words: string): Promise<void> {
  const run = (await store.listRuns({ status: "pending" })).items[0];
  const over = new AbortController();
  const agent: Agent = {
    name: "desk",
    async execute(_, { onEvent }) {
      if (words !== "") {
        await onEvent?.({ type: "text", messageId: "m", delta: words });
        const stored = { runId: run?.runId ?? "", types: ["message_streamed"] };
        await expect.poll(async () => (await store.read(run?.sessionId ?? "", stored)).events.length).toBe(1);
      }
      over.abort();
      return await new Promise(() => undefined);
    },
  };
  const left = executeRun(store, agent, run?.runId ?? "", { abandon: over.signal, graceMs: 0 });
  await expect(left).rejects.toMatchObject({ code: "fenced" });
  // The next process finds what the killed one left.
  await (await start({ work: false, retry: { attempts: 3 } })).close();
}

async function ask(text: string, killedAfterWords: readonly string[]): Promise<void> {
  await using c = await start({ work: false });
  await c.session("ann", { create: true }).send(text, { id: text });
  for (const words of killedAfterWords) await killedAfter(words);
}

async function answer(text: string): Promise<void> {
  await using c = await start({ retry: { attempts: 3 } });
  expect(await c.session("ann", { create: true }).send(text, { id: text }).result()).toMatchObject({
    text: "Good.",
  });
}

const CUT_OFF = "user: [The run was interrupted before it ended: the process that ran it ended]";
const GIVEN_UP =
  "user: [An error occurred: the input is not tried again: its agent was given it 3 times, and did not end]";

test("the next question comes with the question that was given up and its last attempt, once", async () => {
  await answer("first");
  await ask("second", ["One two", "One", "One two three"]);
  await answer("third");
  expect(asked()).toEqual([
    "user: first",
    "assistant: Good.",
    "user: second",
    "assistant: One two three",
    CUT_OFF,
    GIVEN_UP,
    "user: third",
  ]);
});

test("if the last attempt said nothing, the words of the attempt before stay, with one note of its end", async () => {
  await ask("second", ["One two", "One", ""]);
  await answer("third");
  expect(asked()).toEqual(["user: second", "assistant: One", CUT_OFF, GIVEN_UP, "user: third"]);
});

test("an attempt that follows several ones reads its question once, and nothing that they left unfinished", async () => {
  await answer("first");
  await ask("second", ["One two", "One"]);
  await answer("second");
  expect(asked()).toEqual(["user: first", "assistant: Good.", "user: second"]);
  await answer("third");
  expect(asked()).toEqual([
    "user: first",
    "assistant: Good.",
    "user: second",
    "assistant: Good.",
    "user: third",
  ]);
});

test("a question that is asked again after it was given up, and answered, leaves only its answer", async () => {
  await ask("second", ["One two", "One", "One two three"]);
  await answer("third");
  await using c = await start({ retry: { attempts: 3 } });
  const again = await c.session("ann").send("second", { id: "second", again: true }).result();
  expect(again).toMatchObject({ text: "Good." });
  await answer("fourth");
  expect(asked()?.filter((line) => line.includes("One"))).toEqual([]);
  expect(asked()?.filter((line) => line === "user: second")).toHaveLength(1);
});
