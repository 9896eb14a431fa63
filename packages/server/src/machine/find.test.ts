import { shippedPrices } from "@continuo/agents/catalog";
import { createCachedHistory } from "@continuo/agents/pages";
import type { Message } from "@continuo/core/model";
import type { SessionSearchResult } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { type FindQuery, findInSession } from "./find.ts";
import type { CompleteHistory, UseHistory } from "./history/index.ts";

async function find(texts: readonly string[], query: FindQuery): Promise<SessionSearchResult> {
  using kept = createCachedHistory("g", { own: {}, list: shippedPrices() });
  for (const [at, text] of texts.entries()) {
    const role = at % 2 === 0 ? "user" : "assistant";
    const message: Message = { id: String(at), role, content: [{ type: "text", text }], metadata: {} };
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
  for (const words of ["build content", "user", "the metadata"]) {
    expect([words, idsOf(await find(texts, { words }))]).toEqual([words, []]);
  }
  expect(idsOf(await find(texts, { words: "build THE" }))).toEqual(["1", "0"]);
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
  expect(await find(texts, { words: " " })).toEqual({ found: [], next: null });
});
