/**
 * Damages after which an agent cannot resume a session (each was observed with the real agents, `test/agents/repair/`):
 * a check reports this, and a repair corrects it.
 */

import { checkNativeSession, readNativeSession, repairNativeSession } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { beforeEach, describe, expect, test } from "vitest";
import { copyHome } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { recordsOf } from "./hostile-changes.ts";

// biome-ignore lint/suspicious/noExplicitAny: a record of any agent, which the test damages.
type Rec = any;

interface Damage {
  readonly what: string;
  readonly agent: AgentName;
  readonly fixture: string;
  /** The damage applies to the first record that matches. `null` removes the record, and a text replaces its JSON. */
  readonly fits: (record: Rec) => boolean;
  readonly damage: (record: Rec) => Rec | null;
  /** True if every matching record is damaged. */
  readonly all?: true;
  /** True if the repair keeps the record. */
  readonly keeps?: true;
}

function set(path: string, value: unknown): (record: Rec) => Rec {
  return (record) => {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    const parent = keys.reduce((at, key) => at[key], record);
    if (value === undefined) delete parent[last];
    else parent[last] = value;
    return record;
  };
}

const isPi = (role: string) => (record: Rec) => record.message?.role === role;
const isClaude = (type: string) => (record: Rec) =>
  record.type === "assistant" && record.message.content[0]?.type === type;
const beforeAnswer = (record: Rec): boolean =>
  record.type === "attachment" || (record.type === "user" && typeof record.message.content === "string");

const DAMAGES: readonly Damage[] = [
  {
    what: "its first prompt and what stands around it are lost",
    agent: "claude",
    fixture: "text-and-thinking",
    fits: beforeAnswer,
    damage: () => null,
    all: true,
  },
  {
    what: "a prompt has no type",
    agent: "claude",
    fixture: "text-and-thinking",
    keeps: true,
    fits: (record) => record.type === "user",
    damage: set("type", undefined),
  },
  {
    what: "a text is a number",
    agent: "claude",
    fixture: "parallel-tools",
    fits: isClaude("text"),
    damage: set("message.content.0.text", 7),
  },
  {
    what: "the line of the header has no time",
    agent: "codex",
    fixture: "paginated",
    keeps: true,
    fits: (record) => record.type === "session_meta",
    damage: set("timestamp", undefined),
  },
  {
    what: "the header names its folders in another form",
    agent: "codex",
    fixture: "paginated",
    keeps: true,
    fits: (record) => record.type === "session_meta",
    damage: set("payload.git", "x"),
  },
  {
    what: "the calls of an answer are no list",
    agent: "gemini",
    fixture: "parallel-tools",
    fits: (record) => record.toolCalls !== undefined,
    damage: set("toolCalls", 7),
    all: true,
  },
  {
    what: "the thoughts of an answer are a text",
    agent: "gemini",
    fixture: "parallel-tools",
    keeps: true,
    fits: (record) => record.type === "gemini",
    damage: set("thoughts", "x"),
  },
  {
    what: "a block of an answer is nothing",
    agent: "pi",
    fixture: "parallel-tools",
    keeps: true,
    fits: isPi("assistant"),
    damage: (record) => {
      record.message.content.push(null);
      return record;
    },
  },
  {
    what: "a tool of its prompt is nothing",
    agent: "pi",
    fixture: "parallel-tools",
    keeps: true,
    fits: (record) => Array.isArray(record.message?.toolsAdded),
    damage: set("message.toolsAdded.0", null),
  },
  {
    what: "a block of an answer is nothing",
    agent: "claude",
    fixture: "parallel-tools",
    keeps: true,
    fits: isClaude("text"),
    damage: (record) => {
      record.message.content.push(null);
      return record;
    },
  },
  {
    what: "a list takes out the conversation, as at the start of a resumption that broke off",
    agent: "gemini",
    fixture: "parallel-tools",
    keeps: true,
    fits: (record) => record.type === "gemini" && JSON.stringify(record).includes("240 seconds for"),
    damage: (record) => `${JSON.stringify(record)}\n{"$set":{"messages":[]}}`,
  },
  {
    what: "the data of a part is no JSON",
    agent: "opencode",
    fixture: "parallel-tools",
    fits: (record) => record.type === "text",
    damage: () => "torn",
  },
  {
    what: "an answer counts no tokens",
    agent: "pi",
    fixture: "parallel-tools",
    keeps: true,
    fits: isPi("assistant"),
    damage: set("message.usage", undefined),
  },
  {
    what: "a block of text has no text",
    agent: "pi",
    fixture: "parallel-tools",
    fits: isPi("user"),
    damage: set("message.content", [{ type: "text" }]),
  },
  {
    what: "a message has no time",
    agent: "opencode",
    fixture: "parallel-tools",
    keeps: true,
    fits: (record) => record.role === "user",
    damage: set("time", undefined),
  },
  {
    what: "a message has no role",
    agent: "opencode",
    fixture: "parallel-tools",
    fits: (record) => record.role === "assistant",
    damage: set("role", undefined),
  },
  {
    what: "a text is no text",
    agent: "opencode",
    fixture: "parallel-tools",
    fits: (record) => record.type === "text",
    damage: set("text", {}),
  },
  {
    what: "a field of an answer that it does not need has another form",
    agent: "copilot",
    fixture: "parallel-tools",
    keeps: true,
    fits: (record) => record.type === "assistant.message",
    damage: set("data.apiCallId", []),
  },
  {
    what: "a count in a note about usage is a text",
    agent: "copilot",
    fixture: "parallel-tools",
    fits: (record) => record.type === "session.usage_record",
    damage: set("data.usage.inputTokens", "many"),
  },
  {
    what: "the start of a call names no tool",
    agent: "copilot",
    fixture: "parallel-tools",
    keeps: true,
    fits: (record) => record.type === "tool.execution_start",
    damage: set("data.toolName", null),
  },
  {
    what: "its prompts are lost",
    agent: "copilot",
    fixture: "parallel-tools",
    fits: (record) => record.type === "user.message",
    damage: () => null,
    all: true,
  },
  {
    what: "a mark of what was counted is no number",
    agent: "copilot",
    fixture: "parallel-tools",
    keeps: true,
    fits: (record) => record.data?.usageAccountingWatermarks !== undefined,
    damage: set("data.usageAccountingWatermarks", { "77358def-4ea2-44a5-84ee-dab396f1c163": true }),
  },
  {
    what: "a note of its end has no data",
    agent: "copilot",
    fixture: "parallel-tools",
    keeps: true,
    fits: (record) => record.type === "session.shutdown",
    damage: set("data", 7),
  },
];

