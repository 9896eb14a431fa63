/** Inputs and recorded calls of a replay: files, several attempts, imports, and the limits of the copy in memory. */

import type { Agent, Block, NewEvent } from "@continuo/core/model";
import { type AgentDefinition, type Continuo, openContinuo } from "@continuo/server/runtime";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openWorkingCopy } from "../../packages/server/src/runtime/working-copy.ts";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { withCalls } from "../intercepted.ts";

let c: Continuo;
beforeEach(async () => {
  c = await openContinuo("memory:", { agents: [new EchoAgent()], pollMs: 20 });
});
afterEach(() => c.close({ graceMs: 0 }));

const sends = async (text: string | readonly Block[]): Promise<string> =>
  (await c.session("s", { create: true }).send(text).result()).runId;

/** An agent that says what it was given. */
const seeing: Agent = {
  name: "seeing",
  async execute({ input, transcript }, { onEvent }) {
    const kinds = [...(transcript?.messages ?? []).flatMap(({ content }) => content), ...input];
    const text = kinds.map(({ type }) => type).join(" ");
    await onEvent({ type: "message", content: [{ type: "text", text }] });
    return {};
  },
};

const ANSWERED = "calls of the tool track, in this order";

/** An agent whose only work is to call the tool `track` several times. */
function tracking(times: number, seen: unknown[] = []): AgentDefinition {
  return {
    name: "tracking",
    answersCalls: true,
    open: async ({ answerCall }) => ({
      name: "tracking",
      async execute(_, { onEvent }) {
        for (let at = 0; at < times; at++) {
          const call = answerCall?.({ toolName: "track", toolInput: { order: "7" } });
          seen.push(await call?.catch((error: Error) => error.message));
        }
        await onEvent({ type: "message", content: [{ type: "text", text: ANSWERED }] });
        return {};
      },
    }),
  };
}

test.each([false, true])(
  "an input with a stored picture is replayed, and so are the inputs after it, with keep: %s",
  async (keep) => {
    const { hash } = await c.store.putBlob(Buffer.from("a picture"), { mediaType: "image/png" });
    const picture: Block = { type: "image", mimeType: "image/png", blob: hash };
    await sends([{ type: "text", text: "What is it?" }, picture]);
    await sends("And now?");
    const runs = await c.replay("s", { agent: seeing, keep });
    expect(runs.map(({ after }) => [after.status, after.text])).toEqual([
      ["completed", "text image"],
      ["completed", "text image text image text"],
    ]);
  },
);

test("each event of a session is read once for its copy in memory, however many inputs it has", async () => {
  for (const text of ["one", "two", "three"]) await sends(text);
  const original = await c.store.getSession("s");
  let read = 0;
  const counting = withCalls(c.store, async ({ method, proceed }) => {
    const result = await proceed();
    if (method === "read") read += (result as { readonly events: readonly unknown[] }).events.length;
    return result;
  });
  if (original === null) throw new Error("there is no session");
  await using copy = await openWorkingCopy(counting, original);
  const latest = await c.store.latestSequence("s");
  for (const upTo of [1, 3, latest]) await copy.fork(upTo, "again");
  expect(read).toBe(latest);
});

test("a session that is too large for a copy in memory is refused, with the way that copies nothing", async () => {
  await sends("x".repeat(1_000));
  const original = await c.store.getSession("s");
  if (original === null) throw new Error("there is no session");
  await using copy = await openWorkingCopy(c.store, original, 500);
  const refusal = {
    code: "too_large",
    hint: expect.stringContaining("keep: true"),
    details: { maximum: 500 },
  };
  await expect(copy.fork(await c.store.latestSequence("s"), "again")).rejects.toMatchObject(refusal);
  const { hash } = await c.store.putBlob(new Uint8Array(501));
  await using other = await openWorkingCopy(c.store, original, 500);
  const file: Block = { type: "file", mimeType: "text/plain", blob: hash };
  await expect(other.fork(0, [file])).rejects.toMatchObject(refusal);
});

test("an agent that cannot be opened leaves no session of a replay that keeps its sessions", async () => {
  await sends("one");
  const broken: AgentDefinition = { name: "broken", open: () => Promise.reject(new Error("no key")) };
  await expect(c.replay("s", { agent: broken, keep: true })).rejects.toThrow("no key");
  expect((await c.store.listSessions()).items.map(({ sessionId }) => sessionId)).toEqual(["s"]);
});

