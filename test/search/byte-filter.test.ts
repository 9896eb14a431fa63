/**
 * The filter by bytes never excludes a session with the searched word or phrase, whatever its reader makes of the
 * records.
 */

import { filterTexts, openTexts } from "@continuo/agents/catalog";
import { parseQuery } from "@continuo/agents/search";
import { beforeAll, expect, test } from "vitest";
import { createByteFilter } from "../../packages/agents/src/search/bytes/index.ts";
import type { NativeSource } from "../../packages/agents/src/search/scanning/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { copyEveryCase } from "./every-case.ts";
import { type NaiveTurn, readNaively } from "./naive.ts";

const scratch = scratchFolder("bytes");
let sources: ReadonlyMap<string, NativeSource>;
let turns: readonly NaiveTurn[];

beforeAll(async () => {
  const places = copyEveryCase(scratch);
  await using all = await openTexts({ places });
  sources = new Map(all.missing().flatMap(({ found }) => (found ? [[found.location, found]] : [])));
  turns = await readNaively(places);
});

/** A longer text is the output of a tool; its words differ little from those of shorter texts. */
const MOST_WORDS = 400;

function phrasesOf({ texts, injected }: NaiveTurn): ReadonlySet<string> {
  const short = [...texts, ...injected].filter((words) => words.length <= MOST_WORDS);
  const cuts = short.flatMap((words) =>
    words.flatMap((_, at) => [1, 2, 3].map((count) => words.slice(at, at + count).join(" "))),
  );
  return new Set(cuts);
}

test("each word and phrase of each session is one that its bytes may hold", async () => {
  let tried = 0;
  const excluded: string[] = [];
  for (const turn of turns) {
    const source = sources.get(turn.location);
    if (source === undefined) continue;
    for (const phrase of phrasesOf(turn)) {
      const filter = createByteFilter(parseQuery(`"${phrase}"`, { toTime: (time) => time }));
      tried += 1;
      const some = await filterTexts([source], () => filter.begin().add);
      if (some.length === 0) excluded.push(`${source.agent}: ${phrase}`);
    }
  }
  expect(excluded).toEqual([]);
  expect(tried).toBeGreaterThan(5000);
});
