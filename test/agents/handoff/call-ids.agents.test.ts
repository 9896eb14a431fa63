/**
 * Ids of calls that a vendor's API refuses, or that an agent confuses with another id: each real agent resumes a
 * session with all of them, and sends every result with its call.
 */

import { join } from "node:path";
import { handOffMessages } from "@continuo/agents";
import type { Message } from "@continuo/core/model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AppendStage, layOut } from "../append/append-stage.ts";
import { AGENTS, writtenOf } from "../append/begin.ts";
import { proveResumption } from "../proof.ts";

const IDS = [
  ...["call", "call", "call_1", "call_10", "call_2"],
  ...["n_1", "n_2", "m_1_2", "m", "k_10", "k", "toolu_01_1"],
  ...["a.b", "a b", "a_b", "call_x|fc_y", "x".repeat(70), `${"x".repeat(69)}y`],
  ...["look__call", "look__p", "p", "q__2", "q", "", "é"],
];

/** Each answer has one call, so that it does not matter that some agents send parallel calls in their own order. */
const MESSAGES: readonly Message[] = IDS.flatMap((id, at): Message[] => {
  const said = (role: Message["role"], part: number, content: Message["content"]): Message => ({
    id: `m${at}.${part}`,
    role,
    content,
    metadata: {},
  });
  const result = [{ type: "text", text: `result ${at}` }] as const;
  return [
    said("user", 0, [{ type: "text", text: `question ${at}` }]),
    said("assistant", 1, [{ type: "tool_call", id, name: "look", args: { at } }]),
    {
      ...said("tool", 2, [{ type: "tool_result", toolCallId: id, content: result, isError: false }]),
      toolCallId: id,
    },
    said("assistant", 3, [{ type: "text", text: `answer ${at}` }]),
  ];
});

describe.each(AGENTS)("$agent", (subject) => {
  const { agent, program } = subject;
  let laid: AppendStage;

  beforeAll(async () => {
    laid = await layOut(subject, "Hello.");
    // opencode creates its database when it first runs.
    if (agent === "opencode") await laid.begun.begin("Hello.");
  });

  afterAll(() => laid?.[Symbol.asyncDispose]());

  test("sends every result with its call, whatever the call's id was", async () => {
    const { sandbox, server, begun } = laid;
    const places = {
      ...laid.places,
      env: { ...laid.places.env, CONTINUO_HOME: join(sandbox.root, "continuo") },
    };
    const made = await handOffMessages(
      { messages: MESSAGES, title: "Ids", cwd: sandbox.project },
      { to: agent, places, programs: { [agent]: program() } },
    );
    expect(made.receipt).toMatchObject({ noted: 0, dropped: 0 });
    const written = writtenOf(made);
    const resume = (words: string) => begun.resume(words, written);
    const items = await proveResumption({ agent, places, sessionId: written.sessionId, server, resume });
    const calls = new Map(items.flatMap((item) => (item.kind === "call" ? [[item.id, item.args]] : [])));
    const results = items.flatMap((item) =>
      item.kind === "result" ? [[calls.get(item.id), item.text]] : [],
    );
    expect(results).toEqual(IDS.map((_id, at) => [{ at }, `result ${at}`]));
  });
});
