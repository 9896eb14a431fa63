import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { pathTo } from "./drafts.ts";
import { createFileIndex, createSessionIndex, type FileIndex, finish, fold } from "./index-fold.ts";

const TIME = "2026-11-22T05:00:00.000Z";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

function turn(number: number): unknown[] {
  const id = String(number).padStart(12, "0");
  const turnId = `01a20040-2c46-74b1-89e3-${id}`;
  const item = (payload: object) => ({ type: "response_item", payload });
  const event = (payload: object) => ({ type: "event_msg", payload });
  const call = `call_${id}_4_0`;
  return [
    event({ type: "task_started", turn_id: turnId }),
    { type: "turn_context", payload: { turn_id: turnId, model: "some-model" } },
    item({
      type: "message",
      role: "user",
      id: `msg_u${id}`,
      content: [{ type: "input_text", text: `question ${id}` }],
    }),
    event({ type: "user_message", message: `question ${id}` }),
    event({ type: "agent_reasoning", text: `thought ${id}` }),
    item({ type: "reasoning", id: `rs_${id}`, summary: [{ type: "summary_text", text: `thought ${id}` }] }),
    item({ type: "function_call", id: `fc_${id}`, name: "exec_command", arguments: "{}", call_id: call }),
    {
      type: "token_usage_record",
      payload: { response_id: `resp_${id}`, usage: { input_tokens: 5, output_tokens: 1 } },
    },
    event({ type: "item_completed", item: { type: "CommandExecution", id: call, exit_code: 0 } }),
    item({ type: "function_call_output", id: `fco_${id}`, call_id: call, output: "ok" }),
    event({ type: "token_count", info: null }),
    event({ type: "agent_message", message: `answer ${id}` }),
    item({
      type: "message",
      role: "assistant",
      id: `msg_a${id}`,
      content: [{ type: "output_text", text: `answer ${id}` }],
    }),
    event({ type: "task_complete", turn_id: turnId }),
  ];
}

function create(): FileIndex {
  return createFileIndex({
    file: 0,
    own: true,
    session: createSessionIndex(),
    cuts: [],
    head: null,
    paginated: false,
  });
}

test("the index takes at most 200 bytes a record", () => {
  const index = create();
  collect();
  const before = process.memoryUsage().heapUsed;
  let line = 0;
  for (let number = 0; number < 10_000; number++) {
    for (const value of turn(number)) {
      line += 1;
      // Parsing makes separate strings, as reading a file does.
      fold(index, {
        line,
        offset: line * 700,
        length: 699,
        value: JSON.parse(JSON.stringify({ timestamp: TIME, ...(value as object) })),
        problems: [],
      });
    }
  }
  finish(index);
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / index.records;
  expect(pathTo(index.head).length).toBe(40_000);
  expect(index.problems.kept).toEqual([]);
  expect(bytes).toBeGreaterThan(10);
  expect(bytes).toBeLessThan(200);
});

test.each([undefined, null, 7, {}])("a line with %j as its time is left out, as Codex does", (timestamp) => {
  const index = create();
  const payload = { type: "message", role: "user", content: [{ type: "input_text", text: "one" }] };
  const place = { offset: 0, length: 1, problems: [] };
  fold(index, { ...place, line: 1, value: { timestamp: TIME, type: "response_item", payload } });
  fold(index, { ...place, line: 2, value: { timestamp, type: "response_item", payload } });
  finish(index);
  expect(pathTo(index.head).map(({ slots }) => slots[0]?.line)).toEqual([1]);
  expect(index.problems.kept).toEqual([
    { code: "bad_record", line: 2, message: "the line has no time; Codex leaves it out" },
  ]);
});

test.each<readonly [string, string, object, boolean]>([
  ["the tools of a client", "session_meta", { dynamic_tools: [{ name: "a" }] }, true],
  ["tools in the model's input", "response_item", { type: "additional_tools", tools: [{ name: "a" }] }, true],
  [
    "tools that were searched for",
    "response_item",
    { type: "tool_search_output", tools: [{ name: "a" }] },
    true,
  ],
  ["no tools", "session_meta", { dynamic_tools: null }, false],
  ["an empty list of tools", "session_meta", { dynamic_tools: [] }, false],
  ["tools of an event", "event_msg", { type: "additional_tools", tools: [{ name: "a" }] }, false],
])("the index of a record with %s says whether definitions are read", (_, type, payload, expected) => {
  const index = create();
  const value = { timestamp: TIME, type, payload };
  fold(index, { offset: 0, length: 1, problems: [], line: 1, value });
  expect(index.session.hasTools).toBe(expected);
});
