import { ContinuoError } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { type Continuation, executeRun, runOnce, startRun, startSession } from "@continuo/store/sessions";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  EchoAgent,
  type NativeKind,
  type Script,
  ScriptedAgent,
} from "../../packages/store/src/testing/index.ts";
import { logOf, normal, words } from "./harness/log.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(() => {
  vi.useRealTimers();
  return store.close();
});

interface Outcome {
  readonly agent: ScriptedAgent;
  readonly sessionId: string;
  readonly result: Awaited<ReturnType<typeof runOnce>>;
}

/** Makes two runs of one agent on one session, the second one with the given options. */
async function secondRun(native: NativeKind | undefined, continuation: Continuation): Promise<Outcome> {
  const agent = new ScriptedAgent({
    turns: [[{ say: "one" }], [{ say: "two" }], [{ say: "three" }]],
    ...(native === undefined ? {} : { native }),
  });
  const { sessionId } = await runOnce(store, agent, "first");
  const result = await runOnce(store, agent, "second", { sessionId, continuation });
  return { agent, sessionId, result };
}

const REPLAYED = ["user: first", "assistant: one"];

describe("continuation", () => {
  test.each<[NativeKind | undefined, Continuation]>([
    [undefined, false],
    ["real", false],
  ])("of an agent (native: %s), asked for %s, starts a new native session", async (native, continuation) => {
    const { agent, result } = await secondRun(native, continuation);
    expect(agent.given[1]).toMatchObject({ input: "second", transcript: null, nativeRef: null });
    expect(result.resumption).toMatchObject({ requested: "false", happened: "new" });
  });

  test.each<[NativeKind | undefined, Continuation]>([
    [undefined, "auto"],
    [undefined, true],
    [undefined, "replay"],
    ["real", "replay"],
    ["unavailable", "auto"],
    ["silent", "auto"],
    ["replacing", "auto"],
  ])("of an agent (native: %s), asked for %s, replays", async (native, continuation) => {
    const { agent, result } = await secondRun(native, continuation);
    expect(agent.given.at(-1)).toMatchObject({ input: "second", transcript: REPLAYED, nativeRef: null });
    expect(result).toMatchObject({ status: "completed" });
    const isAuto = continuation !== "replay";
    expect(result.resumption).toMatchObject({
      requested: String(continuation),
      happened: "replay",
      ...(isAuto ? { reason: expect.any(String) } : {}),
    });
  });

  test("replay never uses the native session", async () => {
    const { agent, sessionId } = await secondRun("real", "replay");
    const [first, second] = agent.given.map(({ runId }, at) => `native-${runId}-${at + 1}`);
    expect(agent.nativeSessions.read(String(first))).toEqual(["first"]);
    expect(agent.nativeSessions.read(String(second))).toEqual([...REPLAYED, "second"]);
    expect((await store.getSession(sessionId))?.metadata.providerSessionId).toBe(second);
  });

  test.each<Continuation>(["native", "auto", true])(
    "%s continues natively, and sends no message twice",
    async (continuation) => {
      const { agent, sessionId, result } = await secondRun("real", continuation);
      const ref = {
        agent: "scripted",
        sessionId: `native-${agent.given[0]?.runId}-1`,
        location: null,
        cwd: null,
      };
      expect(agent.given[1]).toMatchObject({ input: "second", transcript: null, nativeRef: ref });
      const resumption = { requested: String(continuation), happened: "native", ref, verifiedBy: "agent" };
      expect(result.resumption).toEqual(resumption);
      expect(agent.nativeSessions.read(ref.sessionId)).toEqual(["first", "second"]);
      const log = await logOf(store, sessionId);
      expect(log.filter(([type]) => type === "session_resumed").map(([, , data]) => data)).toEqual(
        [{ requested: "false", happened: "new", verifiedBy: "none" }, resumption].map((one) =>
          expect.objectContaining({ happened: one.happened, requested: one.requested }),
        ),
      );
      expect(normal((await store.getSession(sessionId))?.metadata)).toEqual({
        providerSessionId: "native-id1-1",
        providerSessions: {
          scripted: {
            sessionId: "native-id1-1",
            model: null,
            location: null,
            cwd: null,
            baseSequence: expect.any(Number),
            verifiedAt: "time",
            state: "live",
          },
        },
      });
    },
  );

  test.each<[NativeKind | undefined, string]>([
    [undefined, "there is no native session of scripted yet"],
    ["unavailable", "native-"],
    ["silent", "did not confirm"],
    ["replacing", "began another native session instead"],
  ])("native with an agent (native: %s) is an error if it is not possible", async (native, why) => {
    const agent = new ScriptedAgent({
      turns: [[{ say: "one" }]],
      ...(native === undefined ? {} : { native }),
    });
    const { sessionId } = await runOnce(store, agent, "first");
    const run = await startRun(store, sessionId, "second");
    const attempt = executeRun(store, agent, run.runId, { continuation: "native" });
    await expect(attempt).rejects.toMatchObject({
      code: "native_unavailable",
      message: expect.stringContaining(why),
    });
    const log = await logOf(store, sessionId);
    expect(log.at(-1)).toEqual([
      "run_failed",
      "system",
      { runId: expect.any(String), error: expect.objectContaining({ code: "native_unavailable" }) },
    ]);
    expect(log.filter(([type]) => type === "message_received")).toHaveLength(1);
    expect(await store.getRun(run.runId)).toMatchObject({ status: "failed" });
  });

  test("auto records in the log why it replayed", async () => {
    const { sessionId, agent } = await secondRun("unavailable", "auto");
    const log = await logOf(store, sessionId);
    expect(log.slice(10)).toEqual([
      ["run_started", "system", expect.anything()],
      ["message_sent", "person", { content: words("second") }],
      [
        "session_resumed",
        "system",
        {
          requested: "auto",
          happened: "replay",
          verifiedBy: "none",
          reason: "scripted could not go on natively: the session is not there any more",
        },
      ],
      ["message_received", "scripted", { content: words("three"), messageId: "said-1" }],
      ["turn_completed", "scripted", { stopReason: "end_turn" }],
      ["session_updated", "system", expect.anything()],
      ["run_completed", "system", expect.anything()],
    ]);
    // The agent was called twice, both times with the same input.
    expect(agent.given.map(({ input }) => input)).toEqual(["first", "second", "second"]);
  });

  test.each<NativeKind>(["forking", "lying"])(
    "an agent that answers from another session (%s) has forked",
    async (native) => {
      const { agent, result, sessionId } = await secondRun(native, "native");
      const [first, second] = agent.given.map(({ runId }, at) => `native-${runId}-${at + 1}`);
      expect(result.status).toBe("completed");
      expect(result.resumption).toMatchObject({
        happened: "native",
        ref: { sessionId: second },
        forked: { from: first, to: second },
      });
      const log = await logOf(store, sessionId);
      expect(log.filter(([type]) => type === "session_resumed").at(-1)?.[2]).toMatchObject({
        forked: expect.anything(),
      });
      expect((await store.getSession(sessionId))?.metadata).toMatchObject({
        providerSessionId: second,
        providerSessions: { scripted: { sessionId: second } },
      });
      // The reference has changed, so the next run uses the new one.
      await runOnce(store, agent, "third", { sessionId });
      expect(agent.given[2]?.nativeRef?.sessionId).toBe(second);
    },
  );

  test.each([
    [{ maxMessages: 1 }, ["assistant: one"]],
    [{ maxChars: 3 }, ["assistant: one"]],
    [{ limit: 5 }, ["assistant: one"]],
    [{ maxTokensApprox: 1_000 }, REPLAYED],
  ])(
    "includes the messages that fit in %j, and reports what it left out",
    async (continuationOpts, expected) => {
      const agent = new ScriptedAgent({ turns: [[{ say: "one" }]] });
      const { sessionId } = await runOnce(store, agent, "first");
      const { resumption } = await runOnce(store, agent, "second", { sessionId, continuationOpts });
      expect(agent.given[1]?.transcript).toEqual(expected);
      const omitted = REPLAYED.length - expected.length;
      const isCut = "limit" in continuationOpts ? {} : { messages: omitted };
      expect(resumption).toMatchObject({ happened: "replay", omitted: isCut });
    },
  );

  test("a tokenizer without a limit leaves nothing out, and nothing is reported", async () => {
    const agent = new ScriptedAgent({ turns: [[{ say: "one" }]] });
    const { sessionId } = await runOnce(store, agent, "first");
    const continuationOpts = { tokenizer: (text: string) => text.length };
    const { resumption } = await runOnce(store, agent, "second", { sessionId, continuationOpts });
    expect(agent.given[1]?.transcript).toEqual(REPLAYED);
    expect(resumption).not.toHaveProperty("omitted");
  });

  const NO_HALVES = { calls: 0, results: 0 };
  test.each<[number, string, object]>([
    [5, "replay", { messages: 0, events: 4, firstSequence: 1, lastSequence: 4, chars: 0, halves: NO_HALVES }],
    [2, "new", { messages: 0, events: 7, firstSequence: 1, lastSequence: 7, chars: 0, halves: NO_HALVES }],
  ])(
    "reports which events a limit of %i left unread, also if no message remains (%s)",
    async (limit, happened, omitted) => {
      const agent = new ScriptedAgent({ turns: [[{ say: "one" }]] });
      const { sessionId } = await runOnce(store, agent, "first");
      const continuationOpts = { limit };
      const { resumption } = await runOnce(store, agent, "second", {
        sessionId,
        continuation: "replay",
        continuationOpts,
      });
      const reason = "the events that were read contain no earlier message";
      expect(resumption).toEqual({
        requested: "replay",
        happened,
        verifiedBy: "none",
        omitted,
        ...(happened === "new" ? { reason } : {}),
      });
    },
  );

  test("counts the results whose calls a limit left unread", async () => {
    const agent = new ScriptedAgent({ turns: [[{ call: "read", id: "c", result: "x" }, { say: "one" }]] });
    const { sessionId } = await runOnce(store, agent, "first");
    const { resumption } = await runOnce(store, agent, "second", {
      sessionId,
      continuationOpts: { limit: 5 },
    });
    expect(agent.given[1]?.transcript).toEqual(["assistant: one"]);
    expect(resumption?.omitted).toMatchObject({ halves: { calls: 0, results: 1 } });
  });

  test.each([{ maxMessages: 1 }, { limit: 4 }])(
    "natively too, for messages that the agent has not received (%j)",
    async (continuationOpts) => {
      const agent = new ScriptedAgent({ native: "real" });
      const { sessionId } = await runOnce(store, agent, "first");
      const said = ["one", "two", "three"].map((content) => ({ type: "message_sent", data: { content } }));
      await store.append(sessionId, said);
      const { resumption } = await runOnce(store, agent, "second", { sessionId, continuationOpts });
      const isPage = "limit" in continuationOpts;
      expect(agent.given[1]?.transcript).toEqual(
        isPage ? ["user: one", "user: two", "user: three"] : ["user: three"],
      );
      expect(resumption).toMatchObject({ happened: "native", omitted: isPage ? {} : { messages: 2 } });
    },
  );

  test("shows how earlier runs ended", async () => {
    const agent = new ScriptedAgent({ turns: [[{ call: "read", id: "c" }, { fail: "broken" }]] });
    const { sessionId } = await runOnce(store, agent, "first");
    await runOnce(store, agent, "second", { sessionId });
    expect(agent.given[1]?.transcript).toEqual([
      "user: first",
      "assistant: read({})",
      expect.stringContaining("tool: interrupted"),
      "user: [The run failed.]",
    ]);
  });
});

