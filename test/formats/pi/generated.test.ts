import fc from "fast-check";
import { testGenerated } from "../generated.ts";

const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom("", " ", "é\u{1f600}", '<file name="a">x</file>\n'),
);
const json = fc.jsonValue({ maxDepth: 2 });
const id = fc.constantFrom("a", "b", "c", "d", "e", "f", "line:3", "", null, 7, undefined);
const time = fc.oneof(
  fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") })
    .map((date) => date.toISOString()),
  fc.constantFrom(undefined, null, "yesterday", 7),
);
const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text }),
  fc.record({
    type: fc.constant("thinking"),
    thinking: text,
    thinkingSignature: text,
    redacted: fc.boolean(),
  }),
  fc.record({ type: fc.constant("toolCall"), id: text, name: text, arguments: json }),
  fc.record({ type: fc.constant("image"), data: text, mimeType: text }),
  json,
);
const message = fc.record(
  {
    role: fc.constantFrom(
      "user",
      "assistant",
      "toolResult",
      "bashExecution",
      "custom",
      "hookMessage",
      "system",
      "x",
      3,
    ),
    content: fc.oneof(text, fc.array(block, { maxLength: 4 }), json),
    toolCallId: text,
    stopReason: fc.constantFrom("stop", "error", "aborted", "toolUse"),
    errorMessage: text,
    usage: json,
    summary: text,
    timestamp: fc.oneof(fc.nat(), json),
  },
  { requiredKeys: ["role"] },
);
const entry = fc.record(
  {
    type: fc.oneof(
      { weight: 6, arbitrary: fc.constant("message") },
      fc.constantFrom("compaction", "branch_summary", "custom", "custom_message", "label", "session_info"),
      fc.constantFrom("model_change", "thinking_level_change", "usage", "context_edit", "session", "x", 5),
    ),
    id,
    parentId: id,
    timestamp: time,
    message: fc.oneof({ weight: 8, arbitrary: message }, json),
    summary: text,
    firstKeptEntryId: id,
    firstKeptEntryIndex: fc.nat({ max: 12 }),
    targetId: id,
    replacement: fc.oneof(fc.constant(null), fc.record({ content: fc.array(block) }), json),
    name: text,
    label: text,
  },
  { requiredKeys: ["type", "id", "parentId", "message"] },
);
const header = fc.record(
  {
    type: fc.constant("session"),
    version: fc.constantFrom(1, 2, 3, "3"),
    id: fc.constantFrom("0c999999-0000-4000-8000-000000000002", "", 5),
    timestamp: time,
    cwd: text,
    parentSession: fc.constantFrom("/nowhere/a.jsonl", "", 3),
  },
  { requiredKeys: ["type"] },
);
const lines = fc
  .tuple(fc.option(header), fc.array(fc.oneof({ weight: 9, arbitrary: entry }, json), { maxLength: 25 }))
  .map(([first, entries]) => (first === null ? entries : [first, ...entries]));

const NAME = "2026-05-06T07-00-00-000Z_0c999999-0000-4000-8000-000000000002.jsonl";

testGenerated(
  "pi",
  lines.map((values) => ({ [`sessions/--home--/${NAME}`]: values })),
);
