import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Message } from "@continuo/core/model";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { fillText, removeText, type TextSource } from "./fill.ts";
import { useIndex } from "./index-database.ts";
import { asOneStep } from "./resume-point.ts";
import {
  bestTurns,
  passagesOf,
  scoreTurns,
  storedSessions,
  type TurnCondition,
  turnsByIds,
} from "./stored-text.ts";
import { storedTurnsOf } from "./text.ts";
import { meanWordsOf } from "./word-totals.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = scratchFolder("fill");
  path = join(folder, "index.db");
});

function sourceOf(
  stamp: string,
  texts: readonly string[],
  between: (at: number) => Promise<void> = async () => undefined,
): TextSource {
  async function* messages(): AsyncGenerator<Message, void, void> {
    for (const [at, text] of texts.entries()) {
      await between(at);
      yield {
        id: String(at),
        role: "user",
        origin: "person",
        content: [{ type: "text", text }],
        metadata: {},
      };
    }
  }
  const open = {
    source: "{}",
    steps: asOneStep(messages()),
    beside: {},
    [Symbol.dispose]: () => undefined,
  };
  return { key: "one", stamp, sizeBytes: 1, open: async () => open };
}

async function hashes(): Promise<readonly string[]> {
  const used = await useIndex(path, "read", (database) => storedTurnsOf(database, "one"));
  return used.state === "ready" ? used.value.map(({ hash }) => hash) : [];
}

test("after a session grew, shrank or changed, the index has exactly its present turns", async () => {
  const filled = async (texts: readonly string[]): Promise<readonly string[]> => {
    await fillText(path, { sources: [sourceOf(String(texts), texts)], batchChars: 1 });
    return await hashes();
  };
  const [a, b] = await filled(["a", "b"]);
  expect(await filled(["a", "b", "c"])).toEqual([a, b, expect.any(String)]);
  expect(await filled(["a"])).toEqual([a]);
  const changed = await filled(["b", "a", "c"]);
  expect(changed).toHaveLength(3);
  expect(changed).not.toContain(a);
  expect(await filled([])).toEqual([]);
});

test("after any changes, a turn has the score and the mean that it has in a new index", async () => {
  const facts = async (path: string): Promise<unknown> => {
    const used = await useIndex(path, "read", (database) => ({
      mean: meanWordsOf(database),
      scores: scoreTurns(database, "apple", [1, 1, 1, 1, 1, 1]).map(([, score]) => score),
    }));
    return used.state === "ready" ? used.value : used;
  };
  // Some 300 words, because a number above 127 has two bytes.
  const long = Array.from({ length: 300 }, (_, at) => `word${at}`).join(" ");
  const present = ["an apple", long, "nothing"];
  const others = { ...sourceOf("1", ["apple", `${long} apple`]), key: "two" };
  for (const texts of [present, ["apple apple", "b", "c", "d"], [long], [], [...present, "gone"], present]) {
    await fillText(path, { sources: [sourceOf(String(texts), texts), others] });
  }
  await removeText(path, ["two"]);
  const fresh = join(folder, "new.db");
  await fillText(fresh, { sources: [sourceOf("new", present)] });
  expect(await facts(path)).toEqual(await facts(fresh));
});

test("turns whose sizes are missing in the index are replaced like all others", async () => {
  await fillText(path, { sources: [sourceOf("1", ["a", "b"])] });
  await useIndex(path, "write", (database) => {
    database.enableDefensive(false);
    database.exec("delete from words_docsize");
  });
  await fillText(path, { sources: [sourceOf("2", ["c"])] });
  expect(await hashes()).toHaveLength(1);
});

test("a fill that another fill overtakes does not mark an incomplete session as complete", async () => {
  const other = async (at: number): Promise<void> => {
    if (at === 1) await fillText(path, { sources: [sourceOf("newer", ["x", "y", "z"])], batchChars: 1 });
  };
  await fillText(path, { sources: [sourceOf("older", ["a", "b"], other)], batchChars: 1 });
  const [session] = await storedSessions(path);
  const count = (await hashes()).length;
  expect({ isComplete: session?.isComplete, stamp: session?.stamp, count }).toEqual(
    session?.stamp === "older"
      ? { isComplete: true, stamp: "older", count: 2 }
      : { isComplete: true, stamp: "newer", count: 3 },
  );
});

/** A text longer than a chunk: if it is the first message, it is written before the third message is read. */
const LONG = "word ".repeat(60_000);

test("a fill that is overtaken after it wrote a part writes nothing more", async () => {
  const other = async (at: number): Promise<void> => {
    if (at === 2) await fillText(path, { sources: [sourceOf("newer", ["x", "y", "z"])], batchChars: 1 });
  };
  await fillText(path, { sources: [sourceOf("older", [LONG, "b", "c", "d", "e"], other)], batchChars: 1 });
  const [session] = await storedSessions(path);
  const now = { isComplete: session?.isComplete, stamp: session?.stamp, turns: (await hashes()).length };
  expect(now).toEqual({ isComplete: true, stamp: "newer", turns: 3 });
});

