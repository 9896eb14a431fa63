import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AGENT_NAMES, type AgentName, type Message, type SessionInfo } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { beforeEach, expect, test, vi } from "vitest";
import { copyHome } from "../../../../test/fixture-home.ts";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { cutAt } from "../native/forking/index.ts";
import { formatOf, listNativeSessions, readNativeDetails, readNativeSession } from "../native/index.ts";
import { firstDifference } from "./compare-fork.ts";
import { forkNativeSession } from "./fork.ts";
import { openSessionAdapter } from "./session-adapter.ts";

let scratch: string;
let places: Places;

beforeEach(() => {
  scratch = scratchFolder("fork-test");
});

async function open(agent: AgentName, name: string): Promise<readonly SessionInfo[]> {
  const copied = await copyHome(scratch, [agent, name]);
  places = copied.places;
  return copied.sessions;
}

const idsOf = async (agent: AgentName): Promise<readonly string[]> =>
  (await listNativeSessions({ agents: [agent], places, archived: "include" })).map((info) => info.sessionId);

const TITLES: readonly (readonly [AgentName, string, (title: string) => string])[] = [
  ["claude", "parallel-tools", (title) => `${title} (fork)`],
  ["codex", "title", () => "Count the leaves."],
  ["gemini", "parallel-tools", (title) => `${title} (fork)`],
  ["pi", "parallel-tools", (title) => title],
  ["opencode", "parallel-tools", (title) => `${title} (fork #1)`],
];

test.each(TITLES)(
  "a fork of %s/%s has a title in the form that the agent gives forks",
  async (agent, name, titled) => {
    const [info] = await open(agent, name);
    if (info === undefined) throw new Error("no session");
    const { sessionId, title } = await forkNativeSession(info, { places });
    const own = (await readNativeDetails(`${agent}:${sessionId}`, { places })).title;
    expect({ title, own }).toEqual({ title: own, own: agent === "codex" ? own : titled(info.title ?? "") });
    if (agent === "codex") expect(own).not.toBe(info.title);
  },
);

test("a second fork of opencode has the next number, and a fork names its source", async () => {
  const [info] = await open("opencode", "text-and-thinking");
  const first = await forkNativeSession(info ?? "", { places });
  const second = await forkNativeSession(`opencode:${first.sessionId}`, { places });
  expect(second).toMatchObject({ title: `${info?.title} (fork #2)`, forkedFrom: first.sessionId });
});

test.each([
  ["claude", "text-and-thinking"],
  ["codex", "paginated"],
  ["codex", "legacy"],
] as const)("the details of a fork of %s/%s name its source", async (agent, name) => {
  const [info] = await open(agent, name);
  const { sessionId } = await forkNativeSession(info ?? "", { places });
  expect(await readNativeDetails(`${agent}:${sessionId}`, { places })).toMatchObject({
    forkedFrom: info?.sessionId,
    cwd: info?.cwd,
  });
});

test("a fork can end at a message on any branch, named by its id or the beginning of the id", async () => {
  const [info] = await open("claude", "branch");
  if (info === undefined) throw new Error("no session");
  const { leaves, messages } = await readNativeSession(info, { places });
  const other = leaves.find(({ active }) => !active)?.id ?? "";
  expect(messages.map(({ id }) => id)).not.toContain(other);
  const { sessionId } = await forkNativeSession(info, { places, at: other.slice(0, 12) });
  const branch = await readNativeSession(info, { places, leaf: other });
  const fork = await readNativeSession(`claude:${sessionId}`, { places });
  expect(await firstDifference(branch.messages, fork.messages)).toBeNull();
});

test.each(AGENT_NAMES)("%s: an unknown message is refused, and nothing is written", async (agent) => {
  const [info] = await open(agent, agent === "codex" ? "paginated" : "parallel-tools");
  const before = await idsOf(agent);
  const forked = forkNativeSession(info ?? "", { places, at: "no-such-message" });
  await expect(forked).rejects.toMatchObject({ code: "not_found" });
  expect(await idsOf(agent)).toEqual(before);
  expect(existsSync(join(scratch, ".continuo"))).toBe(false);
});

