import { expect, test } from "vitest";
import { TranscriptBuilder } from "../../packages/core/src/transcript/index.ts";
import { ContinuoSession } from "../../packages/openai-agents/src/index.ts";
import { openStore } from "../../packages/store/src/store/index.ts";

test("the transcript shows the items of the history, and no removed items", async () => {
  await using store = await openStore("memory:");
  const session = new ContinuoSession(store, { sessionId: "shown", title: "The build" });
  await session.addItems([
    { role: "user", content: "Why does it fail?" },
    { type: "function_call", callId: "a", name: "look", arguments: '{"at":"log"}', status: "completed" },
    { type: "function_call_result", callId: "a", name: "look", status: "completed", output: "a stale file" },
    { role: "user", content: "said in error" },
  ]);
  await session.popItem();
  const content = [{ type: "output_text" as const, text: "It is the cache." }];
  await session.addItems([{ type: "message", role: "assistant", status: "completed", content }]);
  const transcript = JSON.stringify(await TranscriptBuilder.fromStore(store, "shown"));
  for (const text of ["Why does it fail?", "look", "a stale file", "It is the cache."])
    expect(transcript).toContain(text);
  expect(transcript).not.toContain("said in error");
  expect(await store.getSession("shown")).toMatchObject({ agent: "openai-agents", title: "The build" });
});
