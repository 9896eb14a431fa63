/**
 * Conformance of an agent to the draft of version 2 of the Agent Client Protocol: the rules of the protocol's own test
 * kit that can be judged, each with a process of its own, and each message checked by the protocol's schema. A rule
 * about a capability that an agent does not claim checks nothing. The kit's rules for batches are older than the
 * schema, which has none.
 */

import { describe, expect, test } from "vitest";
import { unknownKeysIn } from "./schema.ts";
import type { Subject } from "./v1.ts";
import {
  areKnown,
  askingTurn,
  HELLO,
  newSession,
  notClaimed,
  oneTurn,
  type Rule,
  ruleOf,
  say,
} from "./v2-kit.ts";
import { choiceRules, sessionRules } from "./v2-sessions.ts";
import { cancelRules, patchRules, turnRules } from "./v2-turns.ts";
import { type Json, type Message, Wire } from "./wire.ts";

/** All rules, by subject. */
export const GROUPS: readonly (readonly [about: string, rules: (rule: Rule) => void])[] = [
  ["connection", connectionRules],
  ["batches", batchRules],
  ["initialize", initializeRules],
  ["access", accessRules],
  ["turns", turnRules],
  ["cancelling", cancelRules],
  ["updates", patchRules],
  ["sessions", sessionRules],
  ["choices", choiceRules],
  ["extensions", extensionRules],
];

/** `unclaimed` has the ids of the rules about capabilities that the agent does not claim. */
export function describeConformance2(
  name: string,
  make: () => Subject | Promise<Subject>,
  { unclaimed }: { readonly unclaimed: readonly string[] },
): void {
  const rule = ruleOf(make, unclaimed);
  describe(`${name}: version 2, first words`, () => firstWordRules(make));
  for (const [about, rules] of GROUPS) describe(`${name}: version 2, ${about}`, () => rules(rule));
}

function connectionRules(rule: Rule): void {
  rule("TRANSPORT-201 every line of its output is one message", async (wire, subject) => {
    await askingTurn(wire, subject);
    expect(wire.lines.length).toBeGreaterThan(10);
    expect(wire.lines.map((line) => (JSON.parse(line) as Json).jsonrpc)).toEqual(wire.lines.map(() => "2.0"));
  });
  rule("TRANSPORT-002 its output is UTF-8", async (wire, subject) => {
    const id = await newSession(wire, subject);
    await say(wire, id, "grüße, 你好, 🦦");
    expect(wire.isInvalidUtf8).toBe(false);
  });
  rule("TRANSPORT-203 a text of several lines is in one line", async (wire, subject) => {
    const id = await newSession(wire, subject);
    await say(wire, id, "one\ntwo\r\nthree\u2028four");
    expect(wire.messages).toHaveLength(wire.lines.length);
    expect(JSON.stringify(wire.updatesOf(id))).toContain("one\\ntwo\\r\\nthree");
  });
  rule("JSONRPC-001 an answer has the id of its question, a number or a text", async (wire) => {
    expect((await wire.ask("session/list", {}, 4_711)).id).toBe(4_711);
    expect((await wire.ask("session/list", {}, "list-1")).id).toBe("list-1");
  });
  rule("JSONRPC-002 an answer is a result, or an error with a code and a text", async (wire) => {
    const { error, result } = await wire.ask("session/new", { cwd: 3 });
    expect(result).toBeUndefined();
    expect([Number.isInteger(error?.code), typeof error?.message]).toEqual([true, "string"]);
  });
  rule("JSONRPC-003 a notification has no answer", async (wire) => {
    const before = wire.messages.length;
    wire.notify("session/cancel", { sessionId: "nobody" });
    wire.notify("session/nonsense", {});
    await wire.ask("session/list", {});
    expect(answersWithoutId(wire, before)).toEqual([]);
  });
  rule("JSONRPC-004 an unknown method is -32601", async (wire) => {
    for (const method of ["session/nonsense", "session/load", "fs/read_text_file"]) {
      expect((await wire.ask(method, {})).error?.code).toBe(-32_601);
    }
  });
  rule("JSONRPC-005 it is usable after errors", async (wire, subject) => {
    await wire.ask("session/nonsense", {});
    await wire.ask("session/prompt", { sessionId: "nobody", prompt: "no list" });
    await oneTurn(wire, subject);
  });
  rule("INFO-PARSE-001 a line that is no JSON is an error without an id", async (wire, subject) => {
    wire.write("{ no json\n");
    await newSession(wire, subject);
    expect(answersWithoutId(wire, 0).map(({ error }) => error?.code)).toEqual([-32_700]);
  });
  rule(
    "INFO-INVALIDREQ-001 an object that is no message is an error without an id",
    async (wire, subject) => {
      wire.write('{"jsonrpc":"2.0","hello":1}\n');
      await newSession(wire, subject);
      expect(answersWithoutId(wire, 0).map(({ error }) => error?.code)).toEqual([-32_600]);
    },
  );
  rule("SHUTDOWN-001 it ends when its input does", async (wire, subject) => {
    await newSession(wire, subject);
    expect(await wire.end()).not.toBeNull();
  });
  rule("STDERR-001 a turn without trouble writes nothing for people", async (wire, subject) => {
    await askingTurn(wire, subject);
    expect(wire.stderr).toBe("");
  });
}

