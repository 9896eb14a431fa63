/**
 * Conformance of an agent to version 1 of the Agent Client Protocol: a test for each rule, named by the ids of the
 * protocol's own test kit. Each test has a process of its own, and each message is checked by the protocol's schema. A
 * rule about a capability that an agent does not claim only checks that the claim is absent.
 */

import { describe, expect, test } from "vitest";
import { type Json, type ProgramToTry, Wire } from "./wire.ts";

export interface Subject extends Disposable {
  readonly program: ProgramToTry;
  /** The folder of new sessions. */
  readonly cwd: string;
  /** A prompt that is answered with text at once. */
  readonly prompt: string;
  /** A prompt whose turn runs until it is cancelled. */
  readonly endless: string;
  /** A prompt whose turn asks for a permission, calls a tool and makes a plan. */
  readonly asking: string;
}

const TIMEOUT_MS = 120_000;

/** Processes whose agent does not claim the capability that the rule is about. */
const withoutClaim = new WeakSet<Wire>();

export const isUnclaimed = (wire: Wire): boolean => withoutClaim.has(wire);

/** `hello` replaces the default parameters of `initialize`. */
export type Rule = (
  title: string,
  check: (wire: Wire, subject: Subject, answer: Json) => Promise<void>,
  hello?: Json,
) => void;

/** All rules, by subject. */
export const GROUPS: readonly (readonly [about: string, rules: (rule: Rule) => void])[] = [
  ["transport", transportRules],
  ["initialize", initializeRules],
  ["sessions", sessionRules],
  ["list, deletion and end", listRules],
  ["turns", turnRules],
  ["settings", settingRules],
  ["access", accessRules],
];

/** `unclaimed` has the ids of the rules about capabilities that the agent does not claim. */
export function describeConformance(
  name: string,
  make: () => Subject | Promise<Subject>,
  { unclaimed }: { readonly unclaimed: readonly string[] },
): void {
  const rule: Rule = (title, check, hello = HELLO) =>
    test(title, { timeout: TIMEOUT_MS }, async () => {
      using subject = await make();
      await using wire = new Wire(subject.program);
      const answer = await wire.get("initialize", hello);
      await check(wire, subject, answer);
      expect(wire.violations).toEqual([]);
      expect(isUnclaimed(wire)).toBe(unclaimed.includes(title.split(" ")[0] ?? title));
    });
  for (const [about, rules] of GROUPS) describe(`${name}: ${about}`, () => rules(rule));
}

function transportRules(rule: Rule): void {
  rule("TRANSPORT-001 every line of its output is one message", async (wire, subject) => {
    await oneTurn(wire, subject);
    expect(wire.lines.every((line) => isMessage(line))).toBe(true);
  });
  rule("TRANSPORT-002 its output is UTF-8", async (wire, subject) => {
    const id = await newSession(wire, subject);
    await say(wire, id, "grüße, 你好, 🦦");
    expect(wire.isInvalidUtf8).toBe(false);
  });
  rule("JSONRPC-001 an answer has the id of its question, a number or a text", async (wire) => {
    expect((await wire.ask("session/list", {}, 4_711)).id).toBe(4_711);
    expect((await wire.ask("session/list", {}, "list-1")).id).toBe("list-1");
  });
  rule("JSONRPC-002 an answer is a result or an error with an integer code", async (wire) => {
    const { error, result } = await wire.ask("session/new", { cwd: 3 });
    expect([result, Number.isInteger(error?.code)]).toEqual([undefined, true]);
  });
  rule("JSONRPC-003 a notification has no answer", async (wire) => {
    const before = wire.messages.length;
    wire.notify("session/cancel", { sessionId: "nobody" });
    wire.notify("_continuo/unknown", {});
    await wire.ask("session/list", {});
    expect(wire.messages.slice(before).filter(({ id }) => id === undefined || id === null)).toEqual([]);
  });
  rule("JSONRPC-004 an unknown method is -32601", async (wire) => {
    expect((await wire.ask("session/nonsense", {})).error?.code).toBe(-32_601);
  });
  rule("JSONRPC-005 it is usable after an error", async (wire, subject) => {
    wire.write("{ no json\n");
    await wire.ask("session/nonsense", {});
    await oneTurn(wire, subject);
  });
}

