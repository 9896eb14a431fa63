import type { SessionTurn } from "@continuo/agents/catalog";
import type { Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { createDigest, type Digest } from "./digest.ts";
import { isDecision, isOpen, sentencesOf } from "./sentences.ts";

function digestOf(turns: readonly (readonly Message[])[]): Digest {
  const fold = createDigest((text) => text.replaceAll("secret", "***"));
  for (const [at, messages] of turns.entries())
    fold.add({ number: at + 1, messages } as unknown as SessionTurn);
  return fold.finish();
}

function said(role: Message["role"], text: string): Message {
  return { id: "m", role, content: [{ type: "text", text }], metadata: {} };
}

function called(name: string, args: object, id = "c"): Message {
  const content = [{ type: "tool_call", id, name, args }] as unknown as Message["content"];
  return { id: "m", role: "assistant", content, metadata: {} };
}

function result(isError: boolean, toolCallId = "c"): Message {
  const content = [
    { type: "tool_result", toolCallId, content: [], isError },
  ] as unknown as Message["content"];
  return { id: "r", role: "tool", content, metadata: {} };
}

const todos = (...tasks: readonly (readonly [string, string])[]): Message =>
  called("TodoWrite", { todos: tasks.map(([content, status]) => ({ content, status })) });

test("requests are in their order without repetition, and without secrets", () => {
  const { requests, turns } = digestOf([
    [said("user", "keep the secret")],
    [said("user", "more")],
    [said("user", "more")],
  ]);
  expect(requests).toEqual([
    { turn: 1, text: "keep the ***" },
    { turn: 2, text: "more" },
  ]);
  expect(turns).toBe(3);
});

test("the last answer is the last one that the agent gave", () => {
  const { lastAnswer } = digestOf([
    [said("assistant", "one")],
    [said("assistant", "two"), said("assistant", "three")],
  ]);
  expect(lastAnswer).toEqual({ turn: 2, text: "three" });
});

test("a decision is a statement, and an open end is a question or something that is not done", () => {
  expect(isDecision("We decided to use SQLite for it.")).toBe(true);
  expect(isDecision("Have we decided to use SQLite?")).toBe(false);
  expect([
    isOpen("Shall I go on?"),
    isOpen("The tests are not yet green."),
    isOpen("All is done now."),
  ]).toEqual([true, true, false]);
  expect(
    sentencesOf("One sentence here. Another one there.\n```\ncode that is left out\n```\nshort"),
  ).toEqual(["One sentence here.", "Another one there."]);
});

test("the newest list of tasks counts, without tasks that are done or were given up", () => {
  const first = [todos(["write it", "pending"]), result(false), said("assistant", "begun with the work")];
  const done = [
    ["write it", "completed"],
    ["leave it", "cancelled"],
    ["test it", "in_progress"],
  ] as const;
  const { openEnds } = digestOf([
    first,
    [todos(...done), result(false), said("assistant", "nearly finished now")],
  ]);
  expect(openEnds.map(({ text }) => text)).toEqual(["test it"]);
});

test("a decision that is only in a summary of the agent is also in the digest", () => {
  const summary: Message = { ...said("user", "We decided to use SQLite for the index."), origin: "summary" };
  const { decisions, requests } = digestOf([[said("user", "Make the list faster")], [summary]]);
  expect(decisions).toEqual([{ turn: 2, text: "We decided to use SQLite for the index." }]);
  expect(requests.map(({ text }) => text)).toEqual(["Make the list faster"]);
});

test("everything that a person asked in one turn is a request, without what a program wrote into it", () => {
  const text = "<file>list.ts: const rows = [];</file> Why is this empty?";
  const content = [{ type: "text", text, typed: "Why is this empty?" }] as const;
  const { requests } = digestOf([
    [said("user", "Look at the list"), { ...said("user", ""), content }, said("user", "And sort it")],
  ]);
  expect(requests.map((one) => one.text)).toEqual(["Look at the list", "Why is this empty?", "And sort it"]);
});

test("a question of an earlier turn is no open end, and neither is a call that succeeded when it was repeated", () => {
  const { openEnds } = digestOf([
    [said("user", "Make it faster"), said("assistant", "Shall I change the index too?")],
    [
      ...[said("user", "Yes"), called("Bash", {}, "c1"), result(true, "c1")],
      ...[called("Bash", {}, "c2"), result(false, "c2"), said("assistant", "All tests pass with the index.")],
    ],
  ]);
  expect(openEnds).toEqual([]);
});

test("a digest says how the last turn ended: a call without a result, a failure, or no answer", () => {
  const ends = (...messages: readonly Message[]) => digestOf([messages]).openEnds.map(({ text }) => text);
  expect(ends(said("user", "go"), called("Bash", {}))).toEqual(["no result yet: Bash"]);
  expect(
    ends(said("user", "go"), called("Bash", {}), result(true), said("assistant", "it failed there")),
  ).toEqual(["the last call failed: Bash"]);
  expect(ends(said("user", "go"), called("Bash", {}), result(false))).toEqual([
    "the person has no answer yet",
  ]);
  expect(
    ends(said("user", "go"), called("Bash", {}), result(false), said("assistant", "it is finished")),
  ).toEqual([]);
});

test("files that were changed come before those that were only read", () => {
  const read = { file_path: "/read" };
  const uses = [called("Read", read), called("Read", read), called("Edit", { file_path: "/changed" })];
  const created = called("create", { path: "/created" });
  expect(digestOf([[...uses, created]]).files).toEqual([
    { path: "/changed", changes: 1, looks: 0 },
    { path: "/created", changes: 1, looks: 0 },
    { path: "/read", changes: 0, looks: 2 },
  ]);
});

test("the tasks of a list stay open after other calls, until a later list completes them", () => {
  const list = todos(["fix it", "pending"]);
  const endsOf = (...turns: readonly (readonly Message[])[]) => digestOf(turns).openEnds;
  const open = [{ turn: 1, text: "fix it" }];
  expect(
    endsOf([
      list,
      result(false),
      called("Bash", { command: "make" }),
      result(false),
      said("assistant", "Made."),
    ]),
  ).toEqual(open);
  expect(
    endsOf(
      [list, result(false)],
      [called("Read", { file_path: "/a" }), result(false), said("assistant", "Read.")],
    ),
  ).toEqual(open);
  expect(
    endsOf(
      [list, result(false)],
      [todos(["fix it", "completed"]), result(false), said("assistant", "Done.")],
    ),
  ).toEqual([]);
});

test("a call that names a file twice is one use of it, and no path and no task has a secret", () => {
  const patch = { file_path: "/w/secret.ts", path: "/w/secret.ts" };
  const { files, openEnds } = digestOf([
    [called("Edit", patch), result(false), todos(["hide the secret", "pending"]), result(false)],
  ]);
  expect(files).toEqual([{ path: "/w/***.ts", changes: 1, looks: 0 }]);
  expect(openEnds.map(({ text }) => text)).toContain("hide the ***");
});

test("an agent that called tools, and said nothing, gave no answer yet", () => {
  const ends = (messages: readonly Message[]): readonly string[] =>
    digestOf([messages]).openEnds.map(({ text }) => text);
  const worked = [said("user", "fix it"), called("Edit", { file_path: "/w/a.ts" }), result(false)];
  expect(ends(worked)).toEqual(["the person has no answer yet"]);
  expect(ends([...worked, said("assistant", "It works now, I am done.")])).toEqual([]);
});