/** The protocol no longer has batches: each is one error, and no request in it runs. */
function batchRules(rule: Rule): void {
  const list = { jsonrpc: "2.0", id: "in-batch", method: "session/list", params: {} };
  const note = { jsonrpc: "2.0", method: "_nobody/knows", params: {} };
  const cases: readonly (readonly [title: string, batch: readonly unknown[]])[] = [
    ["BATCH-201 an empty batch", []],
    ["BATCH-202 a batch of notifications", [note, note]],
    ["BATCH-203 a batch of what is no message", [17, true, null]],
    ["BATCH-204 a batch of questions", [list, { ...list, id: "second" }]],
    ["INFO-BATCH-202 a batch of a question and an answer", [list, { jsonrpc: "2.0", id: 99, result: {} }]],
  ];
  for (const [title, batch] of cases) {
    rule(`${title} is one error, and nothing in it runs`, async (wire, subject) => {
      wire.write(`${JSON.stringify(batch)}\n`);
      await newSession(wire, subject);
      expect(answersWithoutId(wire, 0)).toMatchObject([{ id: null, error: { code: -32_600 } }]);
      expect(wire.messages.filter(({ id }) => id === "in-batch")).toEqual([]);
    });
  }
  rule("INFO-BATCH-201 a batch that breaks off is one error", async (wire, subject) => {
    wire.write('[{"jsonrpc":"2.0","method"\n');
    await newSession(wire, subject);
    expect(answersWithoutId(wire, 0).map(({ error }) => error?.code)).toEqual([-32_700]);
  });
}

function firstWordRules(make: () => Subject | Promise<Subject>): void {
  test("it says nothing before it is asked", async () => {
    using subject = await make();
    await using wire = new Wire(subject.program, 2);
    expect(await wire.end()).toBe(0);
    expect(wire.lines).toEqual([]);
  });
  test("INIT-202 asked for version 1 it answers a version that it has", async () => {
    using subject = await make();
    await using wire = new Wire(subject.program, 1);
    const { protocolVersion } = await wire.get("initialize", { ...HELLO, protocolVersion: 1 });
    expect([1, 2]).toContain(protocolVersion);
  });
}

function initializeRules(rule: Rule): void {
  rule(
    "INIT-001 it is answered, also with unknown fields",
    async (_wire, _subject, hello) => {
      expect(hello.protocolVersion).toBe(2);
    },
    { ...HELLO, _meta: { "example.org/trace": 1 }, later: { than: "this" } },
  );
  rule("INIT-201 asked for version 2 it answers 2", async (_wire, _subject, hello) => {
    expect(hello.protocolVersion).toBe(2);
  });
  rule(
    "INIT-003 asked for a version of the future it answers its newest",
    async (_wire, _subject, { protocolVersion }) => {
      expect(protocolVersion).toBe(2);
    },
    { ...HELLO, protocolVersion: 65_535 },
  );
  rule("INIT-203 it says its name and version", async (_wire, _subject, { info }) => {
    expect(info).toMatchObject({ name: expect.stringMatching(/./u), version: expect.stringMatching(/./u) });
  });
  rule("INIT-204 capabilities are objects, never yes or no", async (_wire, _subject, { capabilities }) => {
    expect(capabilities).toEqual(expect.any(Object));
    expect(JSON.stringify(capabilities)).not.toMatch(/true|false/u);
  });
  rule("SCHEMA-001 all messages of a whole conversation are valid", async (wire, subject) => {
    const id = await askingTurn(wire, subject);
    await wire.get("session/resume", { sessionId: id, cwd: subject.cwd, replayFrom: { type: "start" } });
    await wire.get("session/list", {});
    await wire.get("session/close", { sessionId: id });
    expect(wire.messages.length).toBeGreaterThan(20);
  });
  rule("SCHEMA-002 no message has fields at its top that the schema does not know", async (wire, subject) => {
    const id = await askingTurn(wire, subject);
    await wire.get("session/resume", { sessionId: id, cwd: subject.cwd, replayFrom: { type: "start" } });
    await wire.get("session/list", {});
    expect(wire.messages.flatMap((message) => unknownKeysIn(message, wire.methodOf(message), 2))).toEqual([]);
  });
}

