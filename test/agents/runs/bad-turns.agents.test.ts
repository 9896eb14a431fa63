/**
 * After a failed or cancelled turn, the next one continues in the same native session, and no message is sent twice.
 */

import { openRunAgent } from "@continuo/agents";
import { AGENT_NAMES } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { type RunOnceOptions, type RunResult, runOnce } from "@continuo/store/sessions";
import { expect, test } from "vitest";
import { type Script, startModelServer, text } from "../../model-servers/index.ts";
import { SUBJECTS } from "../drivers/subjects/index.ts";
import { makeSandbox } from "../sandbox.ts";

const FIRST = "Remember the number forty-one.";
const REFUSED = "This is what the model refuses.";
const SLOW = "Tell me a long story.";
const LAST = "Which number was it?";
const STORY = Array.from({ length: 400 }, (_, k) => `word${k}`).join(" ");

const SCRIPT: Script = {
  turns: [
    { user: FIRST, answers: [[text("I keep it in mind.")]] },
    { user: REFUSED, answers: [[{ type: "error", status: 400, message: "no such thing" }]] },
    { user: SLOW, answers: [[{ type: "slow", delayMs: 50 }, text(STORY)]] },
    { user: LAST, answers: [[text("It was forty-one.")]] },
  ],
};

async function stage(name: (typeof AGENT_NAMES)[number]) {
  const sandbox = await makeSandbox();
  const server = await startModelServer(SCRIPT);
  const store = await openStore("memory:");
  const { cwd, environment, command } = await SUBJECTS[name].prepare(sandbox, server.url);
  const places = { home: sandbox.root, env: environment };
  return {
    server,
    async run(words: string, options: RunOnceOptions = {}): Promise<RunResult> {
      const agent = await openRunAgent(name, { cwd, places, command });
      return await runOnce(store, agent, words, { session: { cwd }, ...options });
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await server.close();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

/** Counts how often each text appears in the newest request. */
function counts(request: unknown, ...words: readonly string[]): readonly number[] {
  const text = JSON.stringify(request);
  return words.map((one) => text.split(one).length - 1);
}

// Gemini CLI 0.61.0 drops a prompt that its model refused, so the conversation is replayed into a new session, with
// that prompt.
test.each(AGENT_NAMES.filter((name) => name !== "gemini"))(
  "%s: after a refused request the conversation continues natively",
  async (name) => {
    await using at = await stage(name);
    const { sessionId, usage: first } = await at.run(FIRST);
    const bad = await at.run(REFUSED, { sessionId });
    expect(bad).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("no such thing") },
    });
    expect(bad.text).toBe("");
    expect(bad.usage?.costUsd ?? 0).toBe(0);
    const last = await at.run(LAST, { sessionId });
    expect(last).toMatchObject({ status: "completed", resumption: { happened: "native" } });
    // The answers are about as long.
    expect(last.usage?.outputTokens).toBeLessThan(2 * (first?.outputTokens ?? 0));
    const request = at.server.conversation().at(-1);
    expect(counts(request, FIRST, LAST, "went on elsewhere")).toEqual([1, 1, 0]);
    expect(counts(request, REFUSED)[0]).toBeLessThanOrEqual(1);
  },
);

test.each(AGENT_NAMES)("%s: usage and cost of a cancelled turn are of that turn", async (name) => {
  await using at = await stage(name);
  const { sessionId, usage: first } = await at.run(FIRST);
  const stop = new AbortController();
  const bad = await at.run(SLOW, {
    sessionId,
    signal: stop.signal,
    onStored: (events) => {
      if (events.some(({ type }) => type === "message_streamed")) stop.abort();
    },
  });
  expect(bad.status).toBe("cancelled");
  // The usage is either absent, or another number of tokens than that of the turn before.
  if ((bad.usage?.inputTokens ?? 0) === 0) expect(bad.usage?.costUsd ?? 0).toBe(0);
  else expect(bad.usage?.inputTokens).not.toBe(first?.inputTokens);
  const last = await at.run(LAST, { sessionId });
  expect(last.status).toBe("completed");
  expect(counts(at.server.conversation().at(-1), FIRST, LAST, "went on elsewhere")).toEqual([1, 1, 0]);
  if (name === "opencode") expect(last.usage?.costUsd).toBeLessThan(2 * (first?.costUsd ?? 0));
});
