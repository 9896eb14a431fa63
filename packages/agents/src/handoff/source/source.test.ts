/** The marks that identify the same conversation and the same records. */

import type { Block, Message } from "@continuo/core/model";
import { lookUpSession } from "@continuo/native";
import { describe, expect, test } from "vitest";
import { CLAUDE_ID, cleanEnv, createHome, writeSessions } from "../../../../../test/cli/home.ts";
import { hashOf } from "./records.ts";
import { markOf, readSource, saidBy } from "./source.ts";

const text = (words: string): Block => ({ type: "text", text: words });
const CALL: Block = { type: "tool_call", id: "c", name: "look", args: { at: "it" }, childSessionId: "child" };
const RESULT: Block = {
  type: "tool_result",
  toolCallId: "c",
  content: [{ type: "text", text: "seen", native: 1 }],
  isError: false,
  details: { path: "/home/dev" },
};

function said(role: Message["role"], ...content: Block[]): Message {
  return { id: role, role, content, metadata: {} };
}

const MESSAGES = [said("user", text("Look.")), said("assistant", CALL), said("tool", RESULT)];

describe("the mark of a conversation", () => {
  test("is the number of its messages, and a hash of them", () => {
    expect(markOf([])).toEqual({
      messages: 0,
      sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    });
    expect(markOf(MESSAGES)).toEqual({
      messages: 3,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/u),
    });
  });

  test.each<[string, readonly Message[]]>([
    ["ids, times and places of records", MESSAGES.map((one) => ({ ...one, id: "x", timestamp: "t" }))],
    ["native blocks", [said("user", { ...text("Look."), native: 1 } as Block), ...MESSAGES.slice(1)]],
    ["sub-agents", MESSAGES.with(1, said("assistant", { ...CALL, childSessionId: "other" } as Block))],
    ["details of a result", MESSAGES.with(2, said("tool", { ...RESULT, details: undefined } as Block))],
    [
      "native blocks of a result",
      MESSAGES.with(2, said("tool", { ...RESULT, content: [text("seen")] } as Block)),
    ],
  ])("does not depend on %s", (_name, messages) => {
    expect(markOf(messages)).toEqual(markOf(MESSAGES));
  });

  test("is different for any other content", () => {
    const others: readonly (readonly Message[])[] = [
      [],
      MESSAGES.slice(1),
      MESSAGES.slice(0, 2),
      MESSAGES.toReversed(),
      MESSAGES.with(0, said("user", text("Look!"))),
      MESSAGES.with(0, said("assistant", text("Look."))),
      MESSAGES.with(0, said("user", text("Look."), text(""))),
      MESSAGES.with(1, said("assistant", { ...CALL, id: "d" } as Block)),
      MESSAGES.with(1, said("assistant", { ...CALL, args: {} } as Block)),
      MESSAGES.with(2, said("tool", { ...RESULT, isError: true } as Block)),
      MESSAGES.with(2, said("tool", { ...RESULT, content: [] } as Block)),
      MESSAGES.with(2, said("tool", { ...RESULT, content: [text("gone")] } as Block)),
    ];
    const hashes = [MESSAGES, ...others].map((messages) => markOf(messages).sha256);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test("of a session that is read back equals the mark of the messages that are handed over", () => {
    const aside: Message = { ...said("user", text("Notice.")), origin: "notification" };
    expect(saidBy([...MESSAGES, aside], MESSAGES)).toEqual(markOf(MESSAGES));
  });
});

test("the hash of records depends on their values in their order, and on nothing else", () => {
  const record = (value: unknown, line = 1) => ({ line, value }) as Parameters<typeof hashOf>[0][number];
  const hash = hashOf([record({ a: 1 }), record({ b: 2 })]);
  expect(hash).toMatch(/^[0-9a-f]{64}$/u);
  expect(hashOf([record({ a: 1 }, 7), record({ b: 2 }, 8)])).toBe(hash);
  const others = [
    hashOf([record({ b: 2 }), record({ a: 1 })]),
    hashOf([record({ a: 1 })]),
    hashOf([record({ a: 1 }), record({ b: 3 })]),
  ];
  expect(new Set([hash, ...others]).size).toBe(4);
});

test("only a source of which nothing was left out has the mark of its whole conversation", async () => {
  using home = createHome();
  writeSessions(home);
  const places = { home: home.path, env: cleanEnv(home.path) };
  const lookup = await lookUpSession(`claude:${CLAUDE_ID}`, { places });
  using whole = await readSource(lookup, places, {});
  const { messages } = whole;
  expect(whole.said()?.messages).toBe(messages.length);
  expect(messages.length).toBeGreaterThan(1);
  using later = await readSource(lookup, places, { fromMessage: messages.at(1)?.id ?? "" });
  expect([later.messages.length, later.said()]).toEqual([messages.length - 1, null]);
  using newest = await readSource(lookup, places, { maxMessages: 1 });
  expect([newest.messages.length < messages.length, newest.said()]).toEqual([true, null]);
});
