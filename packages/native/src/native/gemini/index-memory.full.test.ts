/** The promise of at most 200 bytes a record, ids included, measured where the collector can be called. */

import { expect, test } from "vitest";
import { runProbe } from "../../../../../test/sizes/memory-probe.ts";

const urlOf = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);

const PROBE = `
import { createFacts, foldFacts } from ${urlOf("facts-fold.ts")};
import { addRecord, createIndex } from ${urlOf("index-fold.ts")};
import { createTimeline, foldTimeline } from ${urlOf("timeline.ts")};
import { randomUUID } from "node:crypto";
const count = Number(process.argv[2]);
const used = () => { gc(); gc(); const { heapUsed, arrayBuffers } = process.memoryUsage(); return heapUsed + arrayBuffers; };
const before = used();
const index = createIndex();
const timeline = createTimeline(index);
const facts = createFacts();
const fold = (n, record) => {
  // Parsing makes new texts, as reading a file does.
  const line = { line: n + 1, offset: n * 900, length: 899, value: JSON.parse(JSON.stringify(record)), problems: [] };
  foldFacts(facts, line, { sessionId: "s", ids: index.ids });
  foldTimeline(timeline, addRecord(index, line), line.value, false);
};
let lines = 0;
// Gemini CLI writes a turn with a call like this: every message has its own line.
for (let n = 0; lines < count; n++) {
  const call = { id: "read_file__" + String(n).padStart(26, "0"), name: "read_file", args: {} };
  const response = { functionResponse: { id: call.id, name: call.name, response: { output: "text " + n } } };
  const timestamp = new Date(1_700_000_000_000 + n * 1000).toISOString();
  const answer = { id: randomUUID(), timestamp, type: "gemini", content: "", tokens: { input: 1, output: 1 }, model: "m" };
  for (const record of [
    { id: randomUUID(), timestamp, type: "user", content: [{ text: "said " + n }] },
    answer,
    { ...answer, toolCalls: [{ ...call, result: [response], status: "success" }] },
    { id: randomUUID(), timestamp, type: "user", content: [response] },
    { id: randomUUID(), timestamp, type: "gemini", content: "answer " + n, tokens: { input: 1, output: 1 } },
  ]) fold(lines++, record);
}
const bytes = (used() - before) / lines;
if (index.records !== lines || timeline.list.length !== (lines / 5) * 4 || facts.usage.inputTokens !== (lines / 5) * 2) throw new Error("not all folded");
console.log(bytes);
`;

test.each([50_000, 131_075, 150_000])(
  "an index of %i records takes at most 200 bytes a record",
  (count) => {
    const bytes = runProbe(PROBE, count);
    expect(bytes).toBeGreaterThan(40);
    expect(bytes).toBeLessThanOrEqual(200);
  },
  120_000,
);