function initializeRules(rule: Rule): void {
  rule("INIT-001 its answer is valid, with an integer version", async (_wire, _subject, hello) => {
    expect(Number.isInteger(hello.protocolVersion)).toBe(true);
  });
  rule("INIT-002 asked for version 1 it answers 1", async (_wire, _subject, hello) => {
    expect(hello.protocolVersion).toBe(1);
  });
  rule(
    "INIT-003 asked for a version of the future it answers one that it has",
    async (_wire, _subject, { protocolVersion }) => {
      expect(protocolVersion).toBeGreaterThanOrEqual(1);
      expect(protocolVersion).toBeLessThan(65_535);
    },
    { ...HELLO, protocolVersion: 65_535 },
  );
  rule("INIT-004 it says its name and version", async (_wire, _subject, hello) => {
    expect(hello.agentInfo).toMatchObject({ name: expect.any(String), version: expect.any(String) });
  });
  rule("SCHEMA-001 all messages of a whole conversation are valid", async (wire, subject) => {
    const id = await newSession(wire, subject);
    await say(wire, id, subject.prompt);
    await wire.ask("session/list", {});
    await wire.ask("session/load", { sessionId: id, cwd: subject.cwd, mcpServers: [] });
    await wire.ask("session/close", { sessionId: id });
    await wire.ask("session/delete", { sessionId: id });
    expect(wire.violations).toEqual([]);
  });
}

function sessionRules(rule: Rule): void {
  rule("SESSION-001 a new session begins in an absolute folder", async (wire, subject) => {
    expect(await newSession(wire, subject)).not.toBe("");
  });
  rule("SESSION-002 ids are distinct", async (wire, subject) => {
    const ids = [await newSession(wire, subject), await newSession(wire, subject)];
    expect(new Set(ids).size).toBe(2);
  });
  rule("LOAD-001 a session is loaded, with a valid answer", async (wire, subject, hello) => {
    if (!has(hello, "loadSession")) return expectAbsent(wire, "session/load", subject);
    const id = await oneTurn(wire, subject);
    await wire.get("session/load", { sessionId: id, cwd: subject.cwd, mcpServers: [] });
  });
  rule(
    "LOAD-002 all of the history comes before the answer, and nothing after",
    async (wire, subject, hello) => {
      if (!has(hello, "loadSession")) return expectAbsent(wire, "session/load", subject);
      const id = await oneTurn(wire, subject);
      const before = wire.updatesOf(id).length;
      await wire.get("session/load", { sessionId: id, cwd: subject.cwd, mcpServers: [] });
      const replay = wire.updatesOf(id).slice(before);
      expect(replay.map(({ sessionUpdate }) => sessionUpdate)).toEqual(
        expect.arrayContaining(["user_message_chunk", "agent_message_chunk"]),
      );
      const at = wire.messages.length;
      await wire.ask("session/list", {});
      expect(historyIn(wire.messages.slice(at).map(({ params }) => params?.update as Json))).toEqual([]);
    },
  );
  rule("LOAD-003 the answer is an object", async (wire, subject, hello) => {
    if (!has(hello, "loadSession")) return expectAbsent(wire, "session/load", subject);
    const id = await oneTurn(wire, subject);
    const { result } = await wire.ask("session/load", { sessionId: id, cwd: subject.cwd, mcpServers: [] });
    expect(result).toEqual(expect.any(Object));
  });
  rule("RESUME-001 a session is resumed, with a valid answer", async (wire, subject, hello) => {
    if (!hasOf(hello, "resume")) return expectAbsent(wire, "session/resume", subject);
    const id = await oneTurn(wire, subject);
    await wire.get("session/resume", { sessionId: id, cwd: subject.cwd });
  });
  rule("RESUME-002 no history comes with it", async (wire, subject, hello) => {
    if (!hasOf(hello, "resume")) return expectAbsent(wire, "session/resume", subject);
    const id = await oneTurn(wire, subject);
    const before = wire.updatesOf(id).length;
    await wire.get("session/resume", { sessionId: id, cwd: subject.cwd });
    expect(historyIn(wire.updatesOf(id).slice(before))).toEqual([]);
  });
}

