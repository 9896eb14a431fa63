/**
 * The receipt of a hand-over lists the thinking that the target's model receives, which matches the target's own model
 * view.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { handOffMessages } from "@continuo/agents";
import { AGENT_NAMES, type AgentName, type Block, type Message } from "@continuo/core/model";
import { beforeEach, describe, expect, test } from "vitest";
import { tested } from "../tested-agents.ts";
import { type Home, openHome } from "./homes.ts";

let home: Home;

beforeEach(() => {
  home = openHome();
});

const FIXTURES = tested(({ recorded }) => recorded.thinking);

/** Agents whose models receive the thinking of another vendor's model. */
const SENDS: ReadonlySet<AgentName> = new Set(["codex", "opencode"]);

const thinkingIn = (messages: readonly Message[]): readonly Block[] =>
  messages.flatMap(({ content }) => content.filter(({ type }) => type === "thinking"));

const PAIRS = AGENT_NAMES.flatMap((from) =>
  AGENT_NAMES.filter((to) => to !== from).map((to) => ({ from, to })),
);

test.each(PAIRS)("of $from, handed to $to", async ({ from, to }) => {
  const id = home.use(from, FIXTURES[from]);
  const made = await home.go(`${from}:${id}`, to);
  const { history, view } = await home.read(to, made.sessionId);
  const counts = { kept: 0, rewritten: 0, noted: 0, dropped: 0, ...made.receipt.byKind.thinking };
  expect(thinkingIn(history).length).toBeGreaterThan(0);
  expect(counts.kept + counts.rewritten).toBe(thinkingIn(view).length);
  expect(counts.noted).toBe(thinkingIn(history).length - thinkingIn(view).length);
  // One vendor signs the thinking of both.
  if (SENDS.has(to) || (from === "copilot" && to === "claude")) return;
  expect(counts.kept + counts.rewritten).toBe(0);
  const refused = home.go(`${from}:${id}`, to, { maxLoss: { thinking: 0 } });
  await expect(refused).rejects.toMatchObject({
    code: "fidelity",
    details: { lost: { thinking: counts.noted + counts.dropped } },
  });
  const dry = home.go(`${from}:${id}`, to, { maxLoss: { thinking: 0 }, until: "receipt" });
  await expect(dry).rejects.toMatchObject({ code: "fidelity" });
});

test("a text in markers is handed to pi as this text, is read as a thought, and is the same text in a copy", async () => {
  const { cwd, places } = home;
  const marked = "<thinking>\nA look is due.\n</thinking>";
  const messages: readonly Message[] = [
    { id: "m0", role: "user", content: [{ type: "text", text: "What is there?" }], metadata: {} },
    { id: "m1", role: "assistant", content: [{ type: "text", text: marked }], metadata: {} },
    { id: "m2", role: "assistant", content: [{ type: "text", text: "A thing." }], metadata: {} },
  ];
  const given = { messages, title: "A look", cwd };
  const made = await handOffMessages(given, { to: "pi", places, verifyBy: "own" });
  const copy = await home.go(`pi:${made.sessionId}`, "pi");
  for (const id of [made.sessionId ?? "", copy.sessionId]) {
    const { entries, history, view } = await home.read("pi", id);
    expect(thinkingIn(history)).toMatchObject([{ text: "A look is due." }]);
    expect(view.map(({ content }) => content)).toContainEqual([{ type: "text", text: marked }]);
    expect(JSON.stringify(entries)).toContain(JSON.stringify({ type: "text", text: marked }));
  }
});

test("of another vendor, before calls, is left out of requests if Claude Code attaches results to their answer", async () => {
  const { cwd, places } = home;
  const call = (id: string): Block => ({ type: "tool_call", id, name: "look", args: {} });
  const result = (id: string): Message => ({
    id,
    role: "tool",
    toolCallId: id,
    content: [{ type: "tool_result", toolCallId: id, content: [{ type: "text", text: id }], isError: false }],
    metadata: {},
  });
  const thought: Block = { type: "thinking", text: "A look is due." };
  const messages: readonly Message[] = [
    { id: "m0", role: "user", content: [{ type: "text", text: "What is there?" }], metadata: {} },
    { id: "m1", role: "assistant", content: [thought, call("a"), call("b")], metadata: {} },
    result("a"),
    result("b"),
  ];
  const made = await handOffMessages(
    { messages, title: "A look", cwd },
    { to: "claude", places, verifyBy: "own" },
  );
  const file = made.location ?? "";
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const loaded = lines.map((line) => {
    const record = JSON.parse(line);
    const { sourceToolAssistantUUID: answer = record.parentUuid } = record;
    return JSON.stringify({ ...record, parentUuid: answer });
  });
  writeFileSync(file, `${loaded.join("\n")}\n`);
  const { history, view } = await home.read("claude", made.sessionId ?? "");
  expect([thinkingIn(history).length, thinkingIn(view).length]).toEqual([1, 0]);
});

