import type { AgentEvent, PermissionDecision } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { loggedIn, wantedLogins } from "../../packages/agents/src/drivers/acp/index.ts";
import { chunk, DONE, hello1, type Json, say, spoken, turn } from "./script.ts";
import { scripted } from "./scripted-program.ts";

describe("a session of an ACP agent", () => {
  test("begins, has a turn and ends, and Continuo offers the agent nothing of this machine", async () => {
    const { driver, cwd, sent } = scripted({ hello: hello1({ close: {} }) });
    await using conversation = await driver.open({ cwd });
    expect(conversation.sessionId).toBe("new-1");
    expect(await turn(conversation, "hi")).toEqual([
      { type: "text", delta: "You said: hi" },
      { type: "turn_completed", stopReason: "end_turn" },
    ]);
    expect(conversation.resumption).toEqual({
      requested: "new",
      happened: "new",
      ref: { agent: "scripted", sessionId: "new-1", location: null, cwd },
      verifiedBy: "agent",
    });
    await conversation.close();
    expect(sent().map(({ method }) => method)).toEqual([
      "initialize",
      "session/new",
      "session/prompt",
      "session/close",
    ]);
    expect(sent()[0]?.params).toMatchObject({
      protocolVersion: 1,
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        session: { notices: {}, compaction: {} },
        subagents: {},
      },
    });
  });

  const both = hello1({ resume: {} }, { loadSession: true });
  const answers = {
    "session/load": [
      { update: { sessionUpdate: "user_message_chunk", content: { type: "text", text: "hello" } } },
      chunk("hi "),
      { result: {} },
      // This part comes after the answer, as in Gemini CLI.
      chunk("there"),
    ],
    "session/resume": [{ result: {} }],
  };

  test.each([
    ["without history: resume first", both, {}, ["session/resume done", "session/load skipped"]],
    [
      "with history: load first",
      both,
      { wantHistory: true },
      ["session/load done", "session/resume skipped"],
    ],
    ["only load", hello1({}, { loadSession: true }), {}, ["session/resume not offered", "session/load done"]],
    [
      "only resume",
      hello1({ resume: {} }),
      { wantHistory: true },
      ["session/load not offered", "session/resume done"],
    ],
  ])("is resumed in a way that the agent offers: %s", async (_, hello, wish, steps) => {
    const { driver, cwd } = scripted({ hello, answers });
    await using conversation = await driver.open({ cwd, resumeSessionId: "s7", ...wish });
    const { resumption } = conversation;
    expect(resumption.steps?.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual(steps);
    expect(resumption).toMatchObject({ requested: "resume", happened: "native", ref: { sessionId: "s7" } });
    expect(spoken(await turn(conversation, "on"))).toBe("You said: on");
  });

  test("sends its whole history on request", async () => {
    const { driver, cwd } = scripted({ hello: both, answers });
    await using conversation = await driver.open({ cwd, resumeSessionId: "s7", wantHistory: true });
    expect(conversation.history).toEqual([
      { id: "1", role: "user", content: say("hello"), metadata: {} },
      { id: "2", role: "assistant", content: say("hi there"), metadata: {} },
    ]);
  });

  test("after an advertised capability fails, the next way is taken and reported", async () => {
    const failing = { ...answers, "session/resume": [{ error: { code: -32603, message: "broken" } }] };
    const { driver, cwd } = scripted({ hello: both, answers: failing });
    await using conversation = await driver.open({ cwd, resumeSessionId: "s7" });
    expect(conversation.resumption.steps).toEqual([
      { step: "session/resume", outcome: "failed", reason: "scripted refused session/resume: broken" },
      { step: "session/load", outcome: "done" },
    ]);
  });

  test("an id that changes on load is reported as a fork", async () => {
    const changed = { "session/load": [{ result: { sessionId: "s8" } }] };
    const { driver, cwd } = scripted({ hello: hello1({}, { loadSession: true }), answers: changed });
    await using conversation = await driver.open({ cwd, resumeSessionId: "s7" });
    expect(conversation.resumption).toMatchObject({
      forked: { from: "s7", to: "s8" },
      ref: { sessionId: "s8" },
    });
  });

  test.each([
    ["not there", { "session/load": [{ error: { code: -32002, message: "gone" } }] }, "not_found"],
    ["refused", { "session/load": [{ error: { code: -32603, message: "no" } }] }, "native_unavailable"],
    ["one that it dies of", { "session/load": [{ stderr: "ouch" }, { die: 3 }] }, "native_unavailable"],
  ])("a session that is %s is an error with its steps", async (_, failing, code) => {
    const { driver, cwd } = scripted({ hello: hello1({}, { loadSession: true }), answers: failing });
    const open = driver.open({ cwd, resumeSessionId: "s7" });
    await expect(open).rejects.toMatchObject({ code, details: { steps: expect.any(Array) } });
  });

  test("a session that cannot be resumed is replayed if that was chosen, before the first prompt only", async () => {
    const { driver, cwd, sent } = scripted({ hello: hello1() });
    await using conversation = await driver.open({
      cwd,
      resumeSessionId: "s7",
      onMissing: "replay",
      readHistory: async () => [{ id: "1", role: "user", content: say("earlier words"), metadata: {} }],
    });
    expect(conversation.resumption).toMatchObject({ happened: "replay", ref: { sessionId: "new-1" } });
    await turn(conversation, "one");
    await turn(conversation, "two");
    const prompts = sent().flatMap(({ method, params }) =>
      method === "session/prompt" ? [(params as { prompt: Json[] }).prompt.map(({ text }) => text)] : [],
    );
    expect(prompts).toEqual([[expect.stringContaining("| earlier words"), "one"], ["two"]]);
  });

  test("is the newest of the folder by Continuo's own order, and can be forked and changed", async () => {
    const row = (sessionId: string, updatedAt: string, folder: string) => ({
      sessionId,
      cwd: folder,
      updatedAt,
    });
    const hello = hello1({ list: {}, resume: {}, fork: {} });
    const forked = { "session/fork": [{ result: { sessionId: "f1" } }], "session/resume": [{ result: {} }] };
    const { cwd } = scripted({});
    const sessions = [row("old", "2026-01-01T00:00:00Z", cwd), row("last", "2026-03-01T00:00:00Z", cwd)];
    const elsewhere = row("elsewhere", "2026-04-01T00:00:00Z", "/");
    const agent = scripted({
      hello,
      answers: { ...forked, "session/list": [{ result: { sessions: [...sessions, elsewhere] } }] },
    });
    await using last = await agent.driver.open({ cwd, continueLast: true });
    expect(last.resumption).toMatchObject({ requested: "continue", ref: { sessionId: "last" } });
    expect(await last.resumeSession("old")).toMatchObject({ requested: "resume", ref: { sessionId: "old" } });
    expect(last.sessionId).toBe("old");
    await using fork = await agent.driver.open({ cwd, forkSessionId: "last" });
    expect(fork.resumption).toMatchObject({
      requested: "fork",
      happened: "native",
      ref: { sessionId: "f1" },
    });
  });

  const wants = { "session/new": [{ error: { code: -32000, message: "Authentication required" } }] };
  const hello = { ...hello1(), authMethods: [{ id: "login" }, { id: "a-key" }] };
  const script = { hello, answers: { ...wants, authenticate: [{ result: {} }] } };

  test.each([
    ["does not log in without a key", {}, ["initialize", "session/new"]],
    [
      "logs in with the key that the environment holds, when the agent asks for it",
      { A_KEY: "k" },
      ["initialize", "session/new", "authenticate", "session/new"],
    ],
  ])("%s", async (_, env, methods) => {
    const { driver, cwd, sent } = scripted(script, { env, keys: { "a-key": "A_KEY" } });
    await expect(driver.open({ cwd })).rejects.toMatchObject({
      code: "agent_failed",
      hint: "Start scripted once by itself, and log in.",
    });
    expect(sent().map(({ method }) => method)).toEqual(methods);
  });

  test("an agent that asks for a login is remembered, with its login methods, until it answers a turn", async () => {
    const told = [{ id: "login" }, { id: "a-key" }, { id: "shell", name: "Shell", type: "terminal" }];
    const { driver, cwd } = scripted({
      hello: { ...hello, authMethods: told },
      answers: {
        "session/new": [
          { ifAsked: "authenticate", else: wants["session/new"] },
          { result: { sessionId: "n" } },
        ],
        authenticate: [{ result: {} }],
      },
    });
    const wanted = () => wantedLogins({ home: cwd, env: {} });
    await expect(driver.open({ cwd })).rejects.toMatchObject({ details: { loginOf: "scripted" } });
    expect(wanted()).toEqual([
      {
        agent: "scripted",
        methods: [
          { id: "login", name: "login", description: null },
          { id: "a-key", name: "a-key", description: null },
        ],
        canLogOut: false,
      },
    ]);
    const port = { capabilities: {}, request: async () => ({}), completed: async () => undefined };
    const other = { ...port, login: () => "shell" };
    await expect(driver.open({ cwd, editor: other })).rejects.toMatchObject({ code: "agent_failed" });
    const editor = { ...port, login: (agent: string) => (agent === "scripted" ? "login" : undefined) };
    await using conversation = await driver.open({ cwd, editor });
    expect(wanted()).toHaveLength(1);
    await Array.fromAsync(conversation.prompt(say("hello")));
    expect(wanted()).toEqual([]);
  });

  const info = { name: "scripted-agent", version: "1.0.0" };
  test.each([
    ["logout", { ...hello1({}, { auth: { logout: {} } }), authMethods: [{ id: "a-key" }] }],
    ["auth/logout", { protocolVersion: 2, info, capabilities: {}, authMethods: [{ methodId: "a-key" }] }],
    [null, hello],
  ] as const)(
    "the login of an agent ends by its method %s, and is noted until then",
    async (method, told) => {
      const protocol = "info" in told ? 2 : 1;
      const done = [{ result: {} }];
      const answers = { authenticate: done, "auth/login": done, logout: done, "auth/logout": done };
      const { driver, cwd, sent } = scripted({ hello: told, answers }, { protocol });
      const noted = (): readonly string[] => loggedIn({ home: cwd, env: {} });
      await driver.logIn?.("a-key");
      expect(noted()).toEqual(method === null ? [] : ["scripted"]);
      const ended = driver.logOut?.();
      if (method === null) await expect(ended).rejects.toMatchObject({ code: "unsupported" });
      else await ended;
      expect(noted()).toEqual([]);
      expect(sent().filter((one) => /logout/u.test(String(one.method)))).toHaveLength(
        method === null ? 0 : 1,
      );
      expect(sent().at(-1)?.method).toBe(method ?? "initialize");
    },
  );

  test("an agent that asks for a login only to list its sessions is not remembered", async () => {
    const { driver, cwd } = scripted({
      hello: { ...hello1({ list: {} }), authMethods: [{ id: "login" }] },
      answers: { "session/list": wants["session/new"] },
    });
    await expect(driver.listSessions({ cwd })).rejects.toMatchObject({ code: "agent_failed" });
    expect(wantedLogins({ home: cwd, env: {} })).toEqual([]);
  });
});

