/** The promise of at most 200 bytes a record, ids included, measured where the collector can be called. */

import { expect, test } from "vitest";
import { runProbe } from "../../../../../test/sizes/memory-probe.ts";

const PROBE = `
import { linkRecords } from ${JSON.stringify(new URL("branches.ts", import.meta.url).href)};
import { createIndex, foldIndex } from ${JSON.stringify(new URL("index-fold.ts", import.meta.url).href)};
import { randomUUID } from "node:crypto";
const count = Number(process.argv[2]);
const used = () => { gc(); gc(); const { heapUsed, arrayBuffers } = process.memoryUsage(); return heapUsed + arrayBuffers; };
const index = createIndex();
const before = used();
let parent = null;
for (let n = 0; n < count; n++) {
  const id = randomUUID().slice(0, 8);
  const callId = "toolu_" + String(n >> 1).padStart(24, "0");
  const message = n % 2 === 0
    ? { role: "assistant", content: [{ type: "toolCall", id: callId, name: "read", arguments: {} }], usage: { input: 1, output: 1 }, stopReason: "toolUse" }
    : { role: "toolResult", toolCallId: callId, toolName: "read", content: [], isError: false };
  const entry = { type: "message", id, parentId: parent, timestamp: "2026-01-01T00:00:00.000Z", message };
  // Parsing makes new texts, as reading a file does.
  foldIndex(index, { line: n + 1, offset: n * 900, length: 899, value: JSON.parse(JSON.stringify(entry)), problems: [] });
  parent = id;
}
const tree = linkRecords(index, { partial: false });
const bytes = (used() - before) / count;
if (index.count !== count || tree.tips.length < 1 || index.usage.inputTokens !== count / 2) throw new Error("not all folded");
console.log(bytes);
`;

test("an index takes at most 200 bytes a record", () => {
  const bytes = runProbe(PROBE, 100_000);
  expect(bytes).toBeGreaterThan(40);
  expect(bytes).toBeLessThanOrEqual(200);
}, 120_000);
