/** These tests cover the run of each message and its origin, which only the events name. */

import { describe, expect, test } from "vitest";
import { fromEvents } from "../builder/index.ts";

const RESULT = { toolCallId: "call_1", toolOutput: "old" };

describe("a result whose call was not read", () => {
  const late = { type: "tool_call_completed", sequence: 10, runId: "first", data: RESULT };
  const call = {
    type: "tool_call_started",
    sequence: 11,
    runId: "second",
    data: { toolCallId: "call_1", toolName: "read" },
  };

  test("is not the result of another run's call of that id", () => {
    const { messages, metadata } = fromEvents([late, call]);
    expect(messages.map(({ role }) => role)).toEqual(["assistant"]);
    expect([metadata.openCalls, metadata.resultsWithoutCall]).toEqual([["call_1"], 1]);
  });

  test("leaves that call its own", () => {
    const own = {
      type: "tool_call_completed",
      sequence: 12,
      id: "own",
      runId: "second",
      data: { toolCallId: "call_1", toolOutput: "new" },
    };
    expect(fromEvents([late, call, own]).messages[1]).toEqual({
      id: "own",
      role: "tool",
      content: [
        {
          type: "tool_result",
          toolCallId: "call_1",
          isError: false,
          status: "ok",
          content: [{ type: "text", text: "new" }],
        },
      ],
      toolCallId: "call_1",
      toolName: "read",
      toolInput: {},
      toolOutput: "new",
      metadata: { events: 1, sequence: 12, lastSequence: 12, runId: "second" },
    });
  });

  test("takes the place of an earlier one, whose event is counted", () => {
    const again = { ...late, sequence: 9 };
    const { messages } = fromEvents([again, late, { ...call, runId: "first" }]);
    expect(messages[1]?.metadata).toEqual({ events: 2, sequence: 10, lastSequence: 10, runId: "first" });
  });
});

test("metadata of the application does not set the origin of a message", () => {
  const mine = { sequence: 99, lastSequence: 99, events: 1e9, runId: "other", messageId: "x", partial: true };
  const told = { note: "run_failed", closedBy: "me", mine: true };
  const place = { runId: "run", events: 2, sequence: 1, lastSequence: 2, messageId: "m" };
  const data = { messageId: "m", content: "hi", metadata: { ...mine, ...told } };
  const { messages } = fromEvents([
    { type: "message_received", sequence: 1, runId: "run", data },
    { type: "message_updated", sequence: 2, runId: "run", data },
  ]);
  expect(messages[0]?.metadata).toEqual({ ...place, mine: true, updated: true });
});