describe("several agents on one session", () => {
  test.each<[NativeKind | undefined, NativeKind | undefined]>([
    ["real", "real"],
    ["real", undefined],
    ["real", "unavailable"],
    [undefined, undefined],
  ])("in turns (native: %s and %s) each receive every message once", async (nativeA, nativeB) => {
    const { sessionId } = await startSession(store);
    const agents = [nativeA, nativeB].map(
      (native, at) =>
        new ScriptedAgent({
          name: `agent${at}`,
          turns: ({ input }) => [{ say: `${at} hears ${input}` }],
          ...(native === undefined ? {} : { native }),
        }),
    );
    const order = [0, 0, 1, 0, 1, 1, 0];
    const said: string[] = [];
    for (const [turn, at] of order.entries()) {
      const agent = agents[at];
      if (agent === undefined) throw new Error();
      // Sometimes another message is added to the session too.
      if (turn === 3) {
        await store.append(sessionId, [{ type: "message_sent", data: { content: "by the way" } }]);
        said.push("user: by the way");
      }
      const { status } = await runOnce(store, agent, `q${turn}`, { sessionId });
      expect(status).toBe("completed");
      const given = agent.given.at(-1);
      const heard = knownTo(agent, given);
      expect(heard, `turn ${turn}`).toEqual([
        ...said.filter((line) => isNews(line, agent, given)),
        `user: q${turn}`,
      ]);
      said.push(`user: q${turn}`, `assistant: ${at} hears q${turn}`);
    }
  });
});

