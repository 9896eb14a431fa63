/** Events of a turn as updates for an editor: each text is sent once, and none is left out. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { AgentEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { CallIds } from "./call-ids.ts";
import { TurnUpdates } from "./updates.ts";

const CALL: AgentEvent = { type: "tool_call", toolCallId: "t1", toolName: "Bash", toolInput: {} };
const text = (delta: string): AgentEvent => ({ type: "text", delta });
const whole = (words: string): AgentEvent => ({ type: "message", content: [{ type: "text", text: words }] });

function told(events: readonly AgentEvent[]): readonly SessionUpdate[] {
  const updates = new TurnUpdates(new CallIds());
  return [...events.flatMap((event) => updates.of(event)), ...updates.end()];
}

function wordsIn(updates: readonly SessionUpdate[]): readonly string[] {
  return updates.flatMap((update) =>
    update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
      ? [update.content.text]
      : [],
  );
}

test("a message that came in parts is not shown again as a whole", () => {
  expect(wordsIn(told([text("I "), text("look."), whole("I look.")]))).toEqual(["I ", "look."]);
});

test("a complete message is shown, even after a call that followed a message in parts", () => {
  expect(wordsIn(told([whole("Done.")]))).toEqual(["Done."]);
  expect(wordsIn(told([text("I look."), CALL, whole("Done.")]))).toEqual(["I look.", "Done."]);
});

test("an answer that comes whole after its thoughts came in parts is shown", () => {
  const events: AgentEvent[] = [
    { type: "thinking", delta: "Where is it?", messageId: "m1" },
    { type: "message", content: [{ type: "text", text: "In the shed." }], messageId: "m1" },
  ];
  expect(wordsIn(told(events))).toEqual(["In the shed."]);
});

test("a call that the turn left without a result has failed", () => {
  const done: AgentEvent = { type: "tool_result", toolCallId: "t1", content: "out", status: "ok" };
  expect(told([CALL]).at(-1)).toMatchObject({ toolCallId: "t1", status: "failed" });
  expect(told([CALL, done]).at(-1)).toMatchObject({ toolCallId: "t1", status: "completed" });
});