function accessRules(rule: Rule): void {
  rule("AUTH-201 the ids of ways to log in are distinct", async (_wire, _subject, hello) => {
    const ids = methodsOf(hello).map(({ methodId }) => methodId);
    expect(new Set(ids).size).toBe(ids.length);
  });
  rule("AUTH-202 none needs a terminal that the client has not", async (_wire, _subject, hello) => {
    expect(methodsOf(hello).filter(({ type }) => type === "terminal")).toEqual([]);
  });
  rule("AUTH-203 without a way to log in nobody can be logged out", async (wire, _subject, hello) => {
    if (methodsOf(hello).length > 0) return notClaimed(wire);
    expect((await wire.ask("auth/logout", {})).error?.code).toBe(-32_601);
  });
  rule("AUTH-204 an unknown way to log in is an error, and leaves it usable", async (wire, subject) => {
    const { error } = await wire.ask("auth/login", { methodId: "nonsense" });
    expect(error?.code).toEqual(expect.any(Number));
    await newSession(wire, subject);
  });
  rule("AUTH-205 without a way to log in nothing asks for a login", async (wire, subject, hello) => {
    if (methodsOf(hello).length > 0) return notClaimed(wire);
    await oneTurn(wire, subject);
    await wire.ask("session/list", {});
    expect(wire.messages.filter(({ error }) => error?.code === -32_000)).toEqual([]);
  });
  rule("AUTH-206 the kind of a way to log in is a known one", async (_wire, _subject, hello) => {
    expect(
      areKnown(
        methodsOf(hello).map(({ type }) => type),
        ["agent", "terminal"],
      ),
    ).toBe(true);
  });
  rule(
    "AUTH-207 a login in a terminal has words and variables, each once",
    async (wire, _subject, hello) => {
      const logins = methodsOf(hello).filter(({ type }) => type === "terminal");
      if (logins.length === 0) notClaimed(wire);
      for (const { args = [], env = [] } of logins) {
        expect((args as unknown[]).every((word) => typeof word === "string")).toBe(true);
        const names = (env as readonly Json[]).map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
      }
    },
    { ...HELLO, capabilities: { auth: { terminal: {} } } },
  );
}

function extensionRules(rule: Rule): void {
  rule("EXT-001 a method of an extension gets some answer", async (wire) => {
    const { result, error } = await wire.ask("_nobody/knows", {});
    expect([result, error].filter((one) => one !== undefined)).toHaveLength(1);
  });
  rule("EXT-201 a notification of an extension is ignored", async (wire, subject) => {
    const before = wire.messages.length;
    wire.notify("_nobody/knows", { value: 1 });
    await newSession(wire, subject);
    expect(answersWithoutId(wire, before)).toEqual([]);
  });
  rule("EXT-202 its capabilities have no fields of its own at their top", async (_wire, _subject, hello) => {
    expect(["session", "auth", "providers", "_meta"]).toEqual(
      expect.arrayContaining(Object.keys((hello.capabilities ?? {}) as Json)),
    );
  });
  rule("EXT-203 an unknown notification of the protocol is ignored", async (wire, subject) => {
    const before = wire.messages.length;
    wire.notify("$/nobody_knows", {});
    await newSession(wire, subject);
    expect(answersWithoutId(wire, before)).toEqual([]);
  });
  rule("META-001 _meta is accepted everywhere", async (wire, subject) => {
    const _meta = { "example.org/trace": "1" };
    const { sessionId } = await wire.get("session/new", { cwd: subject.cwd, _meta });
    await wire.get("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text: subject.prompt, _meta }],
      _meta,
    });
    await wire.get("session/list", { _meta });
  });
  rule("META-201 its own _meta is an object wherever it stands", async (wire, subject) => {
    const id = await askingTurn(wire, subject);
    await wire.get("session/resume", { sessionId: id, cwd: subject.cwd, replayFrom: { type: "start" } });
    await wire.get("session/list", {});
    const metas = wire.messages.flatMap((message) => metasIn(message));
    expect(metas.length).toBeGreaterThan(0);
    expect(metas.filter((meta) => typeof meta !== "object" || Array.isArray(meta))).toEqual([]);
  });
  rule("ERROR-001 the words of an error are one line", async (wire) => {
    const { error } = await wire.ask("session/resume", { sessionId: "nobody", cwd: "/" });
    expect(error?.message).toMatch(/^[^\n]+$/u);
  });
}

/** Answers without the id of a request. */
function answersWithoutId(wire: Wire, from: number): readonly Message[] {
  return wire.messages
    .slice(from)
    .filter(({ id, method }) => method === undefined && (id === undefined || id === null));
}

function methodsOf({ authMethods }: Json): readonly Json[] {
  return (authMethods ?? []) as readonly Json[];
}

function metasIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(metasIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => (key === "_meta" ? [one] : metasIn(one)));
}
