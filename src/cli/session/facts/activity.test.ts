import type { Block, Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { activityOf } from "./activity.ts";

async function* historyOf(...contents: readonly (readonly Block[])[]): AsyncGenerator<Message, void, void> {
  for (const [at, content] of contents.entries()) {
    yield { id: String(at), role: "assistant", content, metadata: {} };
  }
}

const call = (id: string, args: Readonly<Record<string, unknown>>): Block => ({
  type: "tool_call",
  id,
  name: "tool",
  args,
});

const result = (toolCallId: string, text: string): Block => ({
  type: "tool_result",
  toolCallId,
  isError: false,
  content: [{ type: "text", text }],
});

test("files are those that calls and patches name, commands are those that were run, and commits are those that git reported", async () => {
  const log = "[main 1a2b3c4] Mend the leap year\n 1 file changed\n";
  const activity = await activityOf(
    historyOf(
      [call("1", { file_path: "/a/leap.js" }), call("2", { command: "git commit -am x" })],
      [result("1", "[main 9999999] not from git"), result("2", log)],
      [call("3", { cmd: ["git", "status"] }), call("4", { path: "/a/leap.js" })],
      [call("5", { input: "*** Begin Patch\n*** Update File: seats.py\n*** Add File: b.py\n*** End Patch" })],
      [call("6", { command: ["apply_patch", "*** Begin Patch\n*** Delete File: c.py\n*** End Patch"] })],
    ),
  );
  expect(activity).toEqual({
    files: ["/a/leap.js", "seats.py", "b.py", "c.py"],
    commands: ["git commit -am x", "git status"],
    commits: [{ branch: "main", hash: "1a2b3c4", subject: "Mend the leap year" }],
  });
});
