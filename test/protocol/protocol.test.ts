/** The output of real agents (`capture.ts`), and the events that their drivers make of it. */

import { readFileSync } from "node:fs";
import { isJson, type Json } from "@continuo/files";
import { describe, expect, test } from "vitest";
import * as claude from "../../packages/agents/src/drivers/claude/fold.ts";
import { toPermissionRequest } from "../../packages/agents/src/drivers/claude/permission.ts";
import { endingOf } from "../../packages/agents/src/drivers/claude/turn-end.ts";
import * as codex from "../../packages/agents/src/drivers/codex/fold.ts";
import { toQuestion } from "../../packages/agents/src/drivers/codex/permission.ts";
import * as pi from "../../packages/agents/src/drivers/pi/fold.ts";

const linesOf = (agent: string): readonly Json[] =>
  readFileSync(new URL(`${agent}/lines.jsonl`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

type Fold = (line: Json) => readonly unknown[];

/** The fold of each agent. Permissions and ends of turns are not events of the folds, and are between them here. */
const FOLDS: Readonly<Record<string, () => Fold>> = {
  claude() {
    const fold = claude.createClaudeFold();
    return (line) => {
      if (line.type === "control_response") return [];
      if (line.type === "control_request" && isJson(line.request)) {
        return [toPermissionRequest(String(line.request_id), line.request)];
      }
      if (line.type === "result") return [...claude.finishTurn(fold), endingOf(line)];
      return claude.foldLine(fold, line);
    };
  },
  codex() {
    let fold = codex.createCodexFold("");
    return ({ id, method, params, result }) => {
      if (typeof method !== "string" || !isJson(params)) {
        const thread = isJson(result) && isJson(result.thread) ? result.thread : null;
        if (thread !== null) fold = codex.createCodexFold(String(thread.id));
        return [];
      }
      const call = fold.calls.get(String(params.itemId));
      if (id !== undefined) return [toQuestion({ id, method, params, call })?.request];
      const turn = isJson(params.turn) ? params.turn : {};
      if (method === "turn/started") fold.turnId = String(turn.id);
      const events = codex.foldNotification(fold, method, params);
      return method === "turn/completed" ? [...events, ...codex.finishTurn(fold), turn.status] : events;
    };
  },
  pi() {
    const fold = pi.createPiFold("message");
    return (line) => {
      if (line.type === "response") return [];
      const { stopReason, failure, usage } = fold;
      if (line.type !== "agent_settled") return pi.foldRecord(fold, line);
      return [...pi.finishTurn(fold), { stopReason, failure, usage }];
    };
  },
};

const INSTEAD: readonly unknown[] = [null, 7, "x", true, [], [null], {}];

/** Yields copies of the value in which one member, at any depth, is missing or has a strange value. */
function* damagedCopies(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [at, member] of value.entries()) {
      for (const other of [...INSTEAD, ...damagedCopies(member)]) yield value.with(at, other);
    }
  } else if (isJson(value)) {
    for (const [key, member] of Object.entries(value)) {
      const { [key]: _, ...others } = value;
      yield others;
      for (const other of [...INSTEAD, ...damagedCopies(member)]) yield { ...value, [key]: other };
    }
  }
}

describe.each(Object.entries(FOLDS))("the protocol of %s", (agent, createFold) => {
  test("is reported as events", async () => {
    const events = linesOf(agent).flatMap(createFold());
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join("");
    await expect(text).toMatchFileSnapshot(`${agent}/events.jsonl`);
  });

  test("a line of an unknown kind is reported verbatim, and changes nothing else", () => {
    const strange = agent === "codex" ? { method: "no/such", params: { a: 1 } } : { type: "no_such", a: 1 };
    const plain = linesOf(agent).flatMap(createFold());
    const fold = createFold();
    const mixed = linesOf(agent).flatMap((line) => [...fold(strange), ...fold(line)]);
    const isStrange = (event: unknown): boolean => isJson(event) && JSON.stringify(event).includes('"a":1');
    expect(mixed.filter((event) => !isStrange(event))).toEqual(plain);
    expect(mixed.filter(isStrange)).toHaveLength(linesOf(agent).length);
  });

  test("incomplete lines, and lines with missing or wrong fields, never cause an exception", () => {
    const fold = createFold();
    const thrown: unknown[] = [];
    let tried = 0;
    for (const line of linesOf(agent)) {
      for (const damaged of damagedCopies(line)) {
        tried += 1;
        try {
          expect(fold(damaged as Json)).toBeInstanceOf(Array);
        } catch (error) {
          thrown.push({ damaged, error: String(error) });
        }
      }
    }
    expect(tried).toBeGreaterThan(1_000);
    expect(thrown).toEqual([]);
  });
});

test("a call without a result is closed as interrupted when the turn ends", () => {
  const fold = claude.createClaudeFold();
  const content = [{ type: "tool_use", id: "call-1", name: "Bash", input: { command: "ls" } }];
  claude.foldLine(fold, { type: "assistant", message: { id: "m", content } });
  expect(claude.finishTurn(fold)).toEqual([
    {
      type: "message",
      messageId: "m",
      content: [{ type: "tool_call", id: "call-1", name: "Bash", args: { command: "ls" } }],
    },
    { type: "tool_result", toolCallId: "call-1", toolName: "Bash", content: "", status: "interrupted" },
  ]);
  expect(claude.finishTurn(fold)).toEqual([]);
});

test("a sub-agent of Claude Code updates the call that started it, and says nothing itself", () => {
  const fold = claude.createClaudeFold();
  const line = {
    type: "assistant",
    parent_tool_use_id: "call-1",
    message: { id: "m", content: [{ type: "text", text: "inside" }] },
  };
  const told = [
    {
      type: "tool_call_update",
      toolCallId: "call-1",
      status: "in_progress",
      content: [{ type: "text", text: "inside" }],
    },
  ];
  expect([claude.foldLine(fold, line), claude.finishTurn(fold)]).toEqual([told, []]);
});

test.each([
  [{ type: "commandExecution", command: "ls" }, "exec_command"],
  [{ type: "fileChange", changes: [] }, "apply_patch"],
  [{ type: "webSearch", query: "x" }, "web_search"],
  [{ type: "imageView", path: "/x" }, "view_image"],
  [{ type: "collabAgentToolCall", tool: "sendInput" }, "send_input"],
  [{ type: "collabAgentToolCall" }, "spawn_agent"],
  [{ type: "mcpToolCall", server: "files", tool: "read" }, "files/read"],
  [{ type: "dynamicToolCall", tool: "lookUp" }, "lookUp"],
])("a call of Codex has the name by which its model called it: %j is %s", (item, toolName) => {
  const fold = codex.createCodexFold("t");
  const params = { threadId: "t", item: { id: "1", ...item } };
  expect(codex.foldNotification(fold, "item/started", params)).toMatchObject([
    { type: "tool_call", toolName },
  ]);
});
