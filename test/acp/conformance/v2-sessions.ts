/** Rules of version 2 about sessions: beginning, resuming, listing, closing and deleting them, and their choices. */

import { expect } from "vitest";
import type { Subject } from "./v1.ts";
import {
  askingTurn,
  idleAfter,
  idles,
  messagesIn,
  newSession,
  notClaimed,
  oneTurn,
  promptOf,
  type Rule,
  running,
  say,
  updatesNamed,
} from "./v2-kit.ts";
import type { Json, Wire } from "./wire.ts";

export function sessionRules(rule: Rule): void {
  rule("SESSION-001 a new session begins in an absolute folder", async (wire, subject) => {
    expect(await newSession(wire, subject)).not.toBe("");
  });
  rule("SESSION-002 ids are distinct", async (wire, subject) => {
    expect(await newSession(wire, subject)).not.toBe(await newSession(wire, subject));
  });
  rule("SESSION-203 no list of MCP servers is the same as an empty one", async (wire, { cwd }) => {
    const [without, empty] = [
      await wire.get("session/new", { cwd }),
      await wire.get("session/new", { cwd, mcpServers: [] }),
    ];
    expect(without.configOptions).toEqual(empty.configOptions);
  });
  for (const [rank, kind, server] of [
    ["201", "stdio", { type: "stdio", name: "files", command: "/nowhere/serve", args: [], env: [] }],
    ["202", "http", { type: "http", name: "web", url: "http://127.0.0.1:9/mcp", headers: [] }],
  ] as const) {
    rule(
      `MCP-${rank} a server of the kind ${kind} is taken where it is claimed`,
      async (wire, { cwd }, hello) => {
        const { mcp = {} } = sessionOf(hello) as { readonly mcp?: Json };
        if (mcp[kind] === undefined) return notClaimed(wire);
        await wire.get("session/new", { cwd, mcpServers: [server] });
      },
    );
  }
  for (const [rank, method] of [
    ["201", "session/new"],
    ["202", "session/resume"],
  ] as const) {
    rule(
      `ADDDIRS-${rank} further folders are taken by ${method} where that is claimed`,
      async (wire, subject, hello) => {
        if (sessionOf(hello).additionalDirectories === undefined) return notClaimed(wire);
        const sessionId = await oneTurn(wire, subject);
        const { cwd } = subject;
        await wire.get(method, { sessionId, cwd, additionalDirectories: [cwd] });
      },
    );
  }
  resumeRules(rule);
  listRules(rule);
  endRules(rule);
}

function resumeRules(rule: Rule): void {
  rule("RESUME-201 a session is resumed, with a valid answer", async (wire, subject) => {
    const id = await oneTurn(wire, subject);
    await wire.get("session/close", { sessionId: id });
    const answer = await wire.get("session/resume", { sessionId: id, cwd: subject.cwd });
    expect(answer).toEqual(expect.any(Object));
    await say(wire, id, subject.prompt);
  });
  rule(
    "RESUME-202 from its start all of it comes before the answer, and nothing after",
    async (wire, subject) => {
      const id = await askingTurn(wire, subject);
      const replayed = await replay(wire, subject, id);
      expect(replayed.map(({ sessionUpdate }) => sessionUpdate)).toEqual(
        expect.arrayContaining(["user_message", "agent_message", "tool_call_update"]),
      );
      const before = wire.updatesOf(id).length;
      await wire.get("session/list", {});
      expect(messagesIn(wire.updatesOf(id).slice(before))).toEqual([]);
    },
  );
  rule("RESUME-203 without a start none of it comes", async (wire, subject) => {
    const id = await oneTurn(wire, subject);
    for (const replayFrom of [undefined, null]) {
      const before = wire.updatesOf(id).length;
      await wire.get("session/resume", { sessionId: id, cwd: subject.cwd, replayFrom });
      expect(messagesIn(wire.updatesOf(id).slice(before))).toEqual([]);
    }
  });
  rule("RESUME-204 a prompt keeps the id that its answer named", async (wire, subject) => {
    const id = await newSession(wire, subject);
    const said = [await say(wire, id, subject.prompt), await say(wire, id, subject.asking)];
    const replayed = await replay(wire, subject, id);
    const own = replayed.filter(({ sessionUpdate }) => sessionUpdate === "user_message");
    expect(own.map(({ messageId }) => messageId)).toEqual(said);
    expect(messagesIn(await replay(wire, subject, id))).toEqual(messagesIn(replayed));
  });
  rule("RESUME-205 a part of a message follows its empty whole", async (wire, subject) => {
    const id = await askingTurn(wire, subject);
    const begun = new Set<unknown>();
    let parts = 0;
    for (const { sessionUpdate, messageId, content } of await replay(wire, subject, id)) {
      const [, kind, isPart] = /^(\w+_(?:message|thought))(_chunk)?$/u.exec(String(sessionUpdate)) ?? [];
      if (kind === undefined) continue;
      if (isPart === undefined) {
        expect(content).toEqual([]);
        begun.add(`${kind} ${String(messageId)}`);
      } else {
        parts += 1;
        expect(begun.has(`${kind} ${String(messageId)}`)).toBe(true);
      }
    }
    expect(parts).toBeGreaterThan(2);
  });
}