type GivenTurn = ScriptedAgent["given"][number] | undefined;

/** Returns the messages of the conversation that an agent can know in this turn. */
function knownTo(agent: ScriptedAgent, given: GivenTurn): readonly string[] {
  const native = given?.nativeRef;
  const asUser = (line: string): string => (/^(user|assistant): /.test(line) ? line : `user: ${line}`);
  if (native !== undefined && native !== null) return agent.nativeSessions.read(native.sessionId).map(asUser);
  return [...(given?.transcript ?? []), `user: ${given?.input}`];
}

/** A native session already has its own answers. */
function isNews(line: string, agent: ScriptedAgent, given: GivenTurn): boolean {
  const native = given?.nativeRef;
  return native === undefined || native === null || !line.startsWith(`assistant: ${agent.name.at(-1)} `);
}

describe("messages that arrive while an agent answers", () => {
  test("are received by its next turn, natively too", async () => {
    let said = 0;
    const agent = new ScriptedAgent({
      native: "real",
      turns: ({ input }) => (input === "3" ? [] : [{ say: "a" }, { hook: "say" }, { say: "b" }]),
      hooks: {
        say: async () => {
          await store.append(sessionId, [{ type: "message_sent", data: { content: `wait ${++said}` } }]);
        },
      },
    });
    const { sessionId } = await startSession(store);
    for (const input of ["1", "2", "3", "4"]) await runOnce(store, agent, input, { sessionId });
    expect(agent.given.map(({ input, transcript }) => [transcript, input])).toEqual([
      [null, "1"],
      [["user: wait 1"], "2"],
      [["user: wait 2"], "3"],
      [null, "4"],
    ]);
  });

  test("an agent without native sessions receives the whole conversation once", async () => {
    const { sessionId } = await startSession(store);
    const agent = new ScriptedAgent();
    await runOnce(store, new EchoAgent(), "one", { sessionId });
    await runOnce(store, agent, "two", { sessionId });
    expect(agent.given[0]?.transcript).toEqual(["user: one", "assistant: one"]);
  });

  test("a turn without earlier messages receives them when it continues natively", async () => {
    const agent = new ScriptedAgent({
      native: "real",
      turns: [[{ say: "a" }], [{ say: "b" }], [{ say: "c" }]],
    });
    const { sessionId } = await runOnce(store, new EchoAgent(), "before");
    await runOnce(store, agent, "1", { sessionId, continuation: false });
    await runOnce(store, agent, "2", { sessionId });
    expect(agent.given.map(({ input, transcript }) => [transcript, input])).toEqual([
      [null, "1"],
      [["user: before", "assistant: before"], "2"],
    ]);
  });
});

