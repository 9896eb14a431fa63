import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codexFormat } from "@continuo/native/codex";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "../../scratch-folder.ts";
import { rounds } from "../../sizes/counts.ts";
import { findAll, placesOf } from "./model.ts";

const scratch = scratchFolder("codex-generated");

const ID = "02aaaaaa-0000-4000-8000-000000000002";
const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom("<environment_context>x", "", " ", "é\u{1f600}"),
);
const json = fc.jsonValue({ maxDepth: 2 });
const time = fc.oneof(
  fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") })
    .map((date) => date.toISOString()),
  fc.constantFrom(undefined, null, "yesterday", 7),
);

const message = fc.record({
  type: fc.constant("message"),
  role: fc.constantFrom("user", "assistant", "developer", "system"),
  content: fc.array(fc.record({ type: fc.constantFrom("input_text", "output_text"), text }), {
    maxLength: 3,
  }),
});
const callId = fc.constantFrom("a", "b", "c");
const item = fc.oneof(
  message,
  fc.record({
    type: fc.constant("reasoning"),
    summary: fc.array(fc.record({ text })),
    encrypted_content: text,
  }),
  fc.record({ type: fc.constant("function_call"), name: text, arguments: text, call_id: callId }),
  fc.record({ type: fc.constant("function_call_output"), call_id: callId, output: text }),
  json,
);
const event = fc.oneof(
  fc.record({ type: fc.constantFrom("user_message", "agent_message"), message: text }),
  fc.record({ type: fc.constantFrom("task_started", "task_complete", "turn_aborted"), turn_id: callId }),
  fc.record({ type: fc.constant("thread_rolled_back"), num_turns: fc.nat({ max: 3 }) }),
  fc.record({ type: fc.constant("item_completed"), item: json }),
  json,
);
const record = fc.oneof(
  { weight: 6, arbitrary: fc.record({ timestamp: time, type: fc.constant("response_item"), payload: item }) },
  { weight: 4, arbitrary: fc.record({ timestamp: time, type: fc.constant("event_msg"), payload: event }) },
  fc.record({
    timestamp: time,
    type: fc.constant("compacted"),
    payload: fc.record({ message: text, replacement_history: fc.array(item) }, { requiredKeys: [] }),
  }),
  fc.record({ timestamp: time, type: text, payload: json }),
  json,
);
const header = fc.record(
  {
    id: fc.constantFrom(ID, "", 5, ID.toUpperCase()),
    timestamp: time,
    cwd: text,
    cli_version: text,
    originator: text,
    history_mode: fc.constantFrom("paginated", "legacy"),
    git: json,
    history_base: json,
    forked_from_id: text,
  },
  { requiredKeys: ["id"] },
);

const file = fc.record({
  header,
  timestamp: time,
  records: fc.array(record, { maxLength: 25 }),
  index: fc.array(json, { maxLength: 3 }),
  title: fc.option(text),
});

describe("any rollout file", () => {
  test("has the same row whether skimmed or read in full, and a history as long as it says", async () => {
    await fc.assert(
      fc.asyncProperty(file, async (parts) => {
        const home = mkdtempSync(join(scratch, "home-"));
        mkdirSync(join(home, "sessions"));
        const lines = [
          { timestamp: parts.timestamp, type: "session_meta", payload: parts.header },
          ...parts.records,
        ];
        const path = join(home, "sessions", `rollout-2026-05-06T07-08-00-${ID}.jsonl`);
        writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
        const titles =
          parts.title === null ? parts.index : [...parts.index, { id: ID, thread_name: parts.title }];
        writeFileSync(
          join(home, "session_index.jsonl"),
          titles.map((line) => `${JSON.stringify(line)}\n`).join(""),
        );
        for (const found of await findAll(home)) {
          const { problems: _problems, ...row } = await codexFormat.skim(found, { part: "whole" });
          using session = await codexFormat.open(found, placesOf(home), {});
          expect(session.details).toMatchObject(row);
          expect(session.details.records).toBe(lines.length);
          expect(session.leaves.length).toBe(session.details.branches);
          const history = await Array.fromAsync(session.history());
          expect(history.length).toBe(session.details.messages.total);
          const calls = history.flatMap(({ content }) => content.filter(({ type }) => type === "tool_call"));
          expect(session.details.toolCalls).toBe(calls.length);
          codexFormat.modelView(history);
        }
        rmSync(home, { recursive: true });
      }),
      { numRuns: rounds(300) },
    );
  });
});