test("a session that does not name its folder cannot be forked", async () => {
  const [info] = await open("claude", "parallel-tools");
  const location = info?.location ?? "";
  const lines = readFileSync(location, "utf8");
  writeFileSync(location, lines.replaceAll(/"cwd":"[^"]*",?/gu, ""));
  const before = await idsOf("claude");
  const forked = forkNativeSession(location, { places });
  await expect(forked).rejects.toMatchObject({
    code: "unsupported",
    hint: `Run \`continuo handoff ${info?.sessionId} --to claude --cwd DIR\` to make a copy in a folder that you name.`,
  });
  expect(await idsOf("claude")).toEqual(before);
});

test("a fork leaves out a torn last line, as in a session that is being written", async () => {
  const [info] = await open("claude", "parallel-tools");
  if (info === undefined) throw new Error("no session");
  const torn = `${readFileSync(info.location, "utf8")}{"type":"user","uu`;
  writeFileSync(info.location, torn);
  const { sessionId } = await forkNativeSession(info, { places });
  const fork = await readNativeSession(`claude:${sessionId}`, { places });
  expect(fork.problems).toEqual([]);
  expect(readFileSync(info.location, "utf8")).toBe(torn);
});

test.each(AGENT_NAMES)("%s: a fork that reads differently is refused and removed", async (agent) => {
  const [info] = await open(agent, agent === "codex" ? "paginated" : "parallel-tools");
  const before = await idsOf(agent);
  const forker = await (await formatOf(agent)).forker();
  const { fork } = forker;
  const spy = vi.spyOn(forker, "fork").mockImplementation(async (...args) => {
    const { records, count } = await fork(...args);
    return {
      records: JSON.parse(JSON.stringify(records).replace(/"(text|content)":"[^"]/gu, '"$1":"?')),
      count,
    };
  });
  try {
    const forked = forkNativeSession(info ?? "", { places });
    await expect(forked).rejects.toMatchObject({ code: "verification_failed" });
  } finally {
    spy.mockRestore();
  }
  expect(await idsOf(agent)).toEqual(before);
});

const say = (id: string, role: Message["role"], toolCallId?: string): Message => ({
  id,
  role,
  content: [],
  ...(toolCallId === undefined ? {} : { toolCallId }),
  metadata: {},
});

test("a short beginning that names several messages is ambiguous", () => {
  const history = [say("message-one", "user"), say("message-two", "assistant")];
  expect(cutAt(history, "message-o")).toEqual({ count: 1 });
  expect(cutAt(history, "mes")).toBeNull();
  expect(() => cutAt(history, "message")).toThrow(expect.objectContaining({ code: "ambiguous" }));
});

test("a call that never got a result can be the end of a fork", () => {
  const call = { type: "tool_call", id: "c1", name: "Read", args: {} } as const;
  const history: Message[] = [
    say("a", "user"),
    { ...say("b", "assistant"), content: [call] },
    say("c", "user"),
  ];
  expect(cutAt(history, "b")).toEqual({ count: 2 });
});

test("a fork does not separate a call from its result: the error names the last result instead", () => {
  const call = { type: "tool_call", id: "c1", name: "Read", args: {} } as const;
  const result = { type: "tool_result", toolCallId: "c1", content: [], isError: false } as const;
  const history: Message[] = [
    say("a", "user"),
    { ...say("b", "assistant"), content: [call] },
    { ...say("c", "tool", "c1"), content: [result] },
  ];
  expect(() => cutAt(history, "b")).toThrow(
    expect.objectContaining({ code: "invalid", details: { instead: "c" } }),
  );
  expect(cutAt(history, "c")).toEqual({ count: 3 });
});

test("a fork keeps the record that leaves thinking of other models out of requests", async () => {
  const { location, sessionId } = (await open("claude", "text-and-thinking"))[0] ?? {};
  await using adapter = openSessionAdapter({ format: "ccsdk", sessionFile: location ?? "", places });
  await adapter.appendUserMessage("Once more?");
  const at = await adapter.appendAssistantMessage([
    { type: "thinking", text: "Hm." },
    { type: "text", text: "Again." },
  ]);
  await adapter.appendUserMessage("Thanks.");
  const fork = await forkNativeSession(`claude:${sessionId}`, { places, at });
  const lines = readFileSync(fork.location, "utf8");
  expect(lines).toContain('"type":"thinking_stripped"');
  expect(lines).not.toContain("Thanks.");
});

test("lines of a paginated fork are numbered from 0, and name its thread", async () => {
  const [info] = await open("codex", "paginated");
  const { location, sessionId } = await forkNativeSession(info ?? "", { places });
  const lines = readFileSync(location, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).ordinal)).toEqual([...lines.keys()]);
  const naming = lines.filter((line) => line.includes(info?.sessionId ?? ""));
  expect(naming).toEqual(lines.slice(0, 1));
  expect(lines.filter((line) => line.includes(`"thread_id":"${sessionId}"`)).length).toBeGreaterThan(3);
});
