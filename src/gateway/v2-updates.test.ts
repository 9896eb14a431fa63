/** Updates that version 2 of the protocol represents in another way than version 1. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import { SessionUpdatesV2, toOptionsV2, toQuestionV2 } from "./v2-updates.ts";

const CALL: SessionUpdate = {
  sessionUpdate: "tool_call",
  toolCallId: "t1",
  title: "Edit",
  locations: [{ path: "src/a.ts", line: 3 }],
  content: [{ type: "diff", path: "src/a.ts", oldText: "one\ntwo\n", newText: "one\n2\n" }],
};

test("a change has the removed lines, then the added ones, and absolute paths", () => {
  const updates = new SessionUpdatesV2("/home/ann/app");
  expect(updates.of(CALL)).toEqual([
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "t1",
      title: "Edit",
      locations: [{ path: "/home/ann/app/src/a.ts", line: 3 }],
      content: [
        { type: "diff", changes: [{ operation: "modify", path: "/home/ann/app/src/a.ts" }] },
        { type: "content", content: { type: "text", text: "```diff\n-one\n-two\n+one\n+2\n```" } },
      ],
    },
  ]);
});

test("a new file is added, and has only added lines", () => {
  const content = [{ type: "diff", path: "/b.ts", oldText: null, newText: "new\n" }] as const;
  expect(new SessionUpdatesV2("/").callOf({ content: [...content] })).toEqual({
    content: [
      { type: "diff", changes: [{ operation: "add", path: "/b.ts" }] },
      { type: "content", content: { type: "text", text: "```diff\n+new\n```" } },
    ],
  });
});

test("chunks without an id are one message until a call comes between them", () => {
  const updates = new SessionUpdatesV2("/");
  const chunk: SessionUpdate = {
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: "a" },
  };
  const idOf = (update: SessionUpdate): unknown =>
    updates.of(update).map((one) => "messageId" in one && one.messageId)[0];
  const first = idOf(chunk);
  expect(idOf(chunk)).toBe(first);
  updates.of(CALL);
  expect(idOf(chunk)).not.toBe(first);
});

test("a replay begins each message once, and messages of a person and of an agent separately", () => {
  const updates = new SessionUpdatesV2("/");
  const begun = new Set<string>();
  const said = (sessionUpdate: "user_message_chunk" | "agent_message_chunk"): readonly string[] => {
    const content = { type: "text", text: "a" } as const;
    const told = updates.replayed({ sessionUpdate, content, messageId: "m" }, begun);
    return told.map((one) => one.sessionUpdate);
  };
  expect(said("user_message_chunk")).toEqual(["user_message", "user_message_chunk"]);
  expect(said("user_message_chunk")).toEqual(["user_message_chunk"]);
  expect(said("agent_message_chunk")).toEqual(["agent_message", "agent_message_chunk"]);
});

test("a question has the title and the call of version 1", () => {
  const toolCall = { toolCallId: "t1", title: "Edit", locations: [{ path: "a.ts" }] };
  const question = { sessionId: "s", toolCall, options: [] };
  expect(toQuestionV2(question, new SessionUpdatesV2("/app"))).toEqual({
    sessionId: "s",
    title: "Edit",
    subject: { type: "tool_call", toolCall: { ...toolCall, locations: [{ path: "/app/a.ts" }] } },
    options: [],
  });
});

test("a thought and the text after it are two messages, and a message keeps the id that its agent gave it", () => {
  const updates = new SessionUpdatesV2("/");
  const content = { type: "text", text: "a" } as const;
  const idOf = (sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", messageId?: string): unknown =>
    updates
      .of({ sessionUpdate, content, ...(messageId === undefined ? {} : { messageId }) })
      .map((one) => "messageId" in one && one.messageId)[0];
  const [thought, text] = [idOf("agent_thought_chunk"), idOf("agent_message_chunk")];
  expect(thought).not.toBe(text);
  expect([idOf("agent_message_chunk", "m1"), idOf("agent_message_chunk")]).toEqual(["m1", text]);
});

test("plans, commands and options have the form of version 2, which has no modes", () => {
  const updates = new SessionUpdatesV2("/");
  const entries = [{ content: "Read", status: "pending", priority: "low" }] as const;
  const plan = () => updates.of({ sessionUpdate: "plan", entries: [...entries] });
  const [first] = plan();
  expect(first).toMatchObject({ sessionUpdate: "plan_update", plan: { type: "items", entries } });
  expect(plan()).toEqual([first]);
  const command = { name: "review", description: "Looks at the changes" };
  expect(updates.of({ sessionUpdate: "available_commands_update", availableCommands: [command] })).toEqual([
    { sessionUpdate: "available_commands_update", availableCommands: [{ type: "command", ...command }] },
  ]);
  const option = { type: "select", name: "Agent", currentValue: "pi", options: [] } as const;
  const configOptions = [{ id: "agent", ...option, options: [] }];
  expect(toOptionsV2(configOptions)).toEqual([{ configId: "agent", ...option }]);
  expect(updates.of({ sessionUpdate: "config_option_update", configOptions })).toEqual([
    { sessionUpdate: "config_option_update", configOptions: [{ configId: "agent", ...option }] },
  ]);
  expect(updates.of({ sessionUpdate: "current_mode_update", currentModeId: "ask" })).toEqual([]);
});

test("a question without a title has one, and the whole call if its session is known", () => {
  const question = { sessionId: "s", toolCall: { toolCallId: "t1" }, options: [] };
  const title = "The agent asks for a permission";
  const subject = { type: "tool_call", toolCall: { toolCallId: "t1" } };
  expect(toQuestionV2(question, undefined)).toEqual({ sessionId: "s", title, subject, options: [] });
});
