/** Events of every type about the same few messages, calls and runs, so that they interact. */

import type { NewEvent } from "@continuo/core/model";
import fc from "fast-check";

const text = fc.constantFrom("", "a", "words", "more words", "😀", "line\nline");
const messageId = fc.constantFrom("m1", "m2");
const toolCallId = fc.constantFrom("c1", "c2", "c3");
const usage = fc.record({ inputTokens: fc.nat(9), outputTokens: fc.nat(9) });
const content = fc.oneof(
  text,
  fc.array(
    fc.oneof(
      text.map((words) => ({ type: "text", text: words })),
      text.map((words) => ({ type: "thinking", text: words })),
      toolCallId.map((id) => ({ type: "tool_call", id, name: "tool", args: {} })),
      toolCallId.map((id) => ({ type: "tool_result", toolCallId: id, content: [], isError: false })),
    ),
    { maxLength: 3 },
  ),
);

const DATA: Readonly<Record<string, fc.Arbitrary<Record<string, unknown>>>> = {
  message_sent: optional(
    { content, role: fc.constantFrom("user", "system", "assistant", "tool"), messageId },
    ["content"],
  ),
  message_received: optional({ content, messageId, usage }, ["content"]),
  message_streamed: optional({ delta: text, messageId, kind: fc.constantFrom("text", "thinking", "odd") }, [
    "delta",
    "messageId",
  ]),
  message_updated: fc.record({ content, messageId }),
  message_completed: fc.record({ messageId }),
  tool_call_started: optional(
    { toolCallId, toolName: text, toolInput: fc.oneof(text, fc.record({ a: text })), messageId },
    ["toolCallId", "toolName"],
  ),
  tool_call_completed: optional({ toolCallId, toolOutput: content }, ["toolCallId"]),
  tool_call_failed: optional({ toolCallId, error: text, status: fc.constantFrom("denied", "odd") }, [
    "toolCallId",
  ]),
  token_usage_updated: optional({ usage, total: usage, costUsd: fc.nat(3) }, []),
  turn_completed: optional({ usage, stopReason: text }, []),
  session_updated: optional({ title: fc.option(text), metadata: fc.record({ a: fc.option(text) }) }, []),
  run_created: fc.record({
    runId: fc.constantFrom("r2", "r3"),
    metadata: fc.record({ saidBy: fc.constantFrom("r1", "r2") }),
  }),
  run_completed: fc.record({ runId: fc.constantFrom("r1", "r2", "r3") }),
  run_interrupted: fc.record({ runId: fc.constantFrom("r1", "r2") }),
  approval_requested: fc.record({ approvalId: toolCallId, title: text }),
  approval_resolved: fc.record({ approvalId: toolCallId, outcome: text }),
  mode_changed: optional({ mode: text, tools: fc.array(fc.oneof(fc.record({ name: toolCallId }), text)) }, [
    "mode",
  ]),
  evidence_added: fc.record({ kind: text }),
  unheard_of: fc.record({ content }),
};

function optional(
  shape: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  requiredKeys: string[],
): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(shape, { requiredKeys });
}

/** Streaming and tools are frequent, because an update can divide them. */
const type = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("message_streamed", "message_received") },
  { weight: 3, arbitrary: fc.constantFrom("tool_call_started", "tool_call_completed", "tool_call_failed") },
  { weight: 4, arbitrary: fc.constantFrom(...Object.keys(DATA)) },
);

/** There are only few times, so that many are equal. */
const time = fc.nat(3).map((second) => `2026-01-01T00:00:0${second}.000Z`);

export const anyEvent: fc.Arbitrary<NewEvent> = type.chain((name) =>
  fc
    .record(
      {
        type: fc.constant(name),
        data: fc.oneof(
          { weight: 19, arbitrary: DATA[name] ?? fc.record({}) },
          { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 1, {}, { content: 1 }) },
        ),
        occurredAt: time,
        runId: fc.constantFrom("r1", "r2", "r3"),
      },
      { requiredKeys: ["type", "data"] },
    )
    .map((event) => event as NewEvent),
);
