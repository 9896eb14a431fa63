/**
 * A session of which only a part was handed over, or that was cut on the way, comes back with the remaining part: with
 * the original texts and signatures of its agent.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openNativeSession, openSessionAdapter } from "@continuo/agents";
import { AGENT_NAMES, type AgentName, type Entry, type Message } from "@continuo/core/model";
import { beforeEach, describe, expect, test } from "vitest";
import { type Home, openHome, saidOf, wordsOf } from "./homes.ts";
import { saidIn, sourceView } from "./spoken-items.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const FORMATS = join(import.meta.dirname, "../formats");

let home: Home;

beforeEach(() => {
  home = openHome();
});

/** Returns signatures and sealed thinking, each with the text to which it belongs. */
function sealedIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type === "tool_call" && block.signature !== undefined) {
        return [`${JSON.stringify(block.args)}: ${block.signature}`];
      }
      if (block.type !== "thinking") return [];
      const seal = block.signature ?? block.data;
      return seal === undefined ? [] : [`${block.text}: ${seal}`];
    }),
  );
}

const fixtures = AGENT_NAMES.flatMap((agent) =>
  readdirSync(join(FIXTURES, agent)).map((name, at) => {
    const others = AGENT_NAMES.filter((other) => other !== agent);
    return { agent, name, by: others[at % others.length] ?? "claude" };
  }),
);

test.each(fixtures)("$agent: $name, all but the first message, over $by", async ({ agent, name, by }) => {
  const id = home.use(agent, name);
  const before = await home.read(agent, id);
  const maxMessages = Math.max(before.view.length - 1, 1);
  const there = await home.go(`${agent}:${id}`, by, { maxMessages });
  const back = await home.go(`${by}:${there.sessionId}`, agent);
  const after = await home.read(agent, back.sessionId);
  const [handed, returned] = [
    await sourceView(by, there.sessionId, home.places),
    await sourceView(agent, back.sessionId, home.places),
  ];
  expect(saidIn(returned)).toEqual(saidIn(handed));
  expect(back.broughtBack).toMatchObject({ agent, sessionId: id });
  const kept = before.view.slice(-(back.broughtBack?.messages ?? 0));
  expect(sealedIn(after.history)).toEqual(expect.arrayContaining(sealedIn(kept)));
  expect(back.receipt.dropped).toBe(0);
});

/** Returns the calls of Codex whose input is text, and the kinds of their outputs. */
function textCallsIn(entries: readonly Entry[]): unknown[] {
  return entries.flatMap(({ value }) => {
    const { payload = {} } = value as { readonly payload?: Readonly<Record<string, unknown>> };
    const { type, call_id, name, namespace, input, output } = payload;
    return String(type).startsWith("custom_") ? [{ type, call_id, name, namespace, input, output }] : [];
  });
}

describe.each(["paginated", "legacy"])("codex: %s, calls whose input is text", (name) => {
  test.each(AGENT_NAMES)("come back from %s unchanged, with new messages after them", async (by) => {
    const id = home.use("codex", name);
    const before = await home.read("codex", id);
    const maxMessages = before.view.length - 1;
    const there = await home.go(`codex:${id}`, by, { maxMessages });
    await home.say(by, there, "more");
    const back = await home.go(`${by}:${there.sessionId}`, "codex");
    const after = await home.read("codex", back.sessionId);
    expect(textCallsIn(after.entries)).toEqual(textCallsIn(before.entries));
    expect(textCallsIn(after.entries)).toHaveLength(2);
    expect(wordsOf(after.view).slice(-saidOf("more").length)).toEqual(saidOf("more"));
    expect(back.receipt.byKind.tool_call).toMatchObject({ rewritten: 0, dropped: 0 });
  });
});

test("codex: the result of a call whose input is text is appended in that form", async () => {
  const id = home.use("codex", "paginated");
  using session = await openNativeSession(`codex:${id}`, { places: home.places });
  const { location: sessionFile } = session.details;
  const lines = readFileSync(sessionFile, "utf8").split("\n");
  const called = lines.findIndex((line) => line.includes('"type":"custom_tool_call"'));
  writeFileSync(
    sessionFile,
    lines
      .slice(0, called + 1)
      .join("\n")
      .concat("\n"),
  );
  const [call] = textCallsIn((await home.read("codex", id)).entries) as { readonly call_id: string }[];
  {
    await using adapter = openSessionAdapter({ format: "codex", sessionFile, places: home.places });
    await adapter.appendToolResult(call?.call_id ?? "", "Done.");
  }
  const { entries } = await home.read("codex", id);
  const output = { type: "custom_tool_call_output", call_id: call?.call_id, output: "Done." };
  expect(textCallsIn(entries)).toEqual([call, output]);
});