function listRules(rule: Rule): void {
  rule("LIST-201 without parameters there is a list", async (wire, subject) => {
    const id = await oneTurn(wire, subject);
    const { sessions } = await wire.get("session/list", {});
    expect(sessions).toEqual(expect.arrayContaining([expect.objectContaining({ sessionId: id })]));
  });
  rule("LIST-202 a folder of nobody has none", async (wire, subject) => {
    await oneTurn(wire, subject);
    expect((await wire.get("session/list", { cwd: "/nobody/was/here" })).sessions).toEqual([]);
  });
  rule("LIST-203 a folder has its own sessions, and no others", async (wire, subject) => {
    const id = await oneTurn(wire, subject);
    const { sessions } = await wire.get("session/list", { cwd: subject.cwd });
    expect(sessions).toMatchObject([{ sessionId: id, cwd: subject.cwd }]);
    expect((await wire.get("session/list", { cwd: "/" })).sessions).toEqual([]);
  });
  rule("LIST-204 every folder is absolute", async (wire, subject) => {
    await oneTurn(wire, subject);
    const { sessions } = await wire.get("session/list", {});
    const folders = (sessions as readonly Json[]).map(({ cwd }) => String(cwd));
    expect(folders.length).toBeGreaterThan(0);
    expect(folders.filter((cwd) => !cwd.startsWith("/"))).toEqual([]);
  });
}

function endRules(rule: Rule): void {
  rule("CLOSE-201 a session that waits is closed", async (wire, subject) => {
    const id = await oneTurn(wire, subject);
    expect(await wire.get("session/close", { sessionId: id })).toEqual({});
  });
  rule("CLOSE-202 to close cancels the turn that runs", async (wire, subject) => {
    const id = await running(wire, subject);
    await wire.get("session/close", { sessionId: id });
    await idleAfter(wire, id);
    expect(idles(wire, id)).toMatchObject([{ stopReason: "cancelled" }]);
    expect((await wire.ask("session/prompt", promptOf(id, subject.prompt))).error?.code).toEqual(
      expect.any(Number),
    );
  });
  rule("DELETE-201 a session is deleted, with an empty answer", async (wire, subject, hello) => {
    if (sessionOf(hello).delete === undefined) return notClaimed(wire);
    expect(await wire.get("session/delete", { sessionId: await oneTurn(wire, subject) })).toEqual({});
  });
  rule("DELETE-202 a deleted session is gone from the list", async (wire, subject, hello) => {
    if (sessionOf(hello).delete === undefined) return notClaimed(wire);
    const id = await oneTurn(wire, subject);
    expect((await wire.get("session/list", {})).sessions).toMatchObject([{ sessionId: id }]);
    await wire.get("session/delete", { sessionId: id });
    expect((await wire.get("session/list", {})).sessions).toEqual([]);
  });
  rule("DELETE-203 to delete what is not there is no error", async (wire, subject, hello) => {
    if (sessionOf(hello).delete === undefined) return notClaimed(wire);
    const id = await oneTurn(wire, subject);
    for (const sessionId of [id, id, "nobody"]) await wire.get("session/delete", { sessionId });
  });
}

