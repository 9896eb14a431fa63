/**
 * Sessions with many records that each need a repair: if the cost of a record grew with their number, this test would
 * not end.
 */

import type { AgentName } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import { formatOf } from "@continuo/native";
import { bytesOf, draftOf, editsOf } from "@continuo/native/repairing";
import { makersOfNow } from "@continuo/native/writing";
import { describe, expect, test } from "vitest";

const COUNT = 10_000;
const TIMEOUT_MS = 100_000;
const TIME = "2026-01-01T00:00:00.000Z";

const claude = (at: number, parent: string | null, rest: Json): Json => ({
  uuid: `u${at}`,
  parentUuid: parent,
  sessionId: "s",
  timestamp: TIME,
  ...rest,
});
const answer = (id: string, content: readonly Json[]): Json => ({
  type: "assistant",
  message: { id, role: "assistant", content },
});
const asked: Json = { type: "user", message: { role: "user", content: "why?" } };
const pi = (at: number, parentId: string | null, message: Json): Json => ({
  type: "message",
  id: `i${at}`,
  parentId,
  timestamp: TIME,
  message,
});
const codexHead = { id: "s", timestamp: TIME, cwd: "/x", originator: "o", cli_version: "1" };
const geminiHead = { sessionId: "s", projectHash: "p", startTime: TIME };
const after = (at: number): string | null => (at > 1 ? `u${at - 1}` : null);

const CASES: readonly (readonly [AgentName, string, Json | null, (at: number) => Json])[] = [
  [
    "claude",
    "calls without results",
    null,
    (at) =>
      claude(at, after(at), answer(`m${at}`, [{ type: "tool_use", id: `c${at}`, name: "look", input: {} }])),
  ],
  [
    "claude",
    "calls of one answer",
    null,
    (at) => claude(at, after(at), answer("m", [{ type: "tool_use", id: `c${at}`, name: "look", input: {} }])),
  ],
  ["claude", "lost parents", null, (at) => claude(at, `lost${at}`, asked)],
  [
    "claude",
    "parents that stand behind",
    null,
    (at) =>
      claude(at, at % 2 === 1 ? `u${at + 1}` : `lost${at}`, {
        ...asked,
        sourceToolAssistantUUID: `u${at + 2}`,
      }),
  ],
  [
    "codex",
    "calls without outputs",
    { timestamp: TIME, type: "session_meta", payload: codexHead },
    (at) => ({
      timestamp: TIME,
      type: "response_item",
      payload: { type: "function_call", call_id: `c${at}`, name: "look", arguments: "{}" },
    }),
  ],
  [
    "gemini",
    "calls without results",
    geminiHead,
    (at) => ({
      id: `i${at}`,
      type: "gemini",
      content: [{ functionCall: { id: `c${at}`, name: "look", args: {} } }],
    }),
  ],
  [
    "gemini",
    "results without calls",
    geminiHead,
    (at) => ({
      id: `i${at}`,
      type: "user",
      content: [{ functionResponse: { id: `c${at}`, name: "look", response: {} } }],
    }),
  ],
  [
    "gemini",
    "rewinds that lead nowhere",
    geminiHead,
    (at) =>
      at * 2 < COUNT
        ? { id: `i${at}`, type: "user", content: [{ text: "why?" }] }
        : { $rewindTo: `gone${at}` },
  ],
  [
    "pi",
    "calls without results",
    { type: "session", version: 3, id: "s", timestamp: TIME, cwd: "/x" },
    (at) =>
      pi(at, at > 1 ? `i${at - 1}` : null, {
        role: "assistant",
        content: [{ type: "toolCall", id: `c${at}`, name: "look", arguments: {} }],
      }),
  ],
  [
    "copilot",
    "calls without results",
    {
      type: "session.start",
      id: "i0",
      parentId: null,
      timestamp: TIME,
      data: { sessionId: "s", version: 1 },
    },
    (at) => ({
      type: "assistant.message",
      id: `i${at}`,
      parentId: `i${at - 1}`,
      timestamp: TIME,
      data: {
        messageId: `m${at}`,
        content: "",
        toolRequests: [{ toolCallId: `c${at}`, name: "look", arguments: {} }],
      },
    }),
  ],
  [
    "pi",
    "lost parents",
    { type: "session", version: 3, id: "s", timestamp: TIME, cwd: "/x" },
    (at) => pi(at, `lost${at}`, { role: "user", content: "why?" }),
  ],
];

describe("a repair takes time in proportion to the records", () => {
  test.each(CASES)(
    "%s: %s",
    async (agent, _what, head, record) => {
      const repair = await (await formatOf(agent)).repairer();
      if (repair.of === "rows") throw new Error(`${agent} keeps rows`);
      const { repairer } = repair;
      const records = Array.from({ length: COUNT }, (_, at) => record(at + 1));
      const lines = (head === null ? records : [head, ...records]).map((each) => `${JSON.stringify(each)}\n`);
      const context = { sessionId: "s", cwd: "/x", makers: makersOfNow() };
      const mended = (bytes: Buffer) => {
        const draft = draftOf(bytes);
        repairer.mend(draft, context);
        return draft;
      };
      const draft = mended(Buffer.from(lines.join("")));
      expect(editsOf(draft).length).toBeGreaterThanOrEqual(COUNT / 2);
      expect(editsOf(mended(bytesOf(draft)))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "gemini: calls without results in one record",
    async () => {
      const repair = await (await formatOf("gemini")).repairer();
      if (repair.of === "rows") throw new Error("gemini keeps lines");
      const messages = Array.from({ length: COUNT }, (_, at) => ({
        id: `i${at}`,
        type: "gemini",
        content: "",
        toolCalls: [{ id: `c${at}`, name: "look", args: {} }],
      }));
      const draft = draftOf(
        Buffer.from([geminiHead, { $set: { messages } }].map((each) => `${JSON.stringify(each)}\n`).join("")),
      );
      repair.repairer.mend(draft, { sessionId: "s", cwd: "/x", makers: makersOfNow() });
      expect(editsOf(draft)).toHaveLength(1);
      expect(
        bytesOf(draft)
          .toString()
          .match(/"status":"cancelled"/gu),
      ).toHaveLength(COUNT);
    },
    TIMEOUT_MS,
  );
});