describe("a native session whose turn failed or was stopped", () => {
  const USAGE = { inputTokens: 60, outputTokens: 50 };

  test("is continued when it received the input, and receives how the turn ended", async () => {
    const agent = new ScriptedAgent({
      native: "real",
      turns: [[], [{ say: "half" }, { usage: USAGE }, { wait: "abort" }], []],
    });
    const { sessionId } = await runOnce(store, agent, "1");
    const { status } = await runOnce(store, agent, "2", { sessionId, budget: { maxTokens: 1 } });
    expect(status).toBe("cancelled");
    expect(await runOnce(store, agent, "3", { sessionId })).toMatchObject({
      resumption: { happened: "native" },
    });
    expect(agent.given[2]?.transcript).toEqual([
      "user: [The budget of the run was used up: maxTokens (110 of 1).]",
      "user: [The run was cancelled: the budget was used up (maxTokens)]",
    ]);
  });

  test.each<[string, Script, object]>([
    ["it failed before it was received", [{ fail: "no network" }], {}],
    ["it was left", [{ say: "half" }, { hook: "late" }, { wait: "forever" }], { timeoutMs: 300, graceMs: 1 }],
  ])("is not trusted by auto if %s; native trusts it", async (_, script, options) => {
    const late = (): void => {
      vi.advanceTimersByTime(300);
      vi.useRealTimers();
    };
    const agent = new ScriptedAgent({ native: "real", turns: [[], script], hooks: { late } });
    const { sessionId } = await runOnce(store, agent, "1");
    // The time limit ends exactly when the agent reaches this point.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await runOnce(store, agent, "2", { sessionId, ...options });
    vi.useRealTimers();
    const { metadata } = (await store.getSession(sessionId)) ?? {};
    expect(metadata).toMatchObject({ providerSessions: { scripted: { state: "unsure" } } });
    const { resumption } = await runOnce(store, agent, "3", { sessionId, continuation: "native" });
    expect(resumption).toMatchObject({ happened: "native", reason: "an earlier turn on it was cut off" });
    await store.updateSession(sessionId, { metadata: metadata ?? {} });
    expect((await runOnce(store, agent, "4", { sessionId })).resumption).toMatchObject({
      happened: "replay",
    });
  });
});

