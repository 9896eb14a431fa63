/**
 * A session that is handed from A to B and, unchanged, from B to A is the same session: all its records are unchanged,
 * except for the names of the session, its folder and its entries. Messages that were added in B follow them.
 */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  forkNativeSession,
  type HandOff,
  handOff,
  openNativeSession,
  openSessionAdapter,
  type Places,
} from "@continuo/agents";
import { AGENT_NAMES, type AgentName, type Entry, type Message } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ALL_ROUNDS } from "../sizes/counts.ts";
import { tested } from "../tested-agents.ts";
import { FIXTURES } from "./fixture-pairs.ts";
import { FORMATS, type Home, openHome, withoutNames, wordsOf } from "./homes.ts";

let own: Home;
let home: string;
let cwd: string;
let places: Places;

beforeEach(() => {
  own = openHome();
  ({ home, cwd, places } = own);
});

afterEach(() => own[Symbol.dispose]());

function useFixture(agent: AgentName, name: string): string {
  return own.use(agent, name);
}

/** A session with parallel calls, of which one failed. */
const PARALLEL = tested(({ recorded }) => recorded.parallel);

interface Read {
  readonly entries: readonly Entry[];
  readonly history: readonly Message[];
  readonly cwd: string;
}

async function read(agent: AgentName, id: string): Promise<Read> {
  using session = await openNativeSession(`${agent}:${id}`, { places });
  const before = await Array.fromAsync(session.entriesBefore?.() ?? []);
  const entries = thatCount(agent, [...before, ...(await Array.fromAsync(session.entries()))]);
  const history = await Array.fromAsync(session.history());
  return { entries, history, cwd: session.details.cwd ?? "" };
}

/**
 * Counts the records of the session's own file. A thread of Codex may continue others, whose records follow its header.
 */
function thatCount(agent: AgentName, entries: readonly Entry[]): readonly Entry[] {
  const [header, ...others] = entries.filter(({ file }) => file === undefined);
  const before = agent === "codex" ? entries.filter(({ file, active }) => file !== undefined && active) : [];
  const isHeader = ({ type }: Entry): boolean => type === "session_meta";
  const headersFirst = before.toSorted((a, b) => Number(isHeader(b)) - Number(isHeader(a)));
  return header === undefined ? [] : [header, ...headersFirst, ...others];
}

/** The fields that name a place in a file change if two files become one. */
const PLACES = ["ordinal", "history_base", "forked_from_ordinal_exclusive"];
const IN_FILES = new Set(["fork", "revert"]);

function comparable(agent: AgentName, entries: readonly Entry[], fixture = ""): unknown[] {
  return withoutNames(agent, entries.map(withRevert), IN_FILES.has(fixture) ? PLACES : []);
}

/** The row of an opencode session stores its revert, which names a message, as text. */
function withRevert({ value }: Entry): Pick<Entry, "value"> {
  const { revert } = value as Readonly<Record<string, unknown>>;
  return { value: typeof revert === "string" ? { ...(value as object), revert: JSON.parse(revert) } : value };
}

/** Returns the whole content, including thinking, signatures and ids of calls. */
function saidIn(history: readonly Message[]): unknown[] {
  return history.map(({ role, origin, content }) => ({ role, origin, content: content.map(plain) }));
}

/**
 * The structured copy of a result, and the record of a block that Continuo does not know, may name the session and its
 * folder; both are compared as parts of their records.
 */
function plain(block: object): object {
  const { native: _n, childSessionId: _c, details: _d, raw, ...rest } = block as Record<string, unknown>;
  if (raw === undefined) return rest;
  const { cwd: _cwd, sessionId: _id, ...record } = raw as Record<string, unknown>;
  return { ...rest, raw: record };
}

/** Returns the records after those that came back: the title, if the agent keeps it in the session. */
function titleBehind(agent: AgentName, title: string): unknown[] {
  switch (agent) {
    case "claude":
      return [expect.objectContaining({ type: "custom-title", customTitle: title })];
    case "gemini":
      return [{ $set: { lastUpdated: expect.any(String), summary: title } }];
    case "pi":
      return [expect.objectContaining({ type: "session_info", name: title })];
    case "codex":
    case "opencode":
    case "copilot":
      return [];
  }
}

async function go(id: string, to: AgentName): Promise<HandOff & { readonly sessionId: string }> {
  const made = await handOff(id, { to, cwd, places, verifyBy: "own" });
  if (made.sessionId === null) throw new Error("nothing was written");
  return { ...made, sessionId: made.sessionId };
}