describe("a turn of an ACP agent", () => {
  const run = async (steps: Parameters<typeof scripted>[0]["prompts"], options = {}) => {
    const { driver, cwd } = scripted({ prompts: steps ?? {} }, options);
    return await driver.open({ cwd });
  };

  test("reports the cost of the turn if the agent reports the sum of the session", async () => {
    const cost = (amount: number) => ({
      update: { sessionUpdate: "usage_update", used: 5, size: 10, cost: { amount, currency: "USD" } },
    });
    await using conversation = await run({
      one: [cost(0.5), cost(0.75), DONE],
      two: [cost(0.75), cost(1), DONE],
    });
    const costs = async (words: string) =>
      (await turn(conversation, words)).flatMap((event) => (event.type === "usage" ? [event.costUsd] : []));
    expect([await costs("one"), await costs("two")]).toEqual([
      [0.5, 0.25],
      [0, 0.25],
    ]);
  });

  test("reports text, thinking, tools with diffs, plan, cost, title and mode; unknown updates verbatim; repeated ones once", async () => {
    const call = { toolCallId: "t1", title: "Edit a.ts", kind: "edit", rawInput: { path: "a.ts" } };
    const diff = { type: "diff", path: "a.ts", oldText: "a", newText: "b" };
    const done = {
      sessionUpdate: "tool_call_update",
      toolCallId: "t1",
      status: "completed",
      content: [diff],
    };
    const update = (value: Json) => ({ update: value });
    await using conversation = await run({
      go: [
        update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } }),
        update({ sessionUpdate: "tool_call", ...call, status: "pending" }),
        update({ sessionUpdate: "tool_call", ...call, status: "pending" }),
        { ...update(done), times: 2 },
        update({ sessionUpdate: "plan", entries: [{ content: "one" }] }),
        update({ sessionUpdate: "usage_update", used: 5, size: 10, cost: { amount: 0.5, currency: "USD" } }),
        update({ sessionUpdate: "session_info_update", title: "A title" }),
        update({ sessionUpdate: "current_mode_update", currentModeId: "plan" }),
        update({ sessionUpdate: "never_seen_before", x: 1 }),
        { notify: { method: "vendor/unknown", params: { y: 2 } } },
        { raw: "a line of its own\n" },
        { result: { stopReason: "max_tokens", usage: { inputTokens: 1, outputTokens: 2 } } },
      ],
    });
    const events = await turn(conversation, "go");
    const repeat = { type: "tool_call_update", toolCallId: "t1" };
    expect(events).toEqual([
      { type: "thinking", delta: "hm" },
      {
        type: "tool_call",
        toolCallId: "t1",
        toolName: "Edit a.ts",
        title: "Edit a.ts",
        toolInput: { path: "a.ts" },
      },
      { ...repeat, status: "pending", title: "Edit a.ts", toolInput: { path: "a.ts" } },
      { ...repeat, status: "completed", content: [diff] },
      { type: "tool_result", toolCallId: "t1", status: "ok", content: [{ type: "unknown", raw: diff }] },
      { ...repeat, status: "completed", content: [diff] },
      { type: "plan", entries: [{ content: "one" }] },
      { type: "usage", costUsd: 0.5 },
      { type: "diagnostics", details: expect.objectContaining({ used: 5, size: 10 }) },
      { type: "title", title: "A title" },
      { type: "mode", mode: "plan" },
      { type: "diagnostics", details: { sessionUpdate: "never_seen_before", x: 1 } },
      { type: "diagnostics", details: expect.objectContaining({ method: "vendor/unknown" }) },
      { type: "diagnostics", details: "a line of its own" },
      { type: "turn_completed", stopReason: "max_tokens", usage: { inputTokens: 1, outputTokens: 2 } },
    ]);
  });

  test("the output before the agent died in mid-frame is reported, with its stderr", async () => {
    const half = '{"jsonrpc":"2.0","method":"session/upd';
    await using conversation = await run({
      go: [chunk("so far"), { stderr: "ouch" }, { raw: half }, { die: 3 }],
    });
    const told: AgentEvent[] = [];
    const reading = (async () => {
      for await (const event of conversation.prompt(say("go"))) told.push(event);
    })();
    await expect(reading).rejects.toMatchObject({
      code: "agent_failed",
      details: { stderr: "ouch", code: 3 },
    });
    expect(told).toEqual([
      { type: "text", delta: "so far" },
      { type: "diagnostics", details: half },
    ]);
  });

  test("its own notices in the first turn, or between two turns, are not reported as an answer", async () => {
    const greeting = chunk("I am here.") as { update: Json };
    const { driver, cwd } = scripted({
      hello: hello1({ list: {} }),
      answers: {
        "session/new": [{ result: { sessionId: "new-1", _meta: { piAcp: { startupInfo: "I am here." } } } }],
        "session/list": [chunk("Late."), { result: { sessions: [] } }],
      },
      prompts: { one: [greeting, greeting, DONE] },
    });
    await using conversation = await driver.open({ cwd });
    const done = { type: "turn_completed", stopReason: "end_turn" };
    expect(await turn(conversation, "one")).toEqual([
      { type: "diagnostics", details: greeting.update },
      { type: "text", delta: "I am here." },
      done,
    ]);
    await driver.listSessions({ cwd });
    expect(await turn(conversation, "two")).toEqual([
      { type: "diagnostics", details: { type: "text", delta: "Late." } },
      { type: "text", delta: "You said: two" },
      done,
    ]);
  });

  test("the rest of an incomplete line is awaited", async () => {
    const line = JSON.stringify({
      jsonrpc: "2.0",
      method: "session/update",
      params: { sessionId: "new-1", ...(chunk("whole \u2028 line") as { update: Json }) },
    });
    const [first, rest] = [line.slice(0, 40), line.slice(40)];
    await using conversation = await run({
      go: [{ raw: first }, { waitMs: 20 }, { raw: `${rest}\n` }, DONE],
    });
    expect(spoken(await turn(conversation, "go"))).toBe("whole \u2028 line");
  });

  test("huge messages and many messages arrive, and a slow reader slows the agent down", async () => {
    await using conversation = await run({
      go: [{ huge: 5_000_000 }, { ...chunk("y".repeat(1000)), times: 3000 } as never, DONE],
    });
    let chars = 0;
    for await (const event of conversation.prompt(say("go"))) {
      if (event.type === "text") chars += event.delta.length;
    }
    expect(chars).toBe(8_000_000);
  });

  const question = {
    toolCall: { toolCallId: "t1", title: "rm -rf", kind: "execute", rawInput: { command: "rm" } },
    options: [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ],
  };
  test.each([
    ["granted", { outcome: "granted", by: "person" }, "yes"],
    ["denied", { outcome: "denied", by: "time limit" }, "no"],
  ] as const)("asks for a permission, which is %s", async (_, decision, optionId) => {
    const asked: unknown[] = [];
    const { driver, cwd } = scripted({ prompts: { go: [{ ask: question }, DONE] } });
    await using conversation = await driver.open({
      cwd,
      onPermission: async (request): Promise<PermissionDecision> => {
        asked.push(request);
        return decision;
      },
    });
    const events = await turn(conversation, "go");
    const request = {
      approvalId: "new-1:1",
      toolCallId: "t1",
      title: "rm -rf",
      toolInput: { command: "rm" },
      readOnly: false,
      options: [
        { id: "yes", name: "Yes", kind: "allow_once" },
        { id: "no", name: "No", kind: "reject_once" },
      ],
    };
    expect(asked).toEqual([request]);
    expect(events.slice(0, 2)).toEqual([
      { type: "permission_request", ...request },
      { type: "permission_decision", approvalId: "new-1:1", ...decision },
    ]);
    expect(JSON.parse(spoken(events))).toEqual({ outcome: { outcome: "selected", optionId } });
  });

  test("a permission request is denied if nobody can answer it", async () => {
    await using conversation = await run({ go: [{ ask: question }, DONE] });
    const events = await turn(conversation, "go");
    expect(JSON.parse(spoken(events))).toEqual({ outcome: { outcome: "selected", optionId: "no" } });
  });

  const cancelled = {
    go: [chunk("slow"), { untilCancelled: true }, { result: { stopReason: "cancelled" } }],
  } as const;

  test("is cancelled in the middle, and the next turn is not affected", async () => {
    await using conversation = await run(cancelled);
    const told: AgentEvent[] = [];
    for await (const event of conversation.prompt(say("go"))) {
      told.push(event);
      if (event.type === "text") void conversation.cancel();
    }
    expect(told.at(-1)).toEqual({ type: "turn_completed", stopReason: "cancelled" });
    expect(spoken(await turn(conversation, "on"))).toBe("You said: on");
  });

  test("a prompt that was taken back may be answered with an error, and sub-agents are reported as sub-agents", async () => {
    const child = { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "c" } } };
    const refused = { error: { code: -32800, message: "cancelled" } };
    await using conversation = await run({
      go: [{ ...child, sessionId: "child" }, chunk("slow"), { untilCancelled: true }, refused],
    });
    const told: AgentEvent[] = [];
    for await (const event of conversation.prompt(say("go"))) {
      told.push(event);
      if (event.type === "text") void conversation.cancel();
    }
    expect(told).toEqual([
      { type: "diagnostics", details: { sessionId: "child", ...child } },
      { type: "text", delta: "slow" },
      { type: "turn_completed", stopReason: "cancelled" },
    ]);
  });

  test("is cancelled during a permission request, which grants nothing", async () => {
    const { driver, cwd } = scripted({
      prompts: { go: [{ ask: question }, { result: { stopReason: "cancelled" } }] },
    });
    await using conversation = await driver.open({ cwd, onPermission: () => new Promise(() => undefined) });
    const told: AgentEvent[] = [];
    for await (const event of conversation.prompt(say("go"))) {
      told.push(event);
      if (event.type === "permission_request") void conversation.cancel();
    }
    expect(JSON.parse(spoken(told))).toEqual({ outcome: { outcome: "cancelled" } });
  });

  test("an agent that does not stop, or sends nothing, is ended after a time limit", async () => {
    const stubborn = { go: [chunk("on and on"), { silence: true }] } as const;
    await using one = await run(stubborn, { limits: { cancelMs: 100 } });
    const reading = (async () => {
      for await (const _ of one.prompt(say("go"))) void one.cancel();
    })();
    await expect(reading).rejects.toThrow("did not stop when it was asked to");
    await using two = await run(stubborn, { limits: { silenceMs: 200 } });
    await expect(turn(two, "go")).rejects.toThrow("said nothing for 200 ms");
  });
});