test("after a turn in which another program wrote to the native session, auto continues in another one", async () => {
  const live = new ContinuoError("session_live", "another program wrote to it", { details: { began: true } });
  const agent = new ScriptedAgent({
    turns: [[{ say: "one" }], [{ say: "half" }, { hook: "live" }], [{ say: "three" }]],
    native: "real",
    hooks: {
      live: () => {
        throw live;
      },
    },
  });
  const { sessionId } = await runOnce(store, agent, "first");
  const shared = await runOnce(store, agent, "second", { sessionId });
  expect(shared).toMatchObject({ status: "failed", error: { code: "session_live" } });
  const next = await runOnce(store, agent, "third", { sessionId });
  expect(next).toMatchObject({ status: "completed", resumption: { happened: "replay" } });
  expect(agent.given.at(-1)?.transcript).toEqual(expect.arrayContaining(["user: second", "assistant: half"]));
});

test("a turn is not replayed while another program has the native session open", async () => {
  const agent = new ScriptedAgent({
    turns: [[{ say: "one" }], [{ hook: "live" }], [{ say: "beside it" }]],
    native: "real",
    hooks: {
      live: () => {
        throw new ContinuoError("session_live", "another program has the session open");
      },
    },
  });
  const { sessionId } = await runOnce(store, agent, "first");
  const second = await runOnce(store, agent, "second", { sessionId });
  expect(second).toMatchObject({ status: "failed", error: { code: "session_live" } });
  expect(agent.given).toHaveLength(2);
});

test("a turn that was cancelled before the agent answered leaves a native session that auto does not trust", async () => {
  const stop = new AbortController();
  const agent = new ScriptedAgent({
    turns: [[{ say: "one" }], [{ hook: "stop" }, { wait: "forever" }], [{ say: "three" }]],
    native: "real",
    hooks: { stop: () => stop.abort() },
  });
  const { sessionId } = await runOnce(store, agent, "first");
  const cancelled = await runOnce(store, agent, "second", { sessionId, signal: stop.signal });
  expect(cancelled.status).toBe("cancelled");
  const next = await runOnce(store, agent, "third", { sessionId });
  expect(next).toMatchObject({ status: "completed", resumption: { happened: "replay" } });
});
