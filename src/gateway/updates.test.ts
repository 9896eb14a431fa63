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

test("each message with an id is shown once, and pictures of a message that came in parts are shown too", () => {
  const picture = { type: "image", mimeType: "image/png", data: "QUJD" } as const;
  const named = (delta: string, messageId: string): AgentEvent => ({ type: "text", delta, messageId });
  const complete = (words: string, messageId: string): AgentEvent => ({
    type: "message",
    content: [{ type: "text", text: words }, picture],
    messageId,
  });
  const shown = told([
    text("Well."),
    named("One.", "m1"),
    // An empty part shows nothing of its message.
    named("", "m3"),
    complete("Two.", "m2"),
    complete("One.", "m1"),
    complete("Three.", "m3"),
  ]);
  expect(
    shown.map((one) =>
      one.sessionUpdate === "agent_message_chunk"
        ? [one.messageId, one.content.type === "text" ? one.content.text : one.content.type]
        : one.sessionUpdate,
    ),
  ).toEqual([
    [undefined, "Well."],
    ["m1", "One."],
    ["m2", "Two."],
    ["m2", "image"],
    ["m1", "image"],
    ["m3", "Three."],
    ["m3", "image"],
  ]);
});

test("the steps of a plan have their text, status and priority in the form of each agent, and others are left out", () => {
  const entries = [
    { content: "Read", status: "completed", priority: "high" },
    { step: "Write", status: "in_progress", priority: "low" },
    { description: "Test", status: "done?" },
    { status: "pending" },
    "no step",
  ];
  expect(told([{ type: "plan", entries }])).toEqual([
    {
      sessionUpdate: "plan",
      entries: [
        { content: "Read", status: "completed", priority: "high" },
        { content: "Write", status: "in_progress", priority: "low" },
        { content: "Test", status: "pending", priority: "medium" },
      ],
    },
  ]);
});

test("a call has the title of its agent and its change, and its updates have only what the protocol knows", () => {
  const toolInput = { file_path: "/a.ts", old_string: "x", new_string: "y" };
  const shown = told([
    { ...CALL, toolName: "Edit", toolInput, title: "Change a.ts" },
    { type: "tool_call_update", toolCallId: "t1", status: "in_progress", toolInput },
    { type: "tool_call_update", toolCallId: "t1", status: "thinking hard" },
    { type: "tool_call_update", toolCallId: "unknown", status: "completed" },
  ]);
  const locations = [{ path: "/a.ts" }];
  const update = { sessionUpdate: "tool_call_update", toolCallId: "t1" };
  expect(shown).toEqual([
    {
      sessionUpdate: "tool_call",
      toolCallId: "t1",
      name: "Edit",
      title: "Change a.ts",
      kind: "edit",
      status: "pending",
      locations,
      rawInput: toolInput,
      content: [{ type: "diff", path: "/a.ts", oldText: "x", newText: "y" }],
    },
    { ...update, status: "in_progress", rawInput: toolInput, locations },
    update,
    { ...update, status: "failed" },
  ]);
});

test("a second call with an id that was used before gets its own end and its own questions", () => {
  const updates = new TurnUpdates(new CallIds());
  const done: AgentEvent = { type: "tool_result", toolCallId: "t1", content: "out", status: "ok" };
  for (const event of [CALL, done, CALL]) updates.of(event);
  expect([updates.idOfCall("t1"), updates.idOfCall("t2")]).toEqual(["t1~2", "t2"]);
  expect(updates.of(done)).toMatchObject([{ toolCallId: "t1~2", status: "completed" }]);
  expect(updates.end()).toEqual([]);
});

test("an editor learns the title of a session and the agent's session that continues it", () => {
  const ref = { agent: "codex", sessionId: "s1", location: "/far", cwd: null };
  const native: AgentEvent = { type: "native_session", ref, happened: "resumed", verifiedBy: "disk" };
  const about = { agent: "codex", sessionId: "s1", happened: "resumed", verifiedBy: "disk" };
  expect(told([{ type: "title", title: "Tea" }, native])).toEqual([
    { sessionUpdate: "session_info_update", title: "Tea" },
    { sessionUpdate: "session_info_update", _meta: { continuo: { native: about } } },
  ]);
});
