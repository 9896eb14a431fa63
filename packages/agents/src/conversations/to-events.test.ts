import type { Message, Usage } from "@continuo/core/model";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { toEvents } from "./to-events.ts";

const usage: Usage = { inputTokens: 100, outputTokens: 20 };
const facts = { role: "assistant", model: "model-a", usage, metadata: {} } as const;
const call = { type: "tool_call", id: "t1", name: "Bash", args: { command: "ls" } } as const;

test.each<[string, Message["content"]]>([
  ["words", [{ type: "text", text: "Done." }]],
  ["a call alone", [call]],
  ["words and a call", [{ type: "text", text: "Look:" }, call]],
  ["nothing", []],
])("an answer of %s keeps its model and its usage", async (_, content) => {
  await using store = await openStore("memory:");
  const { sessionId } = await store.createSession({ agent: "claude" });
  await store.append(sessionId, toEvents({ ...facts, id: "m1", content }));
  const { messages } = await TranscriptBuilder.fromStore(store, sessionId);
  expect(messages.map(({ model, usage }) => ({ model, usage }))).toEqual([{ model: "model-a", usage }]);
  expect(messages[0]?.content).toMatchObject(content.map(({ type }) => ({ type })));
});

test("messages are imported with their authors and times, and a failed call as a failed one", () => {
  const timestamp = "2026-05-01T12:00:00.000Z";
  const text = { type: "text", text: "No such file." } as const;
  const prompt = { id: "m1", role: "user", content: [text], metadata: {}, timestamp } as const;
  const [typed, other] = [toEvents({ ...prompt, origin: "person" }), toEvents(prompt)].flat();
  expect(typed).toMatchObject({ type: "message_sent", actor: { kind: "person" }, occurredAt: timestamp });
  expect(other?.actor).toEqual({ kind: "system" });
  const result = { type: "tool_result", toolCallId: "t1", content: [text] } as const;
  const resultOf = (isError: boolean) =>
    toEvents({ id: "m2", role: "tool", content: [{ ...result, isError }], metadata: {} });
  expect(resultOf(true)).toMatchObject([{ type: "tool_call_failed", data: { error: [text] } }]);
  expect(resultOf(false)).toMatchObject([{ type: "tool_call_completed", data: { toolOutput: [text] } }]);
});