function listRules(rule: Rule): void {
  rule("LIST-001 the list has the session of a turn", async (wire, subject, hello) => {
    if (!hasOf(hello, "list")) return expectAbsent(wire, "session/list", subject);
    const id = await oneTurn(wire, subject);
    const { sessions } = await wire.get("session/list", { cwd: subject.cwd });
    expect(sessions).toEqual(expect.arrayContaining([expect.objectContaining({ sessionId: id })]));
  });
  rule("LIST-002 a folder of nobody has none", async (wire, subject, hello) => {
    if (!hasOf(hello, "list")) return expectAbsent(wire, "session/list", subject);
    expect((await wire.get("session/list", { cwd: "/nobody/was/here" })).sessions).toEqual([]);
  });
  rule("DELETE-001 a deleted session is gone from the list", async (wire, subject, hello) => {
    if (!hasOf(hello, "delete")) return expectAbsent(wire, "session/delete", subject);
    const id = await oneTurn(wire, subject);
    await wire.get("session/delete", { sessionId: id });
    const { sessions } = await wire.get("session/list", {});
    expect((sessions as readonly Json[]).map(({ sessionId }) => sessionId)).not.toContain(id);
  });
  rule("DELETE-002 to delete what is not there is no error", async (wire, subject, hello) => {
    if (!hasOf(hello, "delete")) return expectAbsent(wire, "session/delete", subject);
    expect((await wire.ask("session/delete", { sessionId: "nobody" })).error).toBeUndefined();
  });
  rule("CLOSE-001 a session is closed", async (wire, subject, hello) => {
    if (!hasOf(hello, "close")) return expectAbsent(wire, "session/close", subject);
    await wire.get("session/close", { sessionId: await newSession(wire, subject) });
  });
  rule("CLOSE-002 to close cancels the turn that runs", async (wire, subject, hello) => {
    if (!hasOf(hello, "close")) return expectAbsent(wire, "session/close", subject);
    const id = await newSession(wire, subject);
    const turn = wire.ask("session/prompt", prompt(id, subject.endless));
    await begun(wire, id);
    await wire.get("session/close", { sessionId: id });
    expect((await turn).result).toMatchObject({ stopReason: "cancelled" });
  });
  rule("ADDDIRS-001 further folders are taken only where that is claimed", async (wire, subject, hello) => {
    const wanted = { cwd: subject.cwd, mcpServers: [], additionalDirectories: ["/"] };
    if (hasOf(hello, "additionalDirectories")) await wire.get("session/new", wanted);
    else withoutClaim.add(wire);
  });
}

function turnRules(rule: Rule): void {
  rule("PROMPT-001 a turn ends with a reason of the protocol", async (wire, subject) => {
    const answer = await say(wire, await newSession(wire, subject), subject.prompt);
    expect(STOP_REASONS).toContain(answer.stopReason);
  });
  rule("PROMPT-002 its updates are those of its session", async (wire, subject) => {
    const id = await oneTurn(wire, subject);
    const updates = wire.messages.filter(({ method }) => method === "session/update");
    expect(updates.every(({ params }) => params?.sessionId === id)).toBe(true);
    expect(wire.updatesOf(id).length).toBeGreaterThan(0);
  });
  rule("PROMPT-003 a link to a resource is taken", async (wire, subject) => {
    const id = await newSession(wire, subject);
    const link = { type: "resource_link", uri: `file://${subject.cwd}/readme`, name: "readme" };
    await wire.get("session/prompt", {
      sessionId: id,
      prompt: [{ type: "text", text: subject.prompt }, link],
    });
  });
  rule("CANCEL-001 a cancelled turn ends so, and is no error", async (wire, subject) => {
    const id = await newSession(wire, subject);
    const turn = wire.ask("session/prompt", prompt(id, subject.endless));
    await begun(wire, id);
    wire.notify("session/cancel", { sessionId: id });
    const { result, error } = await turn;
    expect([result?.stopReason, error]).toEqual(["cancelled", undefined]);
  });
  rule("CANCEL-002 no update follows the answer", async (wire, subject) => {
    const id = await newSession(wire, subject);
    const turn = wire.ask("session/prompt", prompt(id, subject.endless));
    await begun(wire, id);
    wire.notify("session/cancel", { sessionId: id });
    await turn;
    const after = wire.updatesOf(id).length;
    await wire.ask("session/list", {});
    expect(historyIn(wire.updatesOf(id).slice(after))).toEqual([]);
  });
  for (const [rank, capability, block] of CONTENT) {
    rule(`PROMPTCAP-${rank} ${capability} is taken where it is claimed`, async (wire, subject, hello) => {
      const { promptCapabilities = {} } = (hello.agentCapabilities ?? {}) as Json;
      if ((promptCapabilities as Json)[capability] !== true) return void withoutClaim.add(wire);
      const id = await newSession(wire, subject);
      const words = { type: "text", text: subject.prompt };
      await wire.get("session/prompt", { sessionId: id, prompt: [words, block] });
    });
  }
}

