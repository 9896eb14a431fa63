/**
 * Errors in the code of a program's own agents fail the run, and keep the information that a developer needs to find
 * them.
 */

import { type Agent, ContinuoError } from "@continuo/core/model";
import { openContinuo, type RunHandle, type SessionHandle } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { executeRun, runOnce } from "@continuo/store/sessions";
import { afterEach, expect, test, vi } from "vitest";

const cause = new Error("the price list has no row 7");
function priceOf(): never {
  throw new TypeError("cannot read the price", { cause });
}
const mistaken = { name: "desk", execute: async () => priceOf() };
const refused = {
  name: "desk",
  execute: () => Promise.reject(new ContinuoError("agent_failed", "the provider answered 500")),
};

afterEach(() => void vi.restoreAllMocks());

test("a mistake reaches `onError` with its stack and cause, and only its message is stored", async () => {
  const reported: unknown[] = [];
  await using c = await openContinuo("memory:", {
    agents: [mistaken],
    onError: (error) => reported.push(error),
  });
  const outcome = await c.session("s", { create: true }).send("hello").result();
  expect(outcome).toMatchObject({
    status: "failed",
    error: { code: "agent_failed", message: "cannot read the price" },
  });
  await expect.poll(() => reported).toHaveLength(1);
  const [error] = reported as [TypeError];
  expect(error).toBeInstanceOf(TypeError);
  expect([error.stack?.includes("priceOf"), error.cause]).toEqual([true, cause]);
  const { events } = await c.store.read("s", {});
  expect(JSON.stringify(events)).not.toMatch(/priceOf|row 7/u);
});

test("without `onError` the warning shows the stack and the cause", async () => {
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
  await using c = await openContinuo("memory:", { agents: [mistaken] });
  await c.session("s", { create: true }).send("hello").result();
  await expect.poll(() => warn.mock.calls.length).toBe(1);
  expect(String(warn.mock.calls[0]?.[0])).toMatch(
    /priceOf[\s\S]*\[cause\]: Error: the price list has no row 7/u,
  );
});

test("a mistake in `authorize` is reported with its stack, and the client does not get its words", async () => {
  const onError = vi.fn();
  await using c = await openContinuo("memory:", { onError });
  const handler = c.handler({ authorize: () => ({ sessions: "shop" as "*", access: "read" }) });
  const response = await handler(new Request("http://shop.example/v1/sessions/shop"));
  expect([response.status, await response.text()]).toEqual([
    500,
    expect.not.stringMatching(/authorize|beginsWith/u),
  ]);
  const [[error]] = onError.mock.calls as [[TypeError]];
  expect(error).toBeInstanceOf(TypeError);
  expect(error.message).toMatch(/^authorize returned sessions: "shop"; give "\*" for all/u);
});

test("a failure with a code becomes the result of the run, and is not reported", async () => {
  const onError = vi.fn();
  await using c = await openContinuo("memory:", { agents: [refused], onError });
  const session = c.session("s", { create: true });
  expect(await session.send("hello").result()).toMatchObject({ status: "failed" });
  expect(await session.send("again").result()).toMatchObject({
    error: { code: "agent_failed", message: "the provider answered 500" },
  });
  expect(onError).not.toHaveBeenCalled();
});