let scratch: string;
beforeEach(() => {
  scratch = scratchFolder("resume");
});

describe("the agent cannot resume a session", () => {
  test.each(DAMAGES)(
    "of $agent where $what is reported by a check and corrected by a repair",
    async (each) => {
      const { agent, fixture, fits, damage, all, keeps } = each;
      const { places, sessions } = await copyHome(scratch, [agent, fixture]);
      const { location = "", sessionId = "" } = sessions[0] ?? {};
      const ref = `${agent}:${sessionId}`;
      const said = async (): Promise<readonly unknown[]> =>
        (await readNativeSession(ref, { places })).messages.map(({ role, content }) => [role, content]);
      const before = await said();
      const records = recordsOf(agent, location);
      let isDone = false;
      records.write(
        records.texts.flatMap((text) => {
          const record = JSON.parse(text);
          if ((isDone && all === undefined) || !fits(record)) return [text];
          isDone = true;
          const damaged = damage(record);
          if (typeof damaged === "string") return [damaged];
          return damaged === null ? [] : [JSON.stringify(damaged)];
        }),
      );
      const codes = async (): Promise<readonly string[]> =>
        (await checkNativeSession(ref, { places })).problems.map(({ code }) => code);
      expect(isDone).toBe(true);
      expect(await codes()).toContain("cannot_resume");
      const { edits } = await repairNativeSession(ref, { places, write: "in place" });
      expect(edits.length).toBeGreaterThan(0);
      expect(await codes()).not.toContain("cannot_resume");
      expect((await repairNativeSession(ref, { places })).edits).toEqual([]);
      if (keeps) expect(await said()).toEqual(before);
    },
  );
});
