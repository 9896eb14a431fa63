/**
 * Conformance of an agent to the draft of version 2 of the Agent Client Protocol: rules of the protocol's own test kit,
 * each with a process of its own, and each message checked by the protocol's schema.
 */

import { describe, expect, test } from "vitest";
import type { Subject } from "./v1.ts";
import { type Json, Wire } from "./wire.ts";

const TIMEOUT_MS = 120_000;

export function describeConformance2(name: string, make: () => Subject | Promise<Subject>): void {
  const rule: Rule = (title, check, hello = HELLO) =>
    test(title, { timeout: TIMEOUT_MS }, async () => {
      using subject = await make();
      await using wire = new Wire(subject.program, 2);
      const answer = await wire.get("initialize", hello);
      await check(wire, subject, answer);
      expect(wire.violations).toEqual([]);
    });
  describe(`${name}: version 2, connection`, () => connectionRules(rule));
  describe(`${name}: version 2, turns`, () => turnRules(rule));
  describe(`${name}: version 2, sessions`, () => sessionRules(rule));
}

type Rule = (
  title: string,
  check: (wire: Wire, subject: Subject, answer: Json) => Promise<void>,
  hello?: Json,
) => void;

function connectionRules(rule: Rule): void {
  rule("INIT-201 it answers version 2 with its name", async (_wire, _subject, hello) => {
    expect(hello).toMatchObject({
      protocolVersion: 2,
      info: { name: expect.any(String), version: expect.any(String) },
    });
  });
  rule("INIT-202 capabilities are objects, never yes or no", async (_wire, _subject, { capabilities }) => {
    expect(JSON.stringify(capabilities)).not.toMatch(/true|false/u);
  });
  rule(
    "INIT-203 a version of the future gets version 2",
    async (_wire, _subject, { protocolVersion }) => {
      expect(protocolVersion).toBe(2);
    },
    { ...HELLO, protocolVersion: 65_535 },
  );
  rule("BATCH-201 a batch is one error with the id null", async (wire, subject) => {
    wire.write("[]\n");
    await newSession(wire, subject);
    expect(wire.messages.filter(({ id }) => id === null)).toMatchObject([{ error: { code: -32_600 } }]);
  });
  rule("META-201 _meta is accepted", async (wire, { cwd }) => {
    await wire.get("session/new", { cwd, _meta: { "example.org/trace": "1" } });
  });
  rule("SHUTDOWN-201 it ends when its input does", async (wire, subject) => {
    await newSession(wire, subject);
    expect(await wire.end()).not.toBeNull();
  });
}

