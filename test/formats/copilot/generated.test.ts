import fc from "fast-check";
import { testGenerated } from "../generated.ts";

const ID = "0c999999-0000-4000-8000-000000000002";

const text = fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom("", " ", "é\u{1f600}", "__proto__"));
const json = fc.jsonValue({ maxDepth: 2 });
const id = fc.constantFrom("a", "b", "c", ID, "line:3", "", null, 7, undefined);
const time = fc.constantFrom("2026-05-06T07:00:00.000Z", "2026-05-06 07:00", undefined, null, "yesterday", 7);
const request = fc.record(
  { toolCallId: text, name: text, arguments: json, type: fc.constantFrom("function", "custom", 3) },
  { requiredKeys: [] },
);
const file = fc.record(
  {
    type: fc.constantFrom("file", "blob", "x"),
    data: text,
    mimeType: fc.constantFrom("image/png", "text/plain", "", 5),
    assetId: fc.constantFrom("asset", "lost", ""),
    path: text,
    displayName: text,
  },
  { requiredKeys: [] },
);
const data = fc.record(
  {
    sessionId: id,
    content: fc.oneof({ weight: 5, arbitrary: text }, json),
    transformedContent: text,
    source: fc.constantFrom("user", "agent-x", undefined),
    attachments: fc.oneof(fc.array(file, { maxLength: 3 }), json),
    toolRequests: fc.oneof(fc.array(fc.oneof(request, json), { maxLength: 3 }), json),
    toolCallId: text,
    toolName: text,
    arguments: json,
    success: fc.oneof(fc.boolean(), json),
    result: fc.oneof(
      fc.record({ content: text, binaryResultsForLlm: fc.array(file, { maxLength: 2 }) }),
      json,
    ),
    error: fc.oneof(fc.record({ message: text }), json),
    isUserRequested: fc.boolean(),
    summaryContent: text,
    usage: fc.oneof(fc.record({ inputTokens: fc.integer(), outputTokens: fc.nat() }), json),
    assetId: fc.constantFrom("asset", "", 3),
    data: text,
    mimeType: text,
    reasoningText: text,
    reasoningBlocks: fc.oneof(fc.record({ provider: text, blocks: fc.array(json, { maxLength: 2 }) }), json),
    context: fc.oneof(fc.record({ cwd: text, branch: text }), json),
    message: text,
    newModel: json,
  },
  { requiredKeys: [] },
);
const record = fc.record(
  {
    type: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom("user.message", "assistant.message", "tool.execution_complete"),
      },
      fc.constantFrom("session.start", "session.compaction_complete", "session.context_cleared", "abort"),
      fc.constantFrom("session.usage_record", "session.binary_asset", "tool.user_requested", "session.error"),
      fc.constantFrom("system.message", "system.notification", "session.model_change", "model.response"),
      fc.constantFrom("toString", "__proto__", "x.y", "", 5, undefined),
    ),
    id,
    parentId: id,
    timestamp: time,
    agentId: fc.constantFrom(undefined, undefined, undefined, "helper", 3),
    data: fc.oneof({ weight: 8, arbitrary: data }, json),
  },
  { requiredKeys: ["type", "id", "data"] },
);
const lines = fc.array(fc.oneof({ weight: 9, arbitrary: record }, json), { maxLength: 25 });

testGenerated(
  "copilot",
  lines.map((values) => ({ [`session-state/${ID}/events.jsonl`]: values })),
);