test("ids of runs that are no list of texts are refused before an agent is asked", async () => {
  const runId = await sends("one");
  for (const runs of [runId, [1]] as unknown as (readonly string[])[]) {
    await expect(c.replay("s", { agent: seeing, runs })).rejects.toMatchObject({ code: "usage" });
  }
});

const called = (toolCallId: string): NewEvent => ({
  type: "tool_call_started",
  data: { toolCallId, toolName: "track", toolInput: { order: "7" } },
});
const returned = (toolCallId: string, toolOutput: unknown): NewEvent => ({
  type: "tool_call_completed",
  data: { toolCallId, toolOutput },
});
const attempt = (runId: string, metadata: object, ...events: readonly NewEvent[]): readonly NewEvent[] =>
  [{ type: "run_created", data: { runId, input: "Where is it?", metadata } }, ...events].map((event) => ({
    ...event,
    runId,
  }));

test("a call of an input that was tried again gets the answer of the attempt that counted", async () => {
  await c.store.createSession({ sessionId: "tried" });
  await c.store.append("tried", [
    ...attempt("first", {}, called("1"), returned("1", "In Ulm")),
    ...attempt("again", { retryOf: "first" }, called("2"), returned("2", "In Bern")),
  ]);
  const seen: unknown[] = [];
  await c.replay("tried", { agent: tracking(2, seen), tools: "recorded" });
  expect(seen).toEqual(["In Bern", "In Bern"]);
});

test("a call that only an attempt before a crash made has its answer too", async () => {
  await c.store.createSession({ sessionId: "crashed" });
  await c.store.append("crashed", [
    ...attempt("first", {}, called("1"), returned("1", "In Ulm")),
    ...attempt("again", { retryOf: "first" }),
  ]);
  const seen: unknown[] = [];
  await c.replay("crashed", { agent: tracking(1, seen), tools: "recorded" });
  expect(seen).toEqual(["In Ulm"]);
});

test("a structured answer of a tool stays one, and a text that only looks like one stays a text", async () => {
  await c.store.createSession({ sessionId: "structured" });
  const outputs = ['{"place":"Bern"}', '{ "place": "Bern" }', "[now]", [{ type: "city", name: "Bern" }]];
  const calls = outputs.flatMap((output, at) => [called(`${at}`), returned(`${at}`, output)]);
  await c.store.append("structured", attempt("run", {}, ...calls));
  const seen: unknown[] = [];
  await c.replay("structured", { agent: tracking(outputs.length, seen), tools: "recorded" });
  expect(seen).toEqual([{ place: "Bern" }, ...outputs.slice(1)]);
});

/** A session as `importNativeSession` stores it: calls and results are in messages. */
const track = (id: string): Block => ({ type: "tool_call", id, name: "track", args: { order: "7" } });
const answer = (toolCallId: string, text: string, isError = false): NewEvent => ({
  type: "message_sent",
  data: {
    role: "tool",
    messageId: `answer ${toolCallId} ${text}`,
    content: [{ type: "tool_result", toolCallId, content: [{ type: "text", text }], isError }],
  },
});
const said = (text: string): NewEvent => ({
  type: "message_sent",
  data: { role: "user", messageId: text, content: [{ type: "text", text }] },
});
const calling = (...calls: readonly Block[]): NewEvent => ({
  type: "message_received",
  data: {
    messageId: "calls",
    content: [{ type: "text", text: "I look." }, ...calls],
    usage: { inputTokens: 10, outputTokens: calls.length },
  },
});

test("an imported message is replayed with the answers that tools gave in the messages after it", async () => {
  await c.store.createSession({ sessionId: "imported" });
  await c.store.append("imported", [
    said("Where is it?"),
    calling(track("1")),
    answer("1", "In Ulm"),
    // The message has grown, and is stored again.
    calling(track("1"), track("2")),
    answer("2", "no network", true),
    said("And now?"),
    calling(track("3")),
    answer("3", "In Bern"),
  ]);
  const seen: unknown[] = [];
  const runs = await c.replay("imported", { agent: tracking(3, seen), tools: "recorded" });
  expect(seen).toEqual(["In Ulm", "no network", "no network", "In Bern", "In Bern", "In Bern"]);
  expect(runs.map(({ before, after }) => [before.tools, after.unrecorded])).toEqual([
    [["track", "track"], []],
    [["track"], []],
  ]);
  expect(runs.map(({ before }) => before.usage)).toEqual([
    { inputTokens: 10, outputTokens: 2 },
    { inputTokens: 10, outputTokens: 1 },
  ]);
});
