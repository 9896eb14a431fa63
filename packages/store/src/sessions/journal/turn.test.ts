import type { AgentEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { JournalEntry } from "./entry.ts";
import { LIMITS } from "./limits.ts";
import { createTurn, endTurn, journalEvent, type TurnJournal } from "./turn.ts";

function tell(turn: TurnJournal, ...events: readonly unknown[]): readonly JournalEntry[] {
  return events.flatMap((event) => journalEvent(turn, event as AgentEvent));
}

const CALL = { type: "tool_call", toolCallId: "c", toolName: "ls", toolInput: { path: "." } };
const STARTED = { toolCallId: "c", toolName: "ls", toolInput: { path: "." } };

test.each<[string, unknown, readonly unknown[]]>([
  ["a call", CALL, [{ type: "tool_call_started", data: STARTED }]],
  [
    "a call with a title",
    { ...CALL, title: "List", messageId: "m" },
    [{ type: "tool_call_started", data: { ...STARTED, title: "List", messageId: "m" } }],
  ],
  [
    "news of a call that is not open",
    { type: "tool_call_update", toolCallId: "c", toolInput: {}, status: "running", title: "List" },
    [
      {
        type: "tool_call_updated",
        data: { toolCallId: "c", toolInput: {}, status: "running", title: "List" },
      },
    ],
  ],
  ["news that say nothing", { type: "tool_call_update", toolCallId: "c" }, []],
  [
    "a result",
    { type: "tool_result", toolCallId: "c", toolName: "ls", content: "a.txt", status: "ok" },
    [{ type: "tool_call_completed", data: { toolCallId: "c", toolName: "ls", toolOutput: "a.txt" } }],
  ],
  [
    "a failure",
    { type: "tool_result", toolCallId: "c", content: "no", status: "error" },
    [{ type: "tool_call_failed", data: { toolCallId: "c", error: "no", status: "error" } }],
  ],
  ["a plan", { type: "plan", entries: [] }, [{ type: "plan_updated", data: { entries: [] } }]],
  [
    "usage",
    { type: "usage", usage: { inputTokens: 1, outputTokens: 2 }, costUsd: 1 },
    [{ type: "token_usage_updated", data: { usage: { inputTokens: 1, outputTokens: 2 }, costUsd: 1 } }],
  ],
  [
    "a title",
    { type: "title", title: "T" },
    [
      {
        type: "session_updated",
        data: { title: "T" },
        also: { type: "session", patch: { title: "T" } },
      },
    ],
  ],
  ["a mode", { type: "mode", mode: "plan" }, [{ type: "mode_changed", data: { mode: "plan" } }]],
  [
    "a question",
    { type: "permission_request", requestId: "q", options: [] },
    [{ type: "approval_requested", data: { requestId: "q", options: [] } }],
  ],
  [
    "an answer of the agent's own",
    { type: "permission_decision", requestId: "q", by: "agent" },
    [{ type: "approval_resolved", data: { requestId: "q", by: "agent" }, by: "agent" }],
  ],
  [
    "an answer of the policy",
    { type: "permission_decision", requestId: "q", by: "policy" },
    [{ type: "approval_resolved", data: { requestId: "q", by: "policy" }, by: "system" }],
  ],
  ["where it is", { type: "native_session", ref: {} }, []],
  ["a diagnosis", { type: "diagnostics", level: 1 }, [{ type: "diagnostics_reported", data: { level: 1 } }]],
  ["an error", { type: "error", message: "no" }, [{ type: "error_raised", data: { message: "no" } }]],
  [
    "the end of the turn",
    { type: "turn_completed", stopReason: "end_turn" },
    [{ type: "turn_completed", data: { stopReason: "end_turn" } }],
  ],
  [
    "what nobody knows",
    { type: "toString", x: 1 },
    [{ type: "diagnostics_reported", data: { details: { type: "toString", x: 1 } } }],
  ],
])("%s becomes its events", (_name, event, entries) => {
  expect(tell(createTurn(), event)).toEqual(entries);
});

test("a call whose arguments become known is written again, while it is open", () => {
  const turn = createTurn();
  tell(turn, { ...CALL, toolInput: undefined });
  const update = { type: "tool_call_update", toolCallId: "c", toolInput: { path: "/" } };
  expect(tell(turn, update)).toEqual([
    { type: "tool_call_started", data: { toolCallId: "c", toolName: "ls", toolInput: { path: "/" } } },
  ]);
  tell(turn, { type: "tool_result", toolCallId: "c", content: "", status: "ok" });
  expect(turn.calls.size).toBe(0);
  expect(tell(turn, update)).toEqual([
    { type: "tool_call_updated", data: { toolCallId: "c", toolInput: { path: "/" } } },
  ]);
});

test("each call counts once", () => {
  const turn = createTurn();
  tell(turn, CALL, CALL, { ...CALL, toolCallId: "d" });
  expect(turn.toolCalls).toBe(2);
});

test("the number of open calls that are remembered is limited", () => {
  const turn = createTurn();
  for (let n = 0; n <= LIMITS.rememberedIds; n++) tell(turn, { ...CALL, toolCallId: `c${n}` });
  expect([turn.calls.size, turn.toolCalls]).toEqual([LIMITS.rememberedIds, LIMITS.rememberedIds + 1]);
});

const TEXT = { type: "text", delta: "hm", messageId: "m" };
const STREAMED = { type: "message_streamed", data: { delta: "hm", messageId: "m", kind: "text" } };
const RECEIVED = {
  type: "message_received",
  data: { content: [{ type: "text", text: "hm" }], messageId: "m" },
};

test.each<[string, unknown, boolean]>([
  ["a call of the same message", { ...CALL, messageId: "m" }, true],
  ["a call of another message", { ...CALL, messageId: "n" }, false],
  ["a call of no message", CALL, false],
  ["news of a call", { type: "tool_call_update", toolCallId: "c", status: "running" }, true],
  ["a result", { type: "tool_result", toolCallId: "c", content: "", status: "ok" }, true],
  ["a question", { type: "permission_request", requestId: "q" }, true],
  ["an error", { type: "error", message: "no" }, true],
  ["the end of the turn", { type: "turn_completed" }, false],
])("%s completes the streamed message before it, or leaves it open (case %#)", (_name, event, goesOn) => {
  const turn = createTurn();
  const entries = tell(turn, TEXT, event);
  expect(entries.slice(0, goesOn ? 1 : 2)).toEqual(goesOn ? [STREAMED] : [STREAMED, RECEIVED]);
  expect(entries.filter(({ type }) => type === "message_received")).toHaveLength(goesOn ? 0 : 1);
});

test("a result ends a message without a name", () => {
  const entries = tell(
    createTurn(),
    { type: "text", delta: "hm" },
    { type: "tool_result", toolCallId: "c", content: "", status: "ok" },
  );
  expect(entries.map(({ type }) => type)).toEqual([
    "message_streamed",
    "message_received",
    "tool_call_completed",
  ]);
});

test("the content of the last message is kept when the turn ends", () => {
  const turn = createTurn();
  tell(turn, { type: "message", content: [{ type: "text", text: "first" }] }, TEXT);
  expect(turn.said).toEqual([{ type: "text", text: "first" }]);
  expect(endTurn(turn)).toEqual([STREAMED, RECEIVED]);
  expect(turn.said).toEqual([{ type: "text", text: "hm" }]);
  expect(endTurn(turn)).toEqual([]);
});

test.each([
  [[{ type: "native_session" }, { type: "diagnostics" }, { type: "mode" }, { type: "title" }], "nothing"],
  [[TEXT], "something"],
  [[{ type: "turn_completed" }], "something"],
])("of %j something or nothing was heard", (events, heard) => {
  const turn = createTurn();
  tell(turn, ...events);
  expect(turn.heard).toBe(heard);
});

test.each([
  [{ type: "turn_completed", stopReason: "end_turn" }, { stopReason: "end_turn" }],
  [{ type: "turn_completed", stopReason: "x".repeat(LIMITS.wordChars) }, { stopReason: "x".repeat(512) }],
  [{ type: "turn_completed", stopReason: "x".repeat(LIMITS.wordChars + 1) }, {}],
  [{ type: "turn_completed", stopReason: 7 }, {}],
  [TEXT, null],
])("%j completes the turn as %j", (event, completed) => {
  const turn = createTurn();
  tell(turn, event);
  expect(turn.completed).toEqual(completed);
});

test("the model is the last one that was named by a short text", () => {
  const turn = createTurn();
  tell(turn, { ...TEXT, model: "a" }, { type: "turn_completed", model: "b" }, { type: "mode", model: 7 });
  expect(turn.model).toBe("b");
});
