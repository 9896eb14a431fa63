import type { Block, Leaf, Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { rowKnowledgeOf } from "./row-facts.ts";

type Session = Parameters<typeof rowKnowledgeOf>[0];

const rowFactsOf = async (of: Session) => (await rowKnowledgeOf(of)).facts;

function session(
  messages: readonly Partial<Message>[],
  given: { leaves?: number; forkedFrom?: string } = {},
) {
  const leaves = Array.from(
    { length: given.leaves ?? 1 },
    (_, at) => ({ id: String(at), active: at === 0 }) as Leaf,
  );
  return {
    details: {
      forkedFrom: given.forkedFrom ?? null,
      models: [],
      usage: null,
      problems: ["torn_line", "missing_id", "torn_line"].map((code) => ({ code, line: null, message: "" })),
    } as unknown as Session["details"],
    leaves,
    async *history() {
      for (const [at, one] of messages.entries()) {
        yield { id: String(at), role: "assistant", content: [], metadata: {}, ...one } as Message;
      }
    },
  };
}

const says = (text: string, given: Partial<Message> = {}): Partial<Message> => ({
  content: [{ type: "text", text }],
  ...given,
});

const edit = (id: string, path: string): Block => ({
  type: "tool_call",
  id,
  name: "Edit",
  args: { file_path: path, old_string: "a", new_string: "b" },
});

const result = (id: string, isError = false): Partial<Message> => ({
  role: "tool",
  content: [{ type: "tool_result", toolCallId: id, content: [], isError }],
});

test("the last words are the agent's last text, on one line", async () => {
  const messages = [
    says("Fix it", { role: "user" }),
    says("Looking."),
    says("# Done\n\n- [x] **all** tests of `a.ts` pass\n```sh\nnpm test\n```"),
    { content: [edit("1", "/w/a.ts")] },
    says("Thanks", { role: "user" }),
  ];
  expect((await rowFactsOf(session(messages))).lastWords).toBe("Done all tests of a.ts pass npm test");
  const long = await rowFactsOf(session([says("word ".repeat(1_000))]));
  expect(long.lastWords).toHaveLength(240);
  expect((await rowFactsOf(session([says("Hello", { role: "user" })]))).lastWords).toBeNull();
});

test("files count once, the last change comes first, and failed changes do not count", async () => {
  const messages = [
    { content: [edit("1", "/w/a.ts"), edit("2", "/w/b.ts"), edit("3", "/w/c.ts")] },
    result("1"),
    result("2", true),
    result("3"),
    { content: [edit("4", "/w/a.ts")] },
    result("4"),
    { content: [edit("5", "C:\\w\\d.ts")] },
  ];
  expect(await rowFactsOf(session(messages))).toMatchObject({
    fileNames: ["d.ts", "a.ts", "c.ts"],
    changedFiles: 3,
  });
});

test("a file that was only read counts as unchanged, and a file that a patch in plain text names counts as changed", async () => {
  const read: Block = { type: "tool_call", id: "1", name: "Read", args: { file_path: "/w/read.ts" } };
  const rawArgs = "*** Begin Patch\n*** Update File: src/brew.ts\n@@\n-black\n+green\n*** End Patch\n";
  const patch: Block = { type: "tool_call", id: "2", name: "apply_patch", args: {}, rawArgs };
  const messages = [{ content: [read, patch] }, result("1"), result("2")];
  expect(await rowFactsOf(session(messages))).toMatchObject({ fileNames: ["brew.ts"], changedFiles: 1 });
});

test("a fork, and a session with branches, say so", async () => {
  expect(await rowFactsOf(session([], { leaves: 3, forkedFrom: "x" }))).toMatchObject({
    branches: 3,
    isFork: true,
  });
  expect(await rowFactsOf(session([], { leaves: 0 }))).toMatchObject({ branches: 1, isFork: false });
});

test("one read gives the tokens of every branch and the facts of the active one", async () => {
  const reads: (string | undefined)[] = [];
  const usage = { inputTokens: 10, outputTokens: 1 };
  const branches = new Map([
    ["0", [says("Kept", { model: "m", usage })]],
    ["1", [says("Left behind", { model: "m", usage })]],
  ]);
  const { history: _none, ...branched } = session([], { leaves: 2 });
  const known = await rowKnowledgeOf({
    ...branched,
    async *history({ leaf = "0" } = {}) {
      reads.push(leaf);
      for (const one of branches.get(leaf) ?? []) {
        yield { id: leaf, role: "assistant", content: [], metadata: {}, ...one } as Message;
      }
    },
  });
  expect(reads).toEqual(["0", "1"]);
  expect(known.facts).toMatchObject({ lastWords: "Kept", branches: 2 });
  expect(known.problems).toEqual(["torn_line", "missing_id"]);
  expect(known.buckets.map((bucket) => bucket.usage.inputTokens)).toEqual([20]);
});
