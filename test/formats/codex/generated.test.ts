import fc from "fast-check";
import { testGenerated } from "../generated.ts";

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

testGenerated(
  "codex",
  file.map(({ header, timestamp, records, index, title }) => ({
    [`sessions/rollout-2026-05-06T07-08-00-${ID}.jsonl`]: [
      { timestamp, type: "session_meta", payload: header },
      ...records,
    ],
    "session_index.jsonl": title === null ? index : [...index, { id: ID, thread_name: title }],
  })),
);
