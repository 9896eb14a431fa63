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
