import {
  type AgentDriver,
  type AgentEvent,
  type AgentRequest,
  type Block,
  ContinuoError,
  type Message,
  type NativeRef,
  type OpenConversation,
  textOf,
} from "@continuo/core/model";
import { describe, expect, test, vi } from "vitest";
import { type AgentOptions, toAgent } from "./as-agent.ts";
import { NO_CAPABILITIES } from "./capabilities.ts";

interface Log {
  readonly opened: OpenConversation[];
  readonly said: string[];
  closed: number;
}

interface Behaviour {
  readonly dies?: true;
  readonly missing?: true;
  /** The session that the agent opens instead of the one that it should resume. */
  readonly opensInstead?: string;
}

function driverOf(log: Log, more: Behaviour = {}): AgentDriver {
  return {
    agent: "fake",
    capabilities: async () => ({ ...NO_CAPABILITIES, canResume: true }),
    listSessions: async () => ({ items: [], nextCursor: null }),
    open: async (options) => {
      log.opened.push(options);
      if (more.missing && options.resumeSessionId !== undefined) throw new ContinuoError("not_found", "gone");
      const { resumeSessionId: asked } = options;
      const other = asked === undefined ? undefined : more.opensInstead;
      const sessionId = other ?? asked ?? `n${log.opened.length}`;
      const forked = other === undefined ? {} : { forked: { from: `${asked}`, to: other } };
      const ref: NativeRef = { agent: "fake", sessionId, location: null, cwd: options.cwd };
      const close = async () => {
        log.closed += 1;
      };
      return {
        sessionId,
        resumption: { requested: "x", happened: "native", ref, verifiedBy: "agent", ...forked },
        capabilities: NO_CAPABILITIES,
        async *prompt(blocks: readonly Block[]): AsyncGenerator<AgentEvent> {
          log.said.push(textOf(blocks));
          yield { type: "text", delta: "hello" };
          if (more.dies) throw new ContinuoError("agent_failed", "died");
          yield { type: "usage", total: { inputTokens: 1, outputTokens: 2 }, costUsd: 3 };
          yield { type: "turn_completed", stopReason: "end_turn" };
        },
        resumeSession: () => Promise.reject(new Error("not asked for")),
        cancel: async () => undefined,
        close,
        [Symbol.asyncDispose]: close,
      };
    },
  };
}

const session = { sessionId: "ours", cwd: "/folder", context: {} } as unknown as AgentRequest["session"];
const ref: NativeRef = { agent: "fake", sessionId: "n7", location: null, cwd: "/elsewhere" };
const before: Message = { id: "1", role: "user", content: [{ type: "text", text: "earlier" }], metadata: {} };
const transcript = {
  sessionId: "ours",
  messages: [before],
  lastSequence: 1,
  lastTimestamp: null,
  metadata: {},
};

async function execute(
  parts: Partial<AgentRequest>,
  { options = {}, ...more }: Parameters<typeof driverOf>[1] & { options?: Partial<AgentOptions> } = {},
) {
  const log: Log = { opened: [], said: [], closed: 0 };
  const events: AgentEvent[] = [];
  const agent = toAgent(driverOf(log, more), { cwd: "/default", ...options });
  const run = () =>
    agent.execute(
      { session, run: {} as AgentRequest["run"], input: [{ type: "text", text: "now" }], ...parts },
      { signal: new AbortController().signal, onEvent: async (event) => void events.push(event) },
    );
  return { agent, log, events, run };
}