export function choiceRules(rule: Rule): void {
  const optionsOf = (answer: Json): readonly Json[] => (answer.configOptions ?? []) as readonly Json[];
  const idsOf = (options: readonly Json[]): readonly unknown[] => options.map(({ configId }) => configId);
  /** The last choice among values, and another value of it. */
  const lastOf = (options: readonly Json[]) => {
    const last = options.findLast(({ type }) => type === "select");
    const values = (last?.options ?? []) as readonly Json[];
    return { configId: last?.configId, value: values.at(-1)?.value };
  };
  rule("CONFIG-201 every choice of a new session has an id, a name and its values", async (wire, { cwd }) => {
    const options = optionsOf(await wire.get("session/new", { cwd }));
    expect(options.length).toBeGreaterThan(0);
    for (const { configId, name, type, options: values } of options) {
      expect([configId, name]).toEqual([expect.stringMatching(/./u), expect.stringMatching(/./u)]);
      if (type === "select") expect((values as Json[]).length).toBeGreaterThan(0);
    }
  });
  rule("CONFIG-202 the answer to a choice has all choices", async (wire, { cwd }) => {
    const { sessionId, ...begun } = await wire.get("session/new", { cwd });
    const { configId, value } = lastOf(optionsOf(begun));
    const params = { sessionId, configId, type: "id", value };
    const after = optionsOf(await wire.get("session/set_config_option", params));
    expect(idsOf(after)).toEqual(idsOf(optionsOf(begun)));
    expect(after.find((option) => option.configId === configId)?.currentValue).toBe(value);
  });
  rule("CONFIG-203 a resumed session has the choices of a new one", async (wire, subject) => {
    const { sessionId, ...begun } = await wire.get("session/new", { cwd: subject.cwd });
    await say(wire, String(sessionId), subject.prompt);
    const resumed = await wire.get("session/resume", { sessionId, cwd: subject.cwd });
    expect(idsOf(optionsOf(resumed))).toEqual(idsOf(optionsOf(begun)));
  });
  rule("CONFIG-204 the value of a choice is one of its values", async (wire, { cwd }) => {
    for (const { type, currentValue, options } of optionsOf(await wire.get("session/new", { cwd }))) {
      if (type === "select") expect((options as Json[]).map(({ value }) => value)).toContain(currentValue);
    }
  });
  rule("CONFIG-206 a report of choices has all of them", async (wire, { cwd }) => {
    const { sessionId, ...begun } = await wire.get("session/new", { cwd });
    const params = { sessionId, type: "id", ...lastOf(optionsOf(begun)) };
    await wire.get("session/set_config_option", params);
    for (const told of updatesNamed(wire, String(sessionId), "config_option_update")) {
      expect(idsOf(optionsOf(told))).toEqual(idsOf(optionsOf(begun)));
    }
  });
}

/** The updates that send the session again. */
async function replay(wire: Wire, { cwd }: Subject, sessionId: string): Promise<readonly Json[]> {
  const before = wire.updatesOf(sessionId).length;
  await wire.get("session/resume", { sessionId, cwd, replayFrom: { type: "start" } });
  return wire.updatesOf(sessionId).slice(before);
}

function sessionOf({ capabilities }: Json): Json {
  return ((capabilities as Json).session ?? {}) as Json;
}
