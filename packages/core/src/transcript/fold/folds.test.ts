import { expect, test } from "vitest";
import { EVENT_KINDS, type TranscriptUse } from "../../model/index.ts";
import { fromEvents, type Transcript } from "../builder/index.ts";

/** A payload of every type that the fold can read, by the fields that the table names. */
const PAYLOAD = {
  content: "words",
  delta: "words",
  messageId: "known",
  toolCallId: "call",
  toolName: "tool",
  toolInput: { a: 1 },
  usage: { inputTokens: 1, outputTokens: 1 },
  limit: "tokens",
  message: "words",
  approvalId: "approval",
  outcome: "granted",
  title: "title",
  mode: "plan",
  state: "idle",
};

const BEFORE = [
  { sequence: 1, type: "message_received", data: { messageId: "known", content: "before" } },
  { sequence: 2, type: "tool_call_started", data: { toolCallId: "call", toolName: "tool" } },
];

const before = fromEvents(BEFORE);

const CHECKS: Readonly<Record<TranscriptUse, (after: Transcript, type: string) => void>> = {
  message: (after) => expect(after.messages).not.toEqual(before.messages),
  chunk: (after) =>
    expect(after.messages.at(-1)).toMatchObject({ role: "assistant", metadata: { partial: true } }),
  tool: (after) => expect(after.messages).not.toEqual(before.messages),
  usage: (after) => expect(after.metadata.usage).toEqual({ inputTokens: 1, outputTokens: 1 }),
  state: (after, type) => {
    if (type === "message_completed") expect(after.messages[0]?.metadata.events).toBe(3);
    else expect(stateOf(after)).not.toEqual(stateOf(before));
  },
  note: (after, type) => {
    expect(after.messages.at(-1)).toMatchObject({
      role: "user",
      origin: "injected",
      metadata: { note: type },
    });
  },
  nothing: (after) => {
    expect(after.messages).toEqual(before.messages);
    expect(stateOf(after)).toEqual(stateOf(before));
    expect(after.metadata.leftOut.untold + after.metadata.leftOut.custom).toBe(1);
  },
};

function stateOf({ metadata }: Transcript): unknown {
  const { events: _, leftOut: __, fold: ___, ...state } = metadata;
  return state;
}

test.each(Object.entries(EVENT_KINDS))("%s is folded as the table says", (type, kind) => {
  const data = type === "message_streamed" ? { ...PAYLOAD, messageId: "new" } : PAYLOAD;
  CHECKS[kind.transcript](fromEvents([...BEFORE, { sequence: 3, type, data }]), type);
});
