import { shippedPrices } from "@continuo/agents/catalog";
import { createCachedHistory } from "@continuo/agents/pages";
import type { Block, Message } from "@continuo/core/model";
import type { SessionSearchResult } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { type FindQuery, findInSession } from "./find.ts";
import type { CompleteHistory, UseHistory } from "./history/index.ts";

async function find(contents: readonly (string | Block)[], query: FindQuery): Promise<SessionSearchResult> {
  using kept = createCachedHistory("g", { own: {}, list: shippedPrices() });
  for (const [at, content] of contents.entries()) {
    const role = at % 2 === 0 ? "user" : "assistant";
    const block: Block = typeof content === "string" ? { type: "text", text: content } : content;
    const message: Message = { id: String(at), role, content: [block], metadata: {} };
    kept.put(message);
  }
  kept.settle();
  const read: UseHistory = async (use) => use({ kept } as unknown as CompleteHistory);
  return await findInSession(read, query);
}

function idsOf({ found }: SessionSearchResult): readonly string[] {
  return found.map(({ messageId }) => messageId);
}

test("names of fields and roles, which no reader sees, are not found", async () => {
  const texts = ["Fix the build", "The build is fixed"];
  for (const words of ["content", "user", "metadata"]) {
    expect([words, idsOf(await find(texts, { words }))]).toEqual([words, []]);
  }
  expect(idsOf(await find(texts, { words: "build THE" }))).toEqual(["1", "0"]);
  expect((await find(texts, { words: "build content" })).match).toBe("word");
});

test("words with quotes and backslashes are found, although JSON escapes them", async () => {
  const texts = ['Call it "retry"', "in C:\\temp", "nothing"];
  expect(idsOf(await find(texts, { words: '"retry"' }))).toEqual(["0"]);
  expect(idsOf(await find(texts, { words: "c:\\temp" }))).toEqual(["1"]);
});

test("a search continues before the last message that it found, until there is no other one", async () => {
  const texts = ["tea", "water", "tea", "tea"];
  const first = await find(texts, { words: "tea", limit: 2 });
  expect([idsOf(first), first.next]).toEqual([["3", "2"], 2]);
  const rest = await find(texts, { words: "tea", limit: 2, before: first.next ?? 0 });
  expect([idsOf(rest), rest.next]).toEqual([["0"], null]);
  // Only the first search falls back to messages with some of the words.
  const older = await find(["tea", "water", "tea with milk"], { words: "tea milk", before: 2 });
  expect([idsOf(older), older.match]).toEqual([[], "message"]);
  expect(await find(texts, { words: " " })).toEqual({ found: [], match: "message", next: null, leftOut: 0 });
});

test("letter case and accents make no difference, and every word of an excerpt is marked in its place", async () => {
  const { found } = await find(["İn Zürich: DRABÉ naïve"], { words: "zurich naive" });
  expect(found[0]?.excerpt).toEqual([
    { text: "İn ", isMatch: false },
    { text: "Zürich", isMatch: true },
    { text: ": DRABÉ ", isMatch: false },
    { text: "naïve", isMatch: true },
  ]);
});

test.each<[string, Block]>([
  ["a prompt", { type: "text", text: "Fix the retry" }],
  ["a thought", { type: "thinking", text: "The retry fails" }],
  ["a call", { type: "tool_call", id: "c", name: "Bash", args: { steps: ["make retry"] } }],
  ["a name of a file", { type: "file", mimeType: "text/plain", name: "retry.ts" }],
  ["a text of a file", { type: "file", mimeType: "text/plain", text: "a retry" }],
])("a word in %s of a message is found", async (_, block) => {
  expect(idsOf(await find(["nothing", block], { words: "retry" }))).toEqual(["1"]);
});

test("of two words that begin at one place, an excerpt marks the longer one", async () => {
  const { found } = await find(["Retrying"], { words: "retry retrying" });
  expect(found[0]?.excerpt).toEqual([{ text: "Retrying", isMatch: true }]);
});

test("words that are in several messages of a turn are found there, and otherwise each message with one of them", async () => {
  const texts = ["tea", "water", "the milk", "more tea", "sugar"];
  const inTurn = await find(texts, { words: "milk tea" });
  expect([idsOf(inTurn), inTurn.match, inTurn.next]).toEqual([["3", "2"], "turn", null]);
  const apart = await find(texts, { words: "water sugar" });
  expect([idsOf(apart), apart.match]).toEqual([["4", "1"], "word"]);
  const cut = await find(texts, { words: "water sugar", limit: 1 });
  expect([idsOf(cut), cut.leftOut]).toEqual([["4"], 1]);
  const none = await find(texts, { words: "coffee cake" });
  expect([idsOf(none), none.match]).toEqual([[], "word"]);
});

test("only messages of the turns that have every word count as left out", async () => {
  const texts = ["milk", "tea", "milk", "water", "milk"];
  const { found, match, leftOut } = await find(texts, { words: "milk tea", limit: 1 });
  expect([found.map(({ messageId }) => messageId), match, leftOut]).toEqual([["1"], "turn", 1]);
});