test("a failure that nobody waits for is one warning with the session, the run and the reason", async () => {
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
  await using c = await openContinuo("memory:", { agents: [refused], pollMs: 10 });
  const { runId } = await c.session("s", { create: true }).send("hello");
  await expect.poll(() => warn.mock.calls.length).toBe(1);
  const [error] = warn.mock.calls[0] ?? [];
  expect(error).toMatchObject({
    code: "agent_failed",
    message: `nobody waited for the run ${runId} of "s", which failed: the provider answered 500`,
    hint: expect.stringMatching(/`result\(\)`.*`onError` of `openContinuo`.*`retry: /u),
    details: { sessionId: "s", runId },
  });
  await c.close();
  expect(warn).toHaveBeenCalledTimes(1);
});

const READERS: readonly (readonly [string, (session: SessionHandle, run: RunHandle) => Promise<unknown>])[] =
  [
    ["its result", (_, run) => run.result()],
    ["its events", (_, run) => Array.fromAsync(run)],
    ["its text", (_, run) => Array.fromAsync(run.textStream()).catch(() => undefined)],
    ["the run by its id", async (session, run) => session.run((await run).runId).result()],
    [
      "the events of its session",
      async (session) => {
        for await (const { type } of session.events()) if (type === "run_failed") break;
      },
    ],
  ];

test.each(READERS)("a failure is not reported to a program that reads %s", async (_, read) => {
  const onError = vi.fn();
  await using c = await openContinuo("memory:", { agents: [refused], onError, pollMs: 10 });
  const session = c.session("s", { create: true });
  await read(session, session.send("hello"));
  await c.close();
  expect(onError).not.toHaveBeenCalled();
});

/** A stream of the run or of its session, which never has the cause of a failure. */
type Stream = (session: SessionHandle, run: RunHandle) => Response | null | Promise<Response | null>;

const STREAMS: readonly (readonly [string, Stream])[] = [
  ["the server-sent events of the run", (_, run) => run.toSSE()],
  ["the stream of the run for useChat", (_, run) => run.toUIMessageResponse()],
  ["the server-sent events of the session", (session) => session.toSSE()],
  ["the stream of the session for useChat", (session) => session.toUIMessageResponse()],
  ["the changes of the chat", (session) => session.toChatEvents()],
];

/** An agent that fails after `fail`, so that a stream is open when it does. */
function failingLater(): { readonly agent: Agent; readonly fail: () => void } {
  const gate = Promise.withResolvers<void>();
  const execute = async (): Promise<never> => {
    await gate.promise;
    throw new ContinuoError("unauthorized", "wrong key sk-1");
  };
  return { agent: { name: "desk", execute }, fail: gate.resolve };
}

/** Reads a stream until it has the words of the failure, or ends. */
async function readToFailure(stream: Response | null, atFirstWords: () => void): Promise<string> {
  let words = "";
  for await (const part of stream?.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    atFirstWords();
    words += part;
    if (words.includes("The answer failed")) break;
  }
  return words;
}

test.each(STREAMS)(
  "a failure is reported once if its only readers have %s, without the cause",
  async (_, open) => {
    const onError = vi.fn();
    const { agent, fail } = failingLater();
    await using c = await openContinuo("memory:", { agents: [agent], onError, pollMs: 10 });
    const session = c.session("s", { create: true });
    const run = session.send("hello");
    const { runId } = await run;
    const words = await readToFailure(await open(session, run), fail);
    expect(words).toContain("The answer failed (unauthorized).");
    expect(words).not.toContain("sk-1");
    await c.close();
    expect(onError.mock.calls).toEqual([
      [
        expect.objectContaining({
          code: "unauthorized",
          message: `nobody waited for the run ${runId} of "s", which failed: wrong key sk-1`,
          details: { sessionId: "s", runId },
        }),
      ],
    ]);
  },
);

test("a failure that a person reads over HTTP is reported to the program once", async () => {
  const onError = vi.fn();
  const { agent, fail } = failingLater();
  await using c = await openContinuo("memory:", { agents: [agent], onError, pollMs: 10 });
  const handler = c.handler({ authorize: () => ({ sessions: ["ann"], access: "chat", by: "ann" }) });
  const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "hello" }] }];
  const body = JSON.stringify({ messages });
  const asked = new Request("http://desk.example/v1/sessions/ann/chat", { method: "POST", body });
  const words = await readToFailure(await handler(asked), fail);
  expect(words).toContain("The answer failed (unauthorized).");
  await c.close();
  expect(onError.mock.calls).toMatchObject([[{ code: "unauthorized", details: { sessionId: "ann" } }]]);
});

test("a failure is not reported if a program waits for the result while somebody has a stream", async () => {
  const onError = vi.fn();
  const { agent, fail } = failingLater();
  await using c = await openContinuo("memory:", { agents: [agent], onError, pollMs: 10 });
  const run = c.session("s", { create: true }).send("hello");
  const [outcome] = await Promise.all([run.result(), readToFailure(run.toSSE(), fail)]);
  expect(outcome).toMatchObject({ status: "failed", error: { message: "wrong key sk-1" } });
  await c.close();
  expect(onError).not.toHaveBeenCalled();
});

test("a text stream has the words of a run that fails, and then throws the error of the run", async () => {
  const failing: Agent = {
    name: "desk",
    async execute(_request, { onEvent }) {
      await onEvent({ type: "text", messageId: "m1", delta: "I look it up" });
      throw new ContinuoError("rate_limited", "the provider is busy");
    },
  };
  const strange = { name: "strange", execute: () => Promise.reject(new Error("no disk")) };
  await using c = await openContinuo("memory:", { agents: [failing, strange], onError: () => undefined });
  const session = c.session("s", { create: true });
  const words: string[] = [];
  const reading = async (agent: string): Promise<void> => {
    for await (const text of session.send("hello", { agent }).textStream()) words.push(text);
  };
  await expect(reading("desk")).rejects.toMatchObject({
    code: "rate_limited",
    message: "the provider is busy",
  });
  await expect(reading("strange")).rejects.toMatchObject({ code: "agent_failed", message: "no disk" });
  expect(words.join("")).toBe("I look it up");
});

/** An agent that says something and then waits for its end. */
const slow: Agent = {
  name: "slow",
  async execute(_request, { onEvent, signal }) {
    await onEvent({ type: "text", messageId: "m1", delta: "I look it up" });
    return await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  },
};

/** Reads an answer, does something at its first words, and returns the words and the error at their end. */
async function readUntil(
  words: AsyncIterable<string>,
  atFirstWords: () => unknown,
): Promise<readonly [words: string, error: unknown]> {
  let read = "";
  try {
    for await (const text of words) {
      if (read === "") await atFirstWords();
      read += text;
    }
  } catch (error) {
    return [read, error];
  }
  return [read, null];
}

test.each([
  ["ends without an error if its reader cancels the run", "reader", null],
  ["ends without an error if the signal of its reader aborts", "signal", null],
  [
    "throws if somebody else cancels the run",
    "other",
    { code: "cancelled", details: { status: "cancelled" } },
  ],
  ["throws if the session is stopped", "stop", { code: "cancelled", details: { status: "cancelled" } }],
] as const)("a text stream %s", async (_, by, error) => {
  await using c = await openContinuo("memory:", { agents: [slow], pollMs: 10 });
  const session = c.session("s", { create: true });
  const run = session.send("hello");
  const { runId } = await run;
  const leaving = new AbortController();
  const ends = {
    reader: () => run.cancel(),
    signal: () => leaving.abort(),
    other: () => session.run(runId).cancel(),
    stop: () => session.stop(),
  };
  const read = await readUntil(run.textStream({ signal: leaving.signal }), ends[by]);
  expect(read).toMatchObject(["I look it up", error]);
  expect((await c.store.getRun(runId))?.status).toBe(by === "signal" ? "running" : "cancelled");
  await c.close({ graceMs: 0 });
});

test("a text stream throws if the run took too long, or if all its attempts were cut off", async () => {
  await using c = await openContinuo("memory:", { work: false, recover: "retry", retry: { attempts: 1 } });
  const session = c.session("s", { create: true });
  const late = session.send("hello", { agent: "slow" });
  const executing = executeRun(c.store, slow, (await late).runId, { timeoutMs: 200 });
  const [, error] = await readUntil(late.textStream(), () => undefined);
  expect(error).toMatchObject({ code: "interrupted", details: { status: "timeout" } });
  expect(await executing).toMatchObject({ status: "timeout" });
  const left = session.send("and now?", { agent: "slow" });
  const { runId } = await left;
  await c.store.transitionRun(runId, { to: "running" });
  const reading = readUntil(left.textStream(), () => undefined);
  await using _other = await openContinuo(c.store, {
    work: false,
    recover: "retry",
    retry: { attempts: 1 },
    leaseMs: 1,
    onError: () => undefined,
  });
  expect((await reading)[1]).toMatchObject({ code: "interrupted", details: { status: "interrupted" } });
  expect(await c.deadLetters.list()).toMatchObject([{ runId, attempts: 1 }]);
});

test("a message that is given up while only a stream reads it is reported as a dead letter", async () => {
  const onError = vi.fn();
  const retry = { on: ["failed"], attempts: 2, backoffMs: 1 } as const;
  await using c = await openContinuo("memory:", { agents: [refused], onError, retry, pollMs: 10 });
  const words = await c.session("s", { create: true }).send("hello").toSSE().text();
  expect(words).toContain("dead_letter");
  await c.close();
  expect(onError.mock.calls).toMatchObject([[{ message: expect.stringMatching(/is a dead letter now/u) }]]);
});

test("a message that is given up is reported once, as a dead letter, unless somebody reads it", async () => {
  const reported: unknown[] = [];
  const retry = { on: ["failed"], attempts: 2, backoffMs: 1 } as const;
  const onError = (error: unknown): unknown => reported.push(error);
  await using c = await openContinuo("memory:", { agents: [refused], onError, retry, pollMs: 10 });
  const session = c.session("s", { create: true });
  expect(await session.send("read").result()).toMatchObject({ status: "failed" });
  const { runId } = await session.send("unread");
  await expect.poll(async () => (await c.deadLetters.list()).length).toBe(2);
  await c.close();
  expect(reported).toEqual([
    expect.objectContaining({
      message: `nobody waited for the run ${runId} of "s", which is a dead letter now: its agent was given it 2 times, and did not end well`,
      hint: expect.stringMatching(/deadLetters\.retry.*retry: \{ attempts: 20 \}/u),
    }),
  ]);
});

test("the session manager returns the error as the agent threw it to the caller that executed the run", async () => {
  await using store = await openStore("memory:");
  const result = await runOnce(store, mistaken, "hello");
  expect(result).toMatchObject({ status: "failed", error: { message: "cannot read the price" } });
  expect(result).toHaveProperty(
    "cause",
    expect.objectContaining({ cause, stack: expect.stringContaining("priceOf") }),
  );
});