describe("a driver as an agent", () => {
  test("continues a native session, and first reports which one", async () => {
    const { run, log, events } = await execute({ nativeRef: ref, transcript });
    expect(await run()).toEqual({
      stopReason: "end_turn",
      usage: { inputTokens: 1, outputTokens: 2 },
      costUsd: 3,
      nativeRef: ref,
    });
    expect(events[0]).toEqual({ type: "native_session", ref, happened: "resumed", verifiedBy: "agent" });
    expect(log.opened[0]).toMatchObject({ cwd: "/elsewhere", resumeSessionId: "n7", onMissing: "error" });
    expect(log.said[0]).toMatch(/went on elsewhere[\s\S]*user:\n\| earlier\n[\s\S]*\n\nnow$/u);
    expect(log.closed).toBe(1);
  });

  test("is opened with the policy, model and mode that it was given", async () => {
    const given = { permissions: "safe", model: "small", mode: "plan", onPermission: vi.fn() } as const;
    const { run, log } = await execute({}, { options: given });
    await run();
    expect(log.opened[0]).toMatchObject(given);
  });

  test("begins a session without a reference, and sends it all earlier messages", async () => {
    const { run, log, events } = await execute({ transcript });
    const { nativeRef } = await run();
    expect(nativeRef).toEqual({ agent: "fake", sessionId: "n1", location: null, cwd: "/folder" });
    expect(events[0]).toMatchObject({ type: "native_session", happened: "created", replayedAs: "text" });
    expect(log.said[0]).toMatch(/^This conversation began before[\s\S]*\n\nnow$/u);
  });

  describe("a turn that is given again after a crash", () => {
    const says = (role: Message["role"], words: string, more: object = {}): Message => ({
      id: words,
      role,
      content: [{ type: "text", text: words }],
      metadata: { runId: "r1", ...more },
    });
    const note = says("user", "[The run was interrupted]", { note: "run_interrupted" });
    const work = [says("assistant", "I look."), says("tool", "a parcel")];
    const again = { runId: "r2", metadata: { saidBy: "r1" } } as unknown as AgentRequest["run"];
    const told = (messages: readonly Message[]) => ({ ...transcript, messages: [before, ...messages] });

    test("comes before the calls that were made for it, as text and as a written session, and then again", async () => {
      const request = { run: again, transcript: told([...work, note]) };
      const text = await execute(request);
      await text.run();
      expect(text.log.said[0]).toMatch(
        /earlier\n[\s\S]*user:\n\| now\n[\s\S]*I look\.[\s\S]*a parcel[\s\S]*interrupted\][\s\S]*\n\nnow$/u,
      );
      const written: string[][] = [];
      const writeReplay: AgentOptions["writeReplay"] = async (messages) => {
        written.push(messages.map(({ content }) => textOf(content)));
        return { ref };
      };
      const native = await execute(request, { options: { writeReplay } });
      await native.run();
      expect(written).toEqual([["earlier", "now", "I look.", "a parcel", "[The run was interrupted]"]]);
      expect(native.log.said).toEqual(["now"]);
    });

    test.each<[string, Partial<AgentRequest>]>([
      ["an attempt that did nothing", { run: again, transcript: told([note]) }],
      ["an attempt that only spoke", { run: again, transcript: told([...work.slice(0, 1), note]) }],
      ["an attempt in the session that it resumes", { run: again, transcript: told(work), nativeRef: ref }],
      ["a turn that is not given again", { transcript: told(work) }],
    ])("is not sent twice for %s", async (_, request) => {
      const { run, log } = await execute(request);
      await run();
      expect(log.said[0]?.match(/\bnow\b/gu)).toHaveLength(1);
    });
  });

  test("a replay that is written as a native session is resumed, and not sent again", async () => {
    const asked: unknown[] = [];
    const writeReplay: AgentOptions["writeReplay"] = async (messages, { cwd, title }) => {
      asked.push({ messages, cwd, title });
      return { ref: { ...ref, cwd }, details: { kept: 1 } };
    };
    const titled = { ...session, title: "A talk" };
    const { run, log, events } = await execute({ session: titled, transcript }, { options: { writeReplay } });
    expect((await run()).nativeRef).toEqual({ ...ref, cwd: "/folder" });
    expect(asked).toEqual([{ messages: [before], cwd: "/folder", title: "A talk" }]);
    expect(log.opened[0]).toMatchObject({ cwd: "/folder", resumeSessionId: "n7" });
    expect(log.said).toEqual(["now"]);
    expect(events.slice(0, 2)).toEqual([
      {
        type: "native_session",
        ref: { ...ref, cwd: "/folder" },
        happened: "created",
        verifiedBy: "agent",
        replayedAs: "session",
      },
      {
        type: "diagnostics",
        message: "The earlier conversation was written as a native session.",
        details: { kept: 1 },
      },
    ]);
  });

  test.each([
    ["cannot be written", { writeReplay: () => Promise.reject(new Error("a full disk")) }, "a full disk"],
    ["is not found by the agent", { writeReplay: async () => ({ ref }) }, "gone"],
  ] as const)("a replay that %s is reported as text with its reason", async (_, options, reason) => {
    const { run, log, events } = await execute({ transcript }, { missing: true, options });
    await run();
    expect(log.said[0]).toMatch(/^This conversation began before[\s\S]*\n\nnow$/u);
    expect(events[0]).toMatchObject({ type: "native_session", happened: "created", replayedAs: "text" });
    expect(events[1]).toEqual({
      type: "diagnostics",
      message: `The earlier conversation is sent as text: ${reason}`,
    });
    expect(events[0]).toHaveProperty(
      "reason",
      `the conversation could not be continued in a written session: ${reason}`,
    );
  });

  test("a replay whose agent opens another session than the written one is not reported as that session", async () => {
    const options: Partial<AgentOptions> = { writeReplay: async () => ({ ref }) };
    const { run, events } = await execute({ transcript }, { opensInstead: "n8", options });
    expect((await run()).nativeRef).toMatchObject({ sessionId: "n8" });
    expect(events[0]).toMatchObject({ ref: { sessionId: "n8" }, happened: "created", verifiedBy: "agent" });
    expect(events[0]).not.toHaveProperty("replayedAs");
  });

  test("a session without earlier messages has no form of a replay", async () => {
    const { run, events } = await execute({}, { options: { writeReplay: async () => ({ ref }) } });
    await run();
    expect(events[0]).toMatchObject({ type: "native_session", happened: "created" });
    expect(events[0]).not.toHaveProperty("replayedAs");
  });

  test("reports native_unavailable before any output", async () => {
    const { run, log } = await execute({ nativeRef: ref }, { missing: true });
    await expect(run()).rejects.toMatchObject({ code: "native_unavailable" });
    expect(log.said).toEqual([]);
  });

  test("keeps the program of a session open between its turns if `keepOpen` is set", async () => {
    const { agent, run, log } = await execute(
      { nativeRef: ref },
      { options: { keepOpen: "session", name: "other name" } },
    );
    await run();
    expect((await run()).nativeRef).toEqual({ ...ref, agent: "other name" });
    expect([log.opened.length, log.closed]).toEqual([1, 0]);
    await agent.close();
    expect(log.closed).toBe(1);
  });

  test("ends a program whose turn failed, and reports its output until then", async () => {
    const { agent, run, events } = await execute({}, { dies: true, options: { keepOpen: "session" } });
    await expect(run()).rejects.toMatchObject({ code: "agent_failed" });
    expect(events.at(-1)).toEqual({ type: "text", delta: "hello" });
    expect(agent.conversation).toBe(null);
  });
});

test.each<[string, unknown, string]>([
  ["no options", undefined, "the options of an agent must be an object with cwd"],
  ["no folder", {}, "cwd must be the path of a folder"],
  ["a folder that is no text", { cwd: 7 }, "cwd must be the path of a folder"],
  ["another policy", { cwd: "/x", permissions: "all" }, "permissions must be one of safe, ask, unrestricted"],
  ["a model that is no text", { cwd: "/x", model: {} }, "model must be a text"],
  ["a question that nobody can call", { cwd: "/x", onPermission: true }, "onPermission must be a function"],
])("options are checked before a program is started: %s", (_, options, message) => {
  const driver = driverOf({ opened: [], said: [], closed: 0 });
  expect(() => toAgent(driver, options as AgentOptions)).toThrow(
    expect.objectContaining({ code: "usage", message }),
  );
});