function settingRules(rule: Rule): void {
  rule("MODES-001 the current mode is one of those that there are", async (wire, subject) => {
    const { modes } = await wire.get("session/new", { cwd: subject.cwd, mcpServers: [] });
    if (modes === undefined || modes === null) return void withoutClaim.add(wire);
    const { currentModeId, availableModes } = modes as { currentModeId: string; availableModes: Json[] };
    expect(availableModes.map(({ id }) => id)).toContain(currentModeId);
  });
  rule("MODES-002 a mode is set", async (wire, subject) => {
    const { sessionId, modes } = await wire.get("session/new", { cwd: subject.cwd, mcpServers: [] });
    if (modes === undefined || modes === null) return void withoutClaim.add(wire);
    const last = (modes as { availableModes: Json[] }).availableModes.at(-1);
    await wire.get("session/set_mode", { sessionId, modeId: last?.id });
  });
  rule("CONFIG-001 the options of a new session are valid", async (wire, subject) => {
    const { configOptions } = await wire.get("session/new", { cwd: subject.cwd, mcpServers: [] });
    for (const { currentValue, options } of (configOptions ?? []) as Json[]) {
      expect((options as Json[]).map(({ value }) => value)).toContain(currentValue);
    }
  });
  rule("CONFIG-002 the answer to a choice has all options", async (wire, subject) => {
    const { sessionId, configOptions } = await wire.get("session/new", {
      cwd: subject.cwd,
      mcpServers: [],
    });
    const before = (configOptions ?? []) as Json[];
    const last = before.at(-1);
    if (last === undefined) return void withoutClaim.add(wire);
    const value = ((last.options as Json[]).at(-1) as Json).value;
    const answer = await wire.get("session/set_config_option", { sessionId, configId: last.id, value });
    const after = answer.configOptions as Json[];
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(after.find(({ id }) => id === last.id)?.currentValue).toBe(value);
  });
  rule("CONFIG-003 no option is yes or no for a client that has none such", async (wire, subject) => {
    const { configOptions } = await wire.get("session/new", { cwd: subject.cwd, mcpServers: [] });
    expect(((configOptions ?? []) as Json[]).filter(({ type }) => type === "boolean")).toEqual([]);
  });
}

