/** The promise of at most 200 bytes a record, ids included, measured where the collector can be called. */

import { expect, test } from "vitest";
import { runProbe } from "../../../../../test/sizes/memory-probe.ts";

const PROBE = `
import { findBranches, linkRecords } from ${JSON.stringify(new URL("branches.ts", import.meta.url).href)};
import { createFacts, foldFacts } from ${JSON.stringify(new URL("facts-fold.ts", import.meta.url).href)};
import { createIndex, foldIndex } from ${JSON.stringify(new URL("index-fold.ts", import.meta.url).href)};
import { randomUUID } from "node:crypto";
const count = Number(process.argv[2]);
const used = () => { gc(); gc(); const { heapUsed, arrayBuffers } = process.memoryUsage(); return heapUsed + arrayBuffers; };
const index = createIndex();
const facts = createFacts();
const before = used();
let parent = null;
for (let n = 0; n < count; n++) {
  const uuid = randomUUID();
  const common = { uuid, parentUuid: parent, sessionId: "s", timestamp: "2026-01-01T00:00:00.000Z" };
  const id = "toolu_" + String(n >> 1).padStart(24, "0");
  const record = n % 2 === 0
    ? { ...common, type: "assistant", message: { id: "msg_" + uuid.slice(0, 24), content: [{ type: "tool_use", id, input: {} }], usage: { input_tokens: 1 } } }
    : { ...common, type: "user", message: { content: [{ type: "tool_result", tool_use_id: id, content: "x" }] } };
  // The texts of a file are made from bytes, and so are these.
  const line = { line: n + 1, offset: n * 900, length: 899, value: JSON.parse(JSON.stringify(record)), problems: [] };
  const at = foldIndex(index, line, line.value);
  foldFacts(facts, line, { sessionId: "s", answer: index.message[at] });
  parent = uuid;
}
const tree = linkRecords(index, { scope: { type: "main" }, partial: false });
const branches = findBranches(index, tree);
const bytes = (used() - before) / count;
if (index.count !== count || tree.up.length !== count || branches.tips.length !== 1 || facts.usage.inputTokens + 1 !== Math.ceil(count / 2)) throw new Error("not all folded");
console.log(bytes);
`;

// Just before these counts, some columns or the table of ids became larger, so an index takes the most memory per
// record.
test.each([45_900, 66_000, 91_800])(
  "an index of %i records takes at most 200 bytes a record",
  (count) => {
    const bytes = runProbe(PROBE, count);
    expect(bytes).toBeGreaterThan(40);
    expect(bytes).toBeLessThanOrEqual(200);
  },
  120_000,
);