/** The hand-over loses nothing, but thinking that the agent itself never sends is noted nevertheless. */
async function expectAsItWas(agent: AgentName, made: Awaited<ReturnType<Home["go"]>>): Promise<void> {
  const { history, view } = await home.read(agent, made.sessionId);
  const [all, sent] = [thinkingIn(history).length, thinkingIn(view).length];
  expect(all).toBeGreaterThan(0);
  expect(made.receipt.byKind.thinking).toEqual({ kept: sent, rewritten: 0, noted: all - sent, dropped: 0 });
  expect(sent > 0).toBe(agent !== "gemini");
}

test.each(AGENT_NAMES)("of %s, copied, is unchanged", async (agent) => {
  const id = home.use(agent, FIXTURES[agent]);
  await expectAsItWas(agent, await home.go(`${agent}:${id}`, agent));
});

test.each(AGENT_NAMES)("of %s, on its way back, is unchanged", async (agent) => {
  const id = home.use(agent, FIXTURES[agent]);
  const by = agent === "pi" ? "codex" : "pi";
  const there = await home.go(`${agent}:${id}`, by);
  await expectAsItWas(agent, await home.go(`${by}:${there.sessionId}`, agent));
});

describe("to claude", () => {
  const said = (role: Message["role"], at: number, ...content: readonly Block[]): Message => ({
    id: `m${at}`,
    role,
    content,
    metadata: {},
  });
  const thought: Block = { type: "thinking", text: "A look is due." };
  const MESSAGES: readonly Message[] = [
    said("user", 0, { type: "text", text: "What is there?" }),
    said("assistant", 1, thought),
    said("assistant", 2, { type: "tool_call", id: "c", name: "look", args: {} }),
    said("tool", 3, {
      type: "tool_result",
      toolCallId: "c",
      isError: false,
      content: [{ type: "text", text: "a thing" }],
    }),
    said("assistant", 4, { type: "text", text: "A thing." }),
  ];

  test("a message of one thought and the call after it have one message id", async () => {
    const { cwd, places } = home;
    const made = await handOffMessages(
      { messages: MESSAGES, title: "A look", cwd },
      { to: "claude", places, verifyBy: "own" },
    );
    const { entries, history } = await home.read("claude", made.sessionId ?? "");
    const ids = entries.flatMap(({ value }) => {
      const { message } = value as { readonly message?: { readonly id?: string } };
      return message?.id === undefined ? [] : [message.id];
    });
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(2);
    expect(thinkingIn(history)).toMatchObject([thought]);
  });

  test("own sealed thinking is noted if thinking of another vendor follows it", async () => {
    const id = home.use("claude", "text-and-thinking");
    const there = await home.go(`claude:${id}`, "gemini");
    const file = there.location ?? "";
    const at = new Date(0).toISOString();
    const answer = { id: "x", timestamp: at, type: "gemini", content: "Well.", model: "gemini-2.5-flash" };
    const thoughts = [{ subject: "", description: "Another thought.", timestamp: at }];
    const prompt = { id: "w", timestamp: at, type: "user", content: [{ text: "And?" }] };
    const lines = [prompt, { ...answer, thoughts }].map((line) => `${JSON.stringify(line)}\n`);
    writeFileSync(file, lines.join(""), { flag: "a" });
    const back = await home.go(`gemini:${there.sessionId}`, "claude");
    const { history, view } = await home.read("claude", back.sessionId);
    expect(thinkingIn(view)).toEqual([]);
    expect(back.receipt.byKind.thinking).toMatchObject({ kept: 0, noted: thinkingIn(history).length });
  });
});
