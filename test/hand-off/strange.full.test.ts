/**
 * Strange conversations as native sessions of every agent: each is read back as written and needs no repair, can be
 * forked and renamed, and goes to another agent and back with its own records.
 */

import {
  checkNativeSession,
  forkNativeSession,
  handOffMessages,
  renameNativeSession,
  repairNativeSession,
} from "@continuo/agents";
import { AGENT_NAMES, type AgentName, type Block, type Message } from "@continuo/core/model";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Home, openHome, wordsOf } from "./homes.ts";

let at: Home;
beforeAll(() => {
  at = openHome();
});
afterAll(() => at[Symbol.dispose]());

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const HALF = "\ud83d";
const CONTROL = "a\u0000b\u001b[2J\u0007\u009b\u2028c\u2029";

const text = (words: string): Block => ({ type: "text", text: words });
const call = (id: string, more: object = {}): Block => ({
  type: "tool_call",
  id,
  name: "look",
  args: {},
  ...more,
});
const image = (mimeType: string): Block => ({ type: "image", mimeType, data: PNG });
const result = (toolCallId: string, ...content: readonly Block[]): Block => ({
  type: "tool_result",
  toolCallId,
  content,
  isError: toolCallId === "bad",
});
const user = (...content: readonly Block[]) => ({ role: "user" as const, content });
const agent = (...content: readonly Block[]) => ({ role: "assistant" as const, content });
const tool = (block: Block) => ({ role: "tool" as const, content: [block] });

function deep(levels: number): unknown {
  let value: unknown = "the ground";
  for (let level = 0; level < levels; level++) value = { in: value };
  return value;
}

const TALKS: Readonly<
  Record<string, readonly (Pick<Message, "role" | "content"> & { timestamp?: string })[]>
> = {
  "control characters and lone surrogates": [
    user(text(CONTROL), text(HALF)),
    agent(
      { type: "thinking", text: `${HALF}${CONTROL}` },
      text(CONTROL),
      call("c", { args: { [CONTROL]: HALF } }),
    ),
    tool(result("c", text(CONTROL), text(HALF))),
  ],
  "text that looks like the agents' own insertions": [
    user(text("/clear")),
    agent(text("No response requested.")),
    user(text("<session_context>so</session_context>"), text("?")),
    user(text("<environment_context>so</environment_context>")),
    agent(text("<command-name>/clear</command-name>")),
    user(text("[Request interrupted by user]"), text("<turn_aborted>")),
  ],
  "only thoughts of the agent": [agent({ type: "thinking", text: "Hm." })],
  "one id for many calls": [
    agent(call("c"), call("c"), call("")),
    tool(result("c", text("one"))),
    tool(result("c", text("two"))),
    agent(call("c")),
    tool(result("c", text("three"))),
  ],
  "results before their calls, and without a call": [
    tool(result("c", text("early"))),
    user(text("hi")),
    agent(call("c"), call("open")),
    user(text("and?")),
    tool(result("c", text("late"))),
  ],
  "inputs of all shapes": [
    user(text("go")),
    agent(
      call("list", { rawArgs: "[1, 2]" }),
      call("text", { rawArgs: `"${HALF}"` }),
      call("deep", { args: deep(1000) }),
      call("wide", { args: { text: "x".repeat(300_000) }, name: "n".repeat(5000) }),
      call("own", { args: JSON.parse('{"__proto__":{"a":1},"constructor":2}') }),
    ),
  ],
  "pictures and files": [
    user(image("image/png"), image("image/gif"), image("image/svg+xml"), image("")),
    agent(call("good"), call("bad")),
    tool(result("bad", image("image/png"), text("no"), image("image/jpg"))),
    tool(
      result("good", text("a"), image("image/png"), text(""), text("b"), {
        type: "unknown",
        raw: { odd: 1 },
      }),
    ),
    user({ type: "file", mimeType: "application/pdf", name: "a\nb.pdf", data: "JVBERi0=" }),
    user(
      { type: "file", mimeType: "text/plain", text: "words" },
      { type: "file", mimeType: "x/y", url: "file:///x" },
    ),
  ],
  "distant times, and missing times": [
    { ...user(text("a")), timestamp: "0001-01-01T00:00:00.000Z" },
    { ...agent(text("b")), timestamp: "9999-12-31T23:59:59.999Z" },
    user(text("c")),
    { role: "system", content: [text("in the middle")] },
    { ...agent(text("d")), timestamp: "1969-12-31T23:59:59.999Z" },
  ],
};

const CASES = Object.entries(TALKS).flatMap(([name, talk]) => AGENT_NAMES.map((to) => ({ name, to, talk })));

test.each(CASES)("$name, in $to", async ({ to, talk }) => {
  const messages = talk.map((message, nth): Message => ({ id: `m${nth}`, metadata: {}, ...message }));
  const { places, cwd } = at;
  const said = { messages, cwd, title: `A${CONTROL}\n${HALF}title` };
  const { sessionId, title } = await handOffMessages(said, { to, places, verifyBy: "own" });
  expect(title).toBe("Aa b [2J c \ufffdtitle");
  const ref = `${to}:${sessionId}`;
  const before = await at.read(to, sessionId ?? "");
  const { edits } = await repairNativeSession(ref, { places });
  expect(edits).toEqual([]);
  const fork = await forkNativeSession(ref, { places });
  expect(wordsOf((await at.read(to, fork.sessionId)).history)).toEqual(wordsOf(before.history));
  expect(await renameNativeSession(ref, CONTROL, { places })).toBe("a b [2J c");
  const { problems } = await checkNativeSession(ref, { places });
  // Times that go backwards come from the source.
  expect(problems.filter(({ code }) => code !== "bad_order")).toEqual([]);
  const on = AGENT_NAMES[(AGENT_NAMES.indexOf(to) + 1) % AGENT_NAMES.length] as AgentName;
  const there = await at.go(ref, on);
  const back = await at.go(`${on}:${there.sessionId}`, to);
  expect(back.broughtBack).toMatchObject({ sessionId, as: "records" });
  const after = await at.read(to, back.sessionId);
  expect(wordsOf(after.history)).toEqual(wordsOf(before.history));
});
