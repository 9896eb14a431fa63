/** The first messages of a session are known before it is read; its history begins with them. */

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatOf } from "@continuo/native";
import type { AgentReader, FoundSession, Places } from "@continuo/native/kit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { copyHome, FORMAT_CASES } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { GROWN_HISTORIES, placeHistory } from "../search/grown-histories.ts";
import { rounds } from "../sizes/counts.ts";

const WITH_FIRST = ["gemini", "opencode"];

/** Returns the number of first messages. */
async function expectFirst(reader: AgentReader, found: FoundSession, places: Places): Promise<number> {
  const first = (await reader.firstMessages?.(found)) ?? [];
  using session = await reader.open(found, places, {});
  const history = await Array.fromAsync(session.history());
  expect(history.slice(0, first.length)).toEqual(first);
  return first.length;
}

test.each(FORMAT_CASES.filter(([agent]) => WITH_FIRST.includes(agent)))(
  "a history of %s (%s) begins with the first messages",
  async (...one) => {
    const { places } = await copyHome(scratchFolder("first-messages"), one);
    const reader = await formatOf(one[0]);
    for (const found of await Array.fromAsync(reader.find(places, {}))) {
      // A session without its file has neither a history nor first messages.
      if (found.problems.length === 0) await expectFirst(reader, found, places);
    }
  },
);

test("a file of gemini that grows line after line begins with the first messages after each line", async () => {
  const [grown] = GROWN_HISTORIES.filter(({ agent }) => agent === "gemini");
  if (grown === undefined) throw new Error("there is such a history");
  const { path, places } = placeHistory(scratchFolder("first-messages"), grown);
  const reader = await formatOf("gemini");
  let most = 0;
  for (const line of grown.lines) {
    appendFileSync(path, line);
    const [found] = await Array.fromAsync(reader.find(places, {}));
    if (found !== undefined) most = Math.max(most, await expectFirst(reader, found, places));
  }
  expect(most).toBeGreaterThan(0);
});

/** A record of a file of Gemini CLI. Ids and calls come from a small range, so that they repeat. */
function geminiRecord(kind: number, name: number): Readonly<Record<string, unknown>> {
  const record = { id: `m${name}`, timestamp: "2026-01-01T00:00:00.000Z" };
  const call = `call-${name % 7}`;
  const functionResponse = { id: call, name: "run", response: { output: `output ${name % 3}` } };
  switch (kind) {
    case 0:
      return { ...record, type: "user", content: [{ text: `question ${name}` }] };
    case 1:
      return { ...record, type: "gemini", content: `answer ${name}`, thoughts: [] };
    case 2: {
      // A result is stored next to its call, and again in a separate message.
      const toolCalls = [{ id: call, name: "run", args: { command: call }, result: [{ functionResponse }] }];
      return { ...record, type: "gemini", content: "", toolCalls };
    }
    case 3:
      return { ...record, type: "user", content: [{ functionResponse }] };
    default:
      return { $set: { lastUpdated: "2026-01-01T00:00:01.000Z" } };
  }
}

/** A head that ends somewhere around a call whose result is repeated in the next line. */
const CUT_ANSWERS: [[number, number][]][] = [12, 13, 14].map((count) => {
  const questions = Array.from({ length: count }, (_, name): [number, number] => [0, name]);
  return [[...questions, [2, 50], [3, 29], [1, 40], [0, 41]]];
});

test("a history of gemini begins with the first messages, whichever records follow the head", async () => {
  const scratch = scratchFolder("first-messages");
  const chats = join(scratch, ".gemini/tmp/w/chats");
  mkdirSync(chats, { recursive: true });
  const path = join(chats, "session-2026-01-01T00-00-01999999.jsonl");
  const header = { sessionId: "01999999-1111-7222-8333-0000000000c1", projectHash: "x", kind: "main" };
  const reader = await formatOf("gemini");
  const places = { home: scratch, env: {} };
  const records = fc.array(fc.tuple(fc.nat(4), fc.nat(60)), { minLength: 12, maxLength: 40 });
  let most = 0;
  await fc.assert(
    fc.asyncProperty(records, async (all) => {
      const lines = [header, ...all.map(([kind, name]) => geminiRecord(kind, name))];
      writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      const found = await reader.recognise(path, places);
      if (found === null) throw new Error("not recognised");
      most = Math.max(most, await expectFirst(reader, found, places));
    }),
    { numRuns: rounds(300), examples: CUT_ANSWERS },
  );
  expect(most).toBeGreaterThan(3);
});