function accessRules(rule: Rule): void {
  rule("AUTH-001 the ids of ways to log in are distinct", async (_wire, _subject, hello) => {
    const ids = methodsOf(hello).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
  rule("AUTH-002 none needs a terminal that the client has not", async (_wire, _subject, hello) => {
    expect(methodsOf(hello).filter(({ type }) => type === "terminal")).toEqual([]);
  });
  rule("AUTH-003 an unknown way to log in is answered", async (wire) => {
    const { result, error } = await wire.ask("authenticate", { methodId: "nonsense" });
    expect([result, error].filter((one) => one !== undefined)).toHaveLength(1);
  });
  rule("AUTH-004 after it the agent is usable", async (wire, subject) => {
    await wire.ask("authenticate", { methodId: "nonsense" });
    await newSession(wire, subject);
  });
  rule("AUTH-005 without a way to log in nothing asks for a login", async (wire, subject, hello) => {
    if (methodsOf(hello).length > 0) return void withoutClaim.add(wire);
    await oneTurn(wire, subject);
    await wire.ask("session/list", {});
    expect(wire.messages.filter(({ error }) => error?.code === -32_000)).toEqual([]);
  });
  for (const [rank, prefix] of [
    ["001", "fs/"],
    ["002", "terminal/"],
    ["003", "elicitation/"],
  ] as const) {
    rule(
      `CLIENTCAP-${rank} nothing of ${prefix} is asked of a client that has it not`,
      async (wire, subject) => {
        await oneTurn(wire, subject);
        expect(wire.asked.filter(({ method }) => method?.startsWith(prefix))).toEqual([]);
      },
    );
  }
  rule("EXT-001 a method of an extension gets some answer", async (wire) => {
    const { result, error } = await wire.ask("_nobody/knows", {});
    expect([result, error].filter((one) => one !== undefined)).toHaveLength(1);
  });
  rule("META-001 _meta is accepted everywhere", async (wire, subject) => {
    const _meta = { "example.org/trace": "1" };
    const { sessionId } = await wire.get("session/new", { cwd: subject.cwd, mcpServers: [], _meta });
    await wire.get("session/prompt", { ...prompt(sessionId, subject.prompt), _meta });
  });
  rule("ERROR-001 the words of an error are one line", async (wire) => {
    const { error } = await wire.ask("session/load", { sessionId: "nobody", cwd: "/", mcpServers: [] });
    expect(error?.message).toEqual(expect.any(String));
    expect(error?.message).not.toContain("\n");
  });
  rule("SHUTDOWN-001 it ends when its input does", async (wire, subject) => {
    await newSession(wire, subject);
    expect(await wire.end()).not.toBeNull();
  });
}

export const HELLO: Json = {
  protocolVersion: 1,
  clientCapabilities: {},
  clientInfo: { name: "conformance", version: "1" },
};

const STOP_REASONS = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"];

/** A picture of one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const CONTENT: readonly (readonly [rank: string, capability: string, block: Json])[] = [
  ["001", "image", { type: "image", mimeType: "image/png", data: PNG }],
  ["002", "audio", { type: "audio", mimeType: "audio/wav", data: "UklGRg==" }],
  [
    "003",
    "embeddedContext",
    { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "a" } },
  ],
];

async function newSession(wire: Wire, { cwd }: Subject): Promise<string> {
  return String((await wire.get("session/new", { cwd, mcpServers: [] })).sessionId);
}

function prompt(sessionId: unknown, text: string): Json {
  return { sessionId, prompt: [{ type: "text", text }] };
}

async function say(wire: Wire, sessionId: string, text: string): Promise<Json> {
  return await wire.get("session/prompt", prompt(sessionId, text));
}

async function oneTurn(wire: Wire, subject: Subject): Promise<string> {
  const id = await newSession(wire, subject);
  await say(wire, id, subject.prompt);
  return id;
}

async function begun(wire: Wire, id: string): Promise<void> {
  await expect.poll(() => historyIn(wire.updatesOf(id)).length, { timeout: 60_000 }).toBeGreaterThan(0);
}

/** Updates that belong to a conversation; settings and titles may come at any time. */
function historyIn(updates: readonly (Json | undefined)[]): string[] {
  return updates
    .map((update) => String(update?.sessionUpdate ?? ""))
    .filter((name) => /message_chunk|thought_chunk|tool_call|plan/u.test(name));
}

function has({ agentCapabilities }: Json, name: string): boolean {
  return ((agentCapabilities ?? {}) as Json)[name] === true;
}

function hasOf({ agentCapabilities }: Json, name: string): boolean {
  const { sessionCapabilities = {} } = (agentCapabilities ?? {}) as Json;
  const claimed = (sessionCapabilities as Json)[name];
  return claimed !== undefined && claimed !== null;
}

/** The agent refuses a method that it does not claim. */
async function expectAbsent(wire: Wire, method: string, { cwd }: Subject): Promise<void> {
  const { error } = await wire.ask(method, { sessionId: "nobody", cwd, mcpServers: [] });
  expect(error?.code).toEqual(expect.any(Number));
  withoutClaim.add(wire);
}

function methodsOf({ authMethods }: Json): readonly Json[] {
  return (authMethods ?? []) as readonly Json[];
}

function isMessage(line: string): boolean {
  try {
    return (JSON.parse(line) as Json).jsonrpc === "2.0";
  } catch {
    return false;
  }
}