/** Sessions with signed or sealed thinking in their answers. */
const SEALED = [
  { a: "claude", name: "text-and-thinking" },
  { a: "codex", name: "compressed" },
  { a: "pi", name: "text-and-thinking" },
] as const satisfies readonly { readonly a: AgentName; readonly name: string }[];
const WAYS = SEALED.flatMap(({ a, name }) => AGENT_NAMES.filter((b) => b !== a).map((b) => ({ a, b, name })));

describe.each(WAYS)("$a to $b and back", ({ a, b, name }) => {
  test("a part is handed over, new messages follow, and both come back", async () => {
    const id = home.use(a, name);
    const before = await home.read(a, id);
    const there = await home.go(`${a}:${id}`, b, { maxMessages: before.view.length - 1 });
    await home.say(b, there, "more");
    const back = await home.go(`${b}:${there.sessionId}`, a);
    expect(back.broughtBack).toMatchObject({
      sessionId: id,
      messages: before.view.length - 1,
      as: "messages",
    });
    const after = await home.read(a, back.sessionId);
    expect(sealedIn(before.view)).not.toEqual([]);
    expect(sealedIn(after.view)).toEqual(sealedIn(before.view));
    expect(wordsOf(after.view).slice(-saidOf("more").length)).toEqual(saidOf("more"));
    expect(back.receipt.byKind.thinking).toMatchObject({ rewritten: 0, noted: 0, dropped: 0 });
  });

  test("the whole session is handed over, and a part comes back", async () => {
    const id = home.use(a, name);
    const before = await home.read(a, id);
    const there = await home.go(`${a}:${id}`, b);
    const view = (await home.read(b, there.sessionId)).view;
    const back = await home.go(`${b}:${there.sessionId}`, a, { maxMessages: view.length - 1 });
    expect(back.broughtBack).toMatchObject({ sessionId: id, as: "messages" });
    expect(sealedIn((await home.read(a, back.sessionId)).view)).toEqual(sealedIn(before.view));
  });
});

test.each(SEALED)("$a: a part of it to itself", async ({ a, name }) => {
  const id = home.use(a, name);
  const before = await home.read(a, id);
  const copy = await home.go(`${a}:${id}`, a, { maxMessages: before.view.length - 1 });
  expect(copy.broughtBack).toMatchObject({ sessionId: id, as: "messages" });
  expect(sealedIn((await home.read(a, copy.sessionId)).view)).toEqual(sealedIn(before.view));
  const lines = copy.receipt.records.filter(({ place }) => place !== "new session");
  expect(lines.filter(({ outcome }) => outcome === "rewritten" || outcome === "dropped")).toEqual([]);
});

test.each(SEALED)("$a: through two agents, cut in the second one", async ({ a, name }) => {
  const [b = "claude", c = "claude"] = AGENT_NAMES.filter((agent) => agent !== a);
  const id = home.use(a, name);
  const before = await home.read(a, id);
  const first = await home.go(`${a}:${id}`, b);
  await home.say(b, first, "more");
  const { length } = (await home.read(b, first.sessionId)).view;
  const second = await home.go(`${b}:${first.sessionId}`, c, { maxMessages: length - 1 });
  const back = await home.go(`${c}:${second.sessionId}`, a);
  expect(back.broughtBack).toMatchObject({ sessionId: id, messages: before.view.length - 1, as: "messages" });
  const after = await home.read(a, back.sessionId);
  expect(sealedIn(after.view)).toEqual(sealedIn(before.view));
  expect(wordsOf(after.view).slice(-saidOf("more").length)).toEqual(saidOf("more"));
});

test("codex: calls that the vendor ran come back as calls of the agent, and the receipt reports this", async () => {
  const name = "rollout-2026-05-06T07-08-00-02aaaaaa-0000-4000-8000-00000000000e.jsonl";
  const written = readFileSync(join(FORMATS, "codex/built-in-tools/home/sessions", name), "utf8").split("\n");
  const sessions = join(home.home, ".codex/sessions");
  mkdirSync(sessions, { recursive: true });
  // The summary is removed, because with it the model does not receive these calls.
  const lines = written.filter((line) => !line.includes('"type":"compacted"'));
  writeFileSync(join(sessions, name), lines.join("\n"));
  const id = "02aaaaaa-0000-4000-8000-00000000000e";
  const { length } = (await home.read("codex", id)).view;
  const copy = await home.go(`codex:${id}`, "codex", { maxMessages: length - 1 });
  expect(copy.broughtBack).toMatchObject({ as: "messages" });
  const rewritten = copy.receipt.records.filter(({ kind }) => kind === "tool_call");
  expect(rewritten.map(({ outcome, reason }) => ({ outcome, reason }))).toEqual([
    { outcome: "rewritten", reason: "the vendor ran it: written as a call of the agent" },
    { outcome: "rewritten", reason: "the vendor ran it: written as a call of the agent" },
    { outcome: "kept", reason: "" },
  ]);
});