function turnRules(rule: Rule): void {
  rule("PROMPT-201 a prompt is answered at once with the id of its message", async (wire, subject) => {
    const id = await newSession(wire, subject);
    const { messageId } = await wire.get("session/prompt", promptOf(id, subject.endless));
    expect(messageId).toEqual(expect.any(String));
    expect(statesOf(wire, id)).not.toContain("idle");
  });
  rule("PROMPT-203 the person's message comes back with that id", async (wire, subject) => {
    const id = await newSession(wire, subject);
    const { messageId } = await wire.get("session/prompt", promptOf(id, subject.prompt));
    await idle(wire, id);
    expect(wire.updatesOf(id)).toContainEqual({
      sessionUpdate: "user_message",
      messageId,
      content: [{ type: "text", text: subject.prompt }],
    });
  });
  rule("STATE-201 it runs before it is idle, and says why it is", async (wire, subject) => {
    const id = await newSession(wire, subject);
    await wire.get("session/prompt", promptOf(id, subject.prompt));
    await idle(wire, id);
    expect(statesOf(wire, id)).toEqual(["running", "idle"]);
    expect(wire.updatesOf(id).find(({ state }) => state === "idle")).toMatchObject({
      stopReason: "end_turn",
    });
  });
  rule("STATE-202 nothing of the turn follows the idle state", async (wire, subject) => {
    const id = await newSession(wire, subject);
    await wire.get("session/prompt", promptOf(id, subject.prompt));
    await idle(wire, id);
    await wire.get("session/list", {});
    const updates = wire.updatesOf(id).map(({ sessionUpdate, state }) => `${sessionUpdate} ${state ?? ""}`);
    const after = updates.slice(updates.lastIndexOf("state_update idle") + 1);
    expect(after.filter((one) => /message|thought|tool_call|plan/u.test(one))).toEqual([]);
  });
  rule("CANCEL-201 a cancelled turn becomes idle, cancelled", async (wire, subject) => {
    const id = await newSession(wire, subject);
    await wire.get("session/prompt", promptOf(id, subject.endless));
    await expect.poll(() => wire.updatesOf(id).length, { timeout: 60_000 }).toBeGreaterThan(2);
    wire.notify("session/cancel", { sessionId: id });
    await idle(wire, id);
    expect(wire.updatesOf(id).at(-1)).toMatchObject({ state: "idle", stopReason: "cancelled" });
  });
  rule(
    "PERM-201 a question has a title and options, and the state says that it waits",
    async (wire, subject) => {
      const id = await newSession(wire, subject);
      await wire.get("session/prompt", promptOf(id, subject.asking));
      await idle(wire, id);
      expect(wire.asked).toMatchObject([
        {
          method: "session/request_permission",
          params: { title: expect.any(String), subject: { type: "tool_call" } },
        },
      ]);
      expect(statesOf(wire, id)).toEqual(["running", "requires_action", "running", "idle"]);
    },
  );
  rule(
    "PATCH-201 every chunk, call and plan has its id, and every path is absolute",
    async (wire, subject) => {
      const id = await newSession(wire, subject);
      await wire.get("session/prompt", promptOf(id, subject.asking));
      await idle(wire, id);
      const updates = wire.updatesOf(id);
      const chunks = updates.filter(({ sessionUpdate }) => String(sessionUpdate).endsWith("_chunk"));
      expect(chunks.filter(({ messageId }) => typeof messageId !== "string")).toEqual([]);
      const paths = [...JSON.stringify(updates).matchAll(/"path":"([^"]+)"/gu)].map(([, path = ""]) => path);
      expect(paths.filter((path) => !path.startsWith("/") && path !== "src/a.ts")).toEqual([]);
      expect(updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")).toEqual([]);
    },
  );
}

function sessionRules(rule: Rule): void {
  rule("RESUME-201 a session is resumed without its history", async (wire, subject) => {
    const id = await oneTurn(wire, subject);
    const before = wire.updatesOf(id).length;
    await wire.get("session/resume", { sessionId: id, cwd: subject.cwd });
    expect(messagesIn(wire.updatesOf(id).slice(before))).toEqual([]);
  });
  rule(
    "RESUME-202 from its start it is told before the answer, with the same ids each time",
    async (wire, subject) => {
      const id = await oneTurn(wire, subject);
      const replay = async (): Promise<readonly unknown[]> => {
        const before = wire.updatesOf(id).length;
        await wire.get("session/resume", { sessionId: id, cwd: subject.cwd, replayFrom: { type: "start" } });
        return messagesIn(wire.updatesOf(id).slice(before));
      };
      const first = await replay();
      expect(first.length).toBeGreaterThan(1);
      expect(await replay()).toEqual(first);
    },
  );
  rule("LIST-201 every folder is absolute, and the one that is asked for", async (wire, subject) => {
    const id = await oneTurn(wire, subject);
    const { sessions } = await wire.get("session/list", { cwd: subject.cwd });
    expect(sessions).toMatchObject([{ sessionId: id, cwd: subject.cwd }]);
    expect((await wire.get("session/list", { cwd: "/" })).sessions).toEqual([]);
  });
  rule("DELETE-202 a deleted session is gone from the list", async (wire, subject) => {
    const id = await oneTurn(wire, subject);
    await wire.get("session/delete", { sessionId: id });
    expect((await wire.get("session/list", {})).sessions).toEqual([]);
  });
  rule("CLOSE-201 to close cancels the turn that runs", async (wire, subject) => {
    const id = await newSession(wire, subject);
    await wire.get("session/prompt", promptOf(id, subject.endless));
    await wire.get("session/close", { sessionId: id });
    await idle(wire, id);
  });
  rule("CONFIG-201 the answer to a choice has all options", async (wire, { cwd }) => {
    const { sessionId, configOptions } = await wire.get("session/new", { cwd });
    const before = configOptions as readonly Json[];
    const last = before.at(-1) as Json;
    const value = (last.options as Json[]).at(-1)?.value;
    const params = { sessionId, configId: last.configId, type: "id", value };
    const after = (await wire.get("session/set_config_option", params)).configOptions as readonly Json[];
    expect(after.map(({ configId }) => configId)).toEqual(before.map(({ configId }) => configId));
    expect(after.at(-1)?.currentValue).toBe(value);
  });
}

const HELLO: Json = { protocolVersion: 2, info: { name: "conformance", version: "1" }, capabilities: {} };

async function newSession(wire: Wire, { cwd }: Subject): Promise<string> {
  return String((await wire.get("session/new", { cwd })).sessionId);
}

function promptOf(sessionId: unknown, text: string): Json {
  return { sessionId, prompt: [{ type: "text", text }] };
}

async function oneTurn(wire: Wire, subject: Subject): Promise<string> {
  const id = await newSession(wire, subject);
  await wire.get("session/prompt", promptOf(id, subject.prompt));
  await idle(wire, id);
  return id;
}

async function idle(wire: Wire, id: string): Promise<void> {
  await expect.poll(() => statesOf(wire, id).at(-1), { timeout: 60_000 }).toBe("idle");
}

function statesOf(wire: Wire, id: string): readonly unknown[] {
  return wire
    .updatesOf(id)
    .flatMap(({ sessionUpdate, state }) => (sessionUpdate === "state_update" ? [state] : []));
}

/** The kind and the id of each message and call. */
function messagesIn(updates: readonly Json[]): readonly unknown[] {
  return updates.flatMap(({ sessionUpdate, messageId, toolCallId }) =>
    /message|thought|tool_call/u.test(String(sessionUpdate))
      ? [[sessionUpdate, messageId ?? toolCallId]]
      : [],
  );
}
