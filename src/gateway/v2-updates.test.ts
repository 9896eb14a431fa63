/** Updates that version 2 of the protocol represents in another way than version 1. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import { SessionUpdatesV2, toQuestionV2 } from "./v2-updates.ts";

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