const DIRECTIONS = AGENT_NAMES.flatMap((a) => AGENT_NAMES.filter((b) => b !== a).map((b) => ({ a, b })));

/** In the quick size each fixture goes in one direction, in the full size in all directions. */
function goesBy(agent: AgentName, name: string, by: AgentName): boolean {
  const names = FIXTURES.flatMap((one) => (one.agent === agent ? one.name : []));
  const others = AGENT_NAMES.filter((other) => other !== agent);
  return ALL_ROUNDS || others[names.indexOf(name) % others.length] === by;
}

describe.each(DIRECTIONS)("$a to $b to $a", ({ a, b }) => {
  const names = FIXTURES.filter(({ agent, name }) => agent === a && goesBy(a, name, b));
  test.each(names)("$name", async ({ name }) => {
    const id = useFixture(a, name);
    const before = await read(a, id);
    const there = await go(`${a}:${id}`, b);
    const back = await go(`${b}:${there.sessionId}`, a);
    expect(back.broughtBack).toMatchObject({ agent: a, sessionId: id });
    expect(back.title).toBe(there.title.replace(`from ${a}: `, `from ${b}: `));
    const after = await read(a, back.sessionId);
    // Only opencode writes rows of its second generation, so such a session comes back by its messages.
    if (name === "second-generation") {
      expect(wordsOf(after.history)).toEqual(wordsOf((await read(b, there.sessionId)).history));
      return;
    }
    expect(saidIn(after.history.slice(0, before.history.length))).toEqual(saidIn(before.history));
    const count = before.entries.length;
    const came = after.entries.slice(0, count);
    expect(comparable(a, came, name)).toEqual(comparable(a, before.entries, name));
    const behind = after.entries.slice(count).map(({ value }) => value);
    expect(behind).toEqual(titleBehind(a, back.title));
    expect(after.cwd).toBe(cwd);
  });
});

async function say(agent: AgentName, { sessionId, location }: HandOff): Promise<void> {
  const sessionFile = (location ?? "").replace(/#.*$/u, "");
  const id = sessionId === null ? {} : { sessionId };
  await using adapter = openSessionAdapter({ format: FORMATS[agent], sessionFile, ...id, places });
  await adapter.appendUserMessage("And now, 你好?");
  await adapter.appendAssistantMessage([
    { type: "text", text: "I look." },
    { type: "tool_call", id: "call_new", name: "look", args: { at: "it" } },
  ]);
  await adapter.appendToolResult("call_new", "a thing");
  await adapter.appendAssistantMessage("It is a thing.");
}

const ADDED = [
  "user: And now, 你好?",
  "assistant: I look.",
  'call: {"at":"it"}',
  "result: a thing",
  "assistant: It is a thing.",
];

test.each(DIRECTIONS)("messages that were added in $b come after the records of $a", async ({ a, b }) => {
  const id = useFixture(a, PARALLEL[a]);
  const before = await read(a, id);
  const there = await go(`${a}:${id}`, b);
  await say(b, there);
  const back = await go(`${b}:${there.sessionId}`, a);
  expect(back.broughtBack).toMatchObject({ sessionId: id });
  const after = await read(a, back.sessionId);
  const count = before.entries.length;
  expect(comparable(a, after.entries.slice(0, count))).toEqual(comparable(a, before.entries));
  expect(saidIn(after.history.slice(0, before.history.length))).toEqual(saidIn(before.history));
  expect(wordsOf(after.history.slice(before.history.length))).toEqual(ADDED);
  // On the next hand-over, the records of B come back.
  const again = await go(`${a}:${back.sessionId}`, b);
  expect(again.broughtBack).toMatchObject({ agent: b, sessionId: there.sessionId });
  expect(wordsOf((await read(b, again.sessionId)).history)).toEqual(
    wordsOf((await read(b, there.sessionId)).history),
  );
});

describe("a session that came from its target", () => {
  test("comes back from the copy if the session itself is missing or has grown", async () => {
    const id = useFixture("claude", "parallel-tools");
    const before = await read("claude", id);
    const there = await go(`claude:${id}`, "pi");
    rmSync(join(home, "source"), { recursive: true });
    const back = await go(`pi:${there.sessionId}`, "claude");
    expect(back.broughtBack).toMatchObject({ sessionId: id });
    const after = await read("claude", back.sessionId);
    expect(saidIn(after.history)).toEqual(saidIn(before.history));
  });

  test("is recognized by the note in its file if the store is missing", async () => {
    const id = useFixture("claude", "parallel-tools");
    for (const to of AGENT_NAMES) {
      const there = await go(`claude:${id}`, to);
      rmSync(join(home, "continuo"), { recursive: true });
      const back = await go(`${to}:${there.sessionId}`, "claude");
      expect(back.broughtBack).not.toBeNull();
    }
  });

  test("is converted if both the session and the copy are missing", async () => {
    const id = useFixture("claude", "parallel-tools");
    const there = await go(`claude:${id}`, "pi");
    rmSync(join(home, "continuo"), { recursive: true });
    rmSync(join(home, "source"), { recursive: true });
    const back = await go(`pi:${there.sessionId}`, "claude");
    expect(back.broughtBack).toBeNull();
  });

  test("has its own messages if only a part of the handed-over session was changed", async () => {
    const id = useFixture("claude", "parallel-tools");
    const there = await go(`claude:${id}`, "pi");
    const file = there.location ?? "";
    const changed = readFileSync(file, "utf8").replace('"text":"', '"text":"changed ');
    writeFileSync(file, changed);
    const back = await go(`pi:${there.sessionId}`, "claude");
    expect(back.broughtBack).toMatchObject({ sessionId: id, as: "messages" });
    expect(JSON.stringify((await read("claude", back.sessionId)).history)).toContain("changed ");
  });

  test("has an event in the store with its origin", async () => {
    const id = useFixture("claude", "parallel-tools");
    const there = await go(`claude:${id}`, "codex");
    await using store = await openStore(`sqlite:${join(home, "continuo", "continuo.db")}`);
    const { events } = await store.read(`handoff/codex/${there.sessionId}`);
    expect(events).toMatchObject([
      {
        type: "session_handed_over",
        data: {
          from: { agent: "claude", sessionId: id, sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) },
          to: { agent: "codex", sessionId: there.sessionId, location: there.location },
          receipt: { dropped: 0 },
        },
        blobs: [expect.any(String), expect.any(String)],
      },
    ]);
  });
});