test("a session that is being indexed again has no stamp until it is complete", async () => {
  await fillText(path, { sources: [sourceOf("1", ["a"])] });
  const fail = async (at: number): Promise<void> => {
    if (at === 2) throw new Error("the file is gone");
  };
  await fillText(path, { sources: [sourceOf("2", [LONG, "b", "c"], fail)], batchChars: 1 });
  expect(await storedSessions(path)).toMatchObject([{ stamp: "", isComplete: false }]);
});

test("other work runs between two sessions, so that Ctrl-C and other requests do not wait for all of them", async () => {
  let others = 0;
  const seen: number[] = [];
  const sources = ["a", "b", "c"].map((key): TextSource => {
    const source = sourceOf("1", [key]);
    const open: TextSource["open"] = async (...how) => {
      seen.push(others);
      setImmediate(() => {
        others += 1;
      });
      return await source.open(...how);
    };
    return { ...source, key, open };
  });
  await fillText(path, { sources });
  expect(seen).toEqual([0, 1, 2]);
});

test("an index of a newer Continuo is not written, and the fill says so", async () => {
  await fillText(path, { sources: [sourceOf("1", ["a"])] });
  await useIndex(path, "write", (database) => database.exec("pragma user_version = 999"));
  await expect(fillText(path, { sources: [sourceOf("2", ["b"])] })).rejects.toMatchObject({
    code: "unwritable",
    hint: expect.stringContaining("newer version"),
  });
});

test("a session that the index refuses ends the fill with an error, and the earlier content stays", async () => {
  await fillText(path, { sources: [sourceOf("1", ["a"])] });
  await useIndex(path, "write", (database) =>
    database.exec(
      "create trigger refuse before insert on turns when new.number = 2 begin select raise(abort, 'refused'); end",
    ),
  );
  await expect(fillText(path, { sources: [sourceOf("2", ["a", "b"])] })).rejects.toMatchObject({
    code: "unwritable",
    message: expect.stringContaining("refused"),
    hint: expect.stringContaining("index rebuild"),
  });
  expect(await hashes()).toHaveLength(1);
});

const turnIds = (database: DatabaseSync): readonly number[] =>
  database
    .prepare("select id from turns")
    .all()
    .map(({ id }) => Number(id));

test.each([
  ["the files that a session depends on", "update sessions set beside = substr('{\"a\": 1}', 1, 4)"],
  ["the tools of a turn", "update turns set tools = '[\"Ba'"],
  ["texts", "update chunks set passages = zeroblob(40)"],
])("an index in which %s differ from what was written is removed, and filled again", async (_, damage) => {
  const texts = async (): Promise<unknown> => {
    if ((await storedSessions(path)).length === 0) return null;
    const used = await useIndex(path, "read", (database) =>
      turnsByIds(database, turnIds(database)).map((turn) => [
        turn.tools,
        passagesOf(database, turn).map(({ text }) => text),
      ]),
    );
    return used.state === "ready" ? used.value : null;
  };
  await fillText(path, { sources: [sourceOf("1", ["a"])] });
  await useIndex(path, "write", (database) => database.exec(damage));
  expect(await texts()).toBeNull();
  expect(existsSync(path)).toBe(false);
  await fillText(path, { sources: [sourceOf("1", ["a"])] });
  expect(await texts()).toEqual([[[], ["a"]]]);
});

test("a search with a condition on tools removes an index in which the tools of a turn are damaged", async () => {
  await fillText(path, { sources: [sourceOf("1", ["a"])] });
  await useIndex(path, "write", (database) => database.exec("update turns set tools = '[\"Ba'"));
  const condition: TurnCondition = {
    sql: "lists_match(tools, files)",
    values: {},
    listsMatch: (tools) => tools.length === 0,
  };
  const used = await useIndex(path, "read", (database) =>
    bestTurns(database, { condition, weights: [], rank: "score", values: {}, without: [] }),
  );
  expect(used).toEqual({ state: "missing" });
  expect(existsSync(path)).toBe(false);
});

test("many new sessions in one transaction become one segment of the full-text index", async () => {
  const sources = Array.from({ length: 40 }, (_, at): TextSource => {
    return { ...sourceOf("1", [`word${at}`]), key: String(at) };
  });
  await fillText(path, { sources });
  const used = await useIndex(path, "read", (database) => ({
    turns: database.prepare("select count(*) as count from turns").get()?.count,
    segments: database.prepare("select count(distinct segid) as count from words_idx").get()?.count,
  }));
  // With a segment for each session, there would be 40 writes and their merges.
  expect(used).toEqual({ state: "ready", value: { turns: 40, segments: 1 } });
});

test("a large transaction does not block readers until it is committed", async () => {
  await fillText(path, { sources: [sourceOf("1", ["a"])] });
  let turns: unknown;
  await useIndex(path, "write", (database) => {
    database.exec("begin immediate");
    const insert = database.prepare("insert into chunks (session, passages) values (9, zeroblob(100000))");
    for (let at = 0; at < 100; at++) insert.run();
    const reader = new DatabaseSync(path, { readOnly: true, timeout: 0 });
    turns = reader.prepare("select count(*) as count from turns").get()?.count;
    reader.close();
    database.exec("rollback");
  });
  expect(turns).toBe(1);
});
