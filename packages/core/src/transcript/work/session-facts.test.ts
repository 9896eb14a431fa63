import { expect, test } from "vitest";
import type { Block, Message, SessionFacts } from "../../model/index.ts";
import { sessionFacts } from "./session-facts.ts";

let count = 0;
function message(role: Message["role"], content: readonly Block[], extra: Partial<Message> = {}): Message {
  count += 1;
  return { id: `m${count}`, role, content, metadata: {}, ...extra };
}
const text = (words: string): Block => ({ type: "text", text: words });
const person = (words: string): Message => message("user", [text(words)]);
const agent = (words: string, extra: Partial<Message> = {}): Message =>
  message("assistant", [text(words)], extra);

function call(
  name: string,
  args: Readonly<Record<string, unknown>>,
  result?: string,
  isError = false,
): Message[] {
  const id = `c${count}`;
  const made = message("assistant", [{ type: "tool_call", id, name, args }]);
  if (result === undefined) return [made];
  return [made, message("tool", [{ type: "tool_result", toolCallId: id, isError, content: [text(result)] }])];
}

async function factsOf(...messages: readonly (Message | readonly Message[])[]): Promise<SessionFacts> {
  return await sessionFacts(messages.flat(), { cwd: "/w", costOf: ({ usage }) => usage?.costUsd ?? null });
}

test("the facts of a session each name their turn", async () => {
  count = 0;
  const usage = { inputTokens: 1, outputTokens: 1 };
  const facts = await factsOf(
    person("Mend the\nleap year"),
    call("Write", { file_path: "/w/leap.ts", content: "a\nb\n" }, "done"),
    call("Bash", { command: "npm test" }, "Tests  1 failed | 1 passed (2)"),
    agent("One fails.", { usage: { ...usage, costUsd: 0.5 } }),
    person("Go on"),
    call("Edit", { file_path: "leap.ts", old_string: "b", new_string: "c" }, "done"),
    call("Edit", { file_path: "/w/other.ts", old_string: "x", new_string: "y" }, "no such text", true),
    call("Bash", { command: "npm test" }, "Tests  2 passed (2)"),
    call("Bash", { command: "git commit -am Mend" }, "[main 1a2b3c4] Mend\n"),
    agent("It is mended.", { usage: { ...usage, costUsd: 1 } }),
  );
  expect(facts).toEqual({
    turns: 2,
    asked: { turn: 1, messageId: "m1", text: "Mend the leap year" },
    lastAsked: { turn: 2, messageId: "m7", text: "Go on" },
    files: [
      {
        turn: 1,
        messageId: "m2",
        path: "leap.ts",
        status: "changed",
        added: 2,
        removed: 0,
        known: "part",
        movedFrom: null,
        edits: 2,
      },
    ],
    fileCount: 1,
    added: 2,
    removed: 0,
    undoneFiles: 0,
    commits: [{ turn: 2, messageId: "m15", hash: "1a2b3c4", branch: "main", subject: "Mend" }],
    commitCount: 1,
    tests: [
      {
        turn: 2,
        messageId: "m12",
        command: "npm test",
        outcome: "passed",
        passed: 2,
        failed: 0,
        runs: 2,
        failedRuns: 1,
        changedSince: false,
      },
    ],
    cost: { usd: 1.5, dearest: { turn: 2, messageId: "m7", usd: 1 } },
    end: { turn: 2, messageId: "m16", state: "answered", text: "It is mended." },
  });
});

test("an edit after the last run of the tests is not tested", async () => {
  const facts = await factsOf(
    person("x"),
    call("Bash", { command: "npm test" }, "Tests  2 passed (2)"),
    call("Edit", { file_path: "a", old_string: "x", new_string: "y" }, "done"),
  );
  expect(facts.tests).toMatchObject([{ outcome: "passed", changedSince: true }]);
});

test.each([
  ["calling", "Bash, Read", [...call("Bash", { command: "x" }), ...call("Read", { path: "a" })]],
  ["calling", "", call("Bash", { command: "x" }, "out")],
  ["call_failed", "Exit code 1", call("Bash", { command: "x" }, "Exit code 1", true)],
  ["error", "Overloaded", [message("assistant", [text("Overloaded")], { origin: "error" })]],
  ["stopped", "I began", [agent("I began", { stopReason: "aborted" })]],
  ["unanswered", "Do it", []],
  ["answered", "Done", [...call("Bash", { command: "x" }, "out"), agent("Done")]],
] as const)("a session that stopped while it was %s says so: %s", async (state, words, rest) => {
  expect((await factsOf(person("Do it"), rest)).end).toMatchObject({ state, text: words, turn: 1 });
});

test("files have one name, follow moves, and leave the list when they are as they were", async () => {
  const patch = (body: string) => ({ input: `*** Begin Patch\n${body}\n*** End Patch` });
  const facts = await factsOf(
    person("x"),
    call("apply_patch", patch("*** Add File: a.txt\n+one\n+two"), "done"),
    call(
      "apply_patch",
      patch("*** Update File: ./a.txt\n*** Move to: lib/b.txt\n@@\n one\n-two\n+2"),
      "done",
    ),
    call("apply_patch", patch("*** Add File: scratch.txt\n+x"), "done"),
    call("apply_patch", patch("*** Delete File: /w/scratch.txt"), "done"),
  );
  expect(facts.files).toMatchObject([{ path: "lib/b.txt", movedFrom: "a.txt", status: "created", added: 2 }]);
  expect([facts.fileCount, facts.undoneFiles]).toEqual([1, 1]);
});

test("a result that comes after the next prompt counts, in the turn in which it came", async () => {
  const [made, result] = call("Edit", { file_path: "/w/a", old_string: "x", new_string: "y" }, "done");
  const facts = await factsOf(person("x"), made ?? [], person("hurry"), result ?? []);
  expect(facts.files).toMatchObject([{ path: "a", turn: 2 }]);
});

test("the texts of a session cannot move a terminal", async () => {
  const facts = await factsOf(person("\u001b[2Jx"), call("Bash", { command: "npm test \u202e" }, "ok"));
  expect(JSON.stringify(facts)).not.toMatch(/\\u001b|\u202e/u);
});

test("edits beyond what is held are counted one by one, and the file says so", async () => {
  const long = "x".repeat(1_500_000);
  const edits = [1, 2, 3, 4].flatMap((n) =>
    call("Write", { file_path: "/w/a", content: `${n}${long}\n` }, "done"),
  );
  const facts = await factsOf(person("x"), edits);
  expect(facts.files).toMatchObject([{ edits: 4, added: 3, known: "part" }]);
});
