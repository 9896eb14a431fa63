/** A history in the form that an editor receives. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { CallIds } from "./call-ids.ts";
import { replayOf } from "./replay.ts";

const AT = "2026-03-01T10:00:00.000Z";

function message(id: string, fields: Partial<Message>): Message {
  return { id, role: "assistant", content: [], timestamp: AT, metadata: {}, ...fields } as Message;
}

const CALL = message("m1", { content: [{ type: "tool_call", id: "t1", name: "Bash", args: {} }] });

async function told(
  messages: readonly Message[],
  options: { readonly isLive?: boolean; readonly showsCompactions?: boolean } = {},
): Promise<readonly SessionUpdate[]> {
  const { isLive = false, showsCompactions = false } = options;
  return await Array.fromAsync(replayOf(messages, { ids: new CallIds(), isLive, showsCompactions }));
}

test("a call without a result has failed, unless its session is open in its agent", async () => {
  const failed = { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "failed" };
  expect((await told([CALL])).at(-1)).toEqual(failed);
  expect(await told([CALL], { isLive: true })).toMatchObject([
    { sessionUpdate: "tool_call", toolCallId: "t1", status: "in_progress" },
  ]);
});

test.each([
  ["ok", "completed"],
  ["error", "failed"],
  ["denied", "failed"],
  ["cancelled", "failed"],
  ["interrupted", "failed"],
] as const)(
  "a call whose result is %s is %s, and a result without its call is left out",
  async (status, end) => {
    const result = (toolCallId: string): Message =>
      message(`r-${toolCallId}`, {
        role: "tool",
        content: [
          {
            type: "tool_result",
            toolCallId,
            content: [{ type: "text", text: "out" }],
            isError: false,
            status,
          },
        ],
      });
    expect((await told([result("t0"), CALL, result("t1")])).slice(1)).toMatchObject([
      { toolCallId: "t1", status: end, content: [{ content: { text: "out" } }] },
    ]);
  },
);

test("only the first message of a run has the id of the run", async () => {
  const said = (id: string): Message =>
    message(id, { role: "user", content: [{ type: "text", text: id }], metadata: { runId: "run-1" } });
  const ids = (await told([said("m1"), said("m2")])).map((one) => "messageId" in one && one.messageId);
  expect(ids).toEqual(["run-1", "m2"]);
});

test("texts that an agent's program inserted are left out, and a summary becomes a thought if the editor shows no compactions", async () => {
  const text = (origin: NonNullable<Message["origin"]>): Message =>
    message(`m-${origin}`, { role: "user", origin, content: [{ type: "text", text: origin }] });
  const history = [text("injected"), text("notification"), text("summary")];
  expect(await told(history)).toMatchObject([
    { sessionUpdate: "agent_thought_chunk", content: { text: "summary" }, messageId: "m-summary" },
  ]);
  expect(await told(history, { showsCompactions: true })).toMatchObject([
    { sessionUpdate: "compaction_update", compactionId: "m-summary", status: "completed" },
  ]);
});

test.each([
  [true, "compaction_update"],
  [false, "agent_thought_chunk"],
] as const)(
  "a compaction is between the messages that were before and after it (the editor shows compactions: %s)",
  async (showsCompactions, shown) => {
    const said = (id: string, fields: Partial<Message>): Message =>
      message(id, { content: [{ type: "text", text: id }], ...fields });
    const history = [
      said("asked", { role: "user" }),
      said("answered", {}),
      said("summary", { role: "user", origin: "summary" }),
      said("asked again", { role: "user" }),
      said("answered again", {}),
    ];
    const updates = await told(history, { showsCompactions });
    const ids = updates.map((one) =>
      "compactionId" in one ? one.compactionId : "messageId" in one && one.messageId,
    );
    expect(updates.map(({ sessionUpdate }, at) => [sessionUpdate, ids[at]])).toEqual([
      ["user_message_chunk", "asked"],
      ["agent_message_chunk", "answered"],
      [shown, "summary"],
      ["user_message_chunk", "asked again"],
      ["agent_message_chunk", "answered again"],
    ]);
  },
);

test("a picture of a person or of a call reaches the editor as the same picture, in its place", async () => {
  const data = Buffer.alloc(100_000, 7).toString("base64");
  const picture = { type: "image", mimeType: "image/png", data } as const;
  const words = (text: string) => ({ type: "text", text }) as const;
  const result = { type: "tool_result", toolCallId: "t1", content: [picture], isError: false } as const;
  const history = [
    message("m0", { role: "user", content: [words("before"), picture, words("after")] }),
    CALL,
    message("r1", { role: "tool", content: [result] }),
  ];
  const updates = await told(history);
  const said = (content: object) => ({ sessionUpdate: "user_message_chunk", content, messageId: "m0" });
  expect(updates.slice(0, 3)).toEqual([said(words("before")), said(picture), said(words("after"))]);
  expect(updates.at(-1)).toMatchObject({
    toolCallId: "t1",
    content: [{ type: "content", content: picture }],
  });
});

test("a history has the person's own words, the agent's under the ids of their messages, and no system messages", async () => {
  const text = (words: string, typed?: string) =>
    ({ type: "text", text: words, ...(typed === undefined ? {} : { typed }) }) as const;
  const metadata = { runId: "run-1" };
  const history = [
    message("m0", { role: "system", content: [text("Be kind.")] }),
    message("m1", { role: "user", content: [text("<file>why?", "why?")], metadata }),
    message("m2", {
      content: [{ type: "thinking", text: "" }, { type: "thinking", text: "Hm." }, text("<b>", "as it is")],
      metadata,
    }),
  ];
  expect(await told(history)).toEqual([
    { sessionUpdate: "user_message_chunk", content: { type: "text", text: "why?" }, messageId: "run-1" },
    { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Hm." }, messageId: "m2" },
    { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "<b>" }, messageId: "m2" },
  ]);
});

test("each call of a history ends once, with the state that its result has, under an id of its own", async () => {
  const result = (isError: boolean): Message =>
    message("r", {
      role: "tool",
      content: [{ type: "tool_result", toolCallId: "t1", content: [], isError }],
    });
  const updates = await told([CALL, result(false), CALL, result(true), CALL]);
  expect(updates.map((one) => "toolCallId" in one && [one.toolCallId, one.status])).toEqual([
    ["t1", "in_progress"],
    ["t1", "completed"],
    ["t1~2", "in_progress"],
    ["t1~2", "failed"],
    ["t1~3", "in_progress"],
    ["t1~3", "failed"],
  ]);
});

test("a call shows the input that its record has, also if that is no object", async () => {
  const args = { file_path: "/a.ts", old_string: "x", new_string: "y" };
  const edit = message("m1", { content: [{ type: "tool_call", id: "t1", name: "Edit", args }] });
  const patch = message("m2", {
    content: [{ type: "tool_call", id: "t2", name: "apply_patch", args: {}, rawArgs: "*** Begin" }],
  });
  expect(await told([edit, patch], { isLive: true })).toMatchObject([
    {
      rawInput: args,
      kind: "edit",
      locations: [{ path: "/a.ts" }],
      content: [{ type: "diff", path: "/a.ts", oldText: "x", newText: "y" }],
    },
    { rawInput: "*** Begin", kind: "edit" },
  ]);
});
