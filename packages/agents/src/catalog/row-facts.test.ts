import type { Block, Leaf, Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { rowFactsOf } from "./row-facts.ts";

type Session = Parameters<typeof rowFactsOf>[0];

function session(
  messages: readonly Partial<Message>[],
  given: { leaves?: number; forkedFrom?: string } = {},
) {
  const leaves = Array.from({ length: given.leaves ?? 1 }, (_, at) => ({ id: String(at) }) as Leaf);
  return {
    details: { forkedFrom: given.forkedFrom ?? null } as Session["details"],
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

test("a fork, and a session with branches, say so", async () => {
  expect(await rowFactsOf(session([], { leaves: 3, forkedFrom: "x" }))).toMatchObject({
    branches: 3,
    isFork: true,
  });
  expect(await rowFactsOf(session([], { leaves: 0 }))).toMatchObject({ branches: 1, isFork: false });
});