test.each(AGENT_NAMES)("%s to itself is a copy of every record", async (agent) => {
  const id = useFixture(agent, PARALLEL[agent]);
  const before = await read(agent, id);
  const copy = await go(`${agent}:${id}`, agent);
  expect(copy.sessionId).not.toBe(id);
  const after = await read(agent, copy.sessionId);
  const count = before.entries.length;
  expect(comparable(agent, after.entries.slice(0, count))).toEqual(comparable(agent, before.entries));
  expect(copy.receipt).toMatchObject({ rewritten: 0, dropped: 0 });
});

/** The agents whose records are lines of files. */
const LINE_AGENTS = AGENT_NAMES.filter((agent) => agent !== "opencode");

test.each(LINE_AGENTS)("numbers of %s come back in the same form, also from the copy", async (agent) => {
  const id = useFixture(agent, PARALLEL[agent]);
  const { location } = await lookUp(agent, id);
  const numbers = '"numbers":[9007199254740993,12.0,1e3,-0]';
  const lines = readFileSync(location, "utf8").replaceAll(/\}$/gmu, `,${numbers}}`);
  writeFileSync(location, lines);
  const count = lines.split(numbers).length - 1;
  expect(count).toBeGreaterThan(4);
  if (agent === "claude") {
    writeFileSync(location, `${lines}{"type":"not-known-yet","kept":9007199254740993}\n`);
  }
  const fork = await forkNativeSession(`${agent}:${id}`, { places, cwd });
  const forked = readFileSync(fork.location, "utf8");
  // A fork has its own records in place of some of these.
  expect(forked.split(numbers).length - 1).toBeGreaterThan(count / 2);
  if (agent === "claude") expect(forked).toContain('{"type":"not-known-yet","kept":9007199254740993,');
  const by = agent === "pi" ? "codex" : "pi";
  const there = await go(`${agent}:${id}`, by);
  for (const from of ["the session", "the copy"]) {
    if (from === "the copy") rmSync(location);
    const back = await go(`${by}:${there.sessionId}`, agent);
    expect(back.broughtBack).toMatchObject({ agent, sessionId: id, as: "records" });
    const written = readFileSync(back.location ?? "", "utf8");
    expect(written.split(numbers).length - 1).toBe(count);
  }
});

async function lookUp(agent: AgentName, id: string): Promise<{ readonly location: string }> {
  using session = await openNativeSession(`${agent}:${id}`, { places });
  return session.details;
}
