import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FoundFile } from "@continuo/files";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import type { FoundSession, MemoKey, SkimMemo } from "../kit/index.ts";
import { piFormat } from "./index.ts";

const PLACES = { home: "/nonexistent", env: {} };
const HEADER = { type: "session", version: 3, id: "s", timestamp: "2026-05-06T07:00:00.000Z", cwd: "/tea" };

const scratch = scratchFolder("pi-open");

const said = (id: string, parentId: string | null, text = id, role = "user") => ({
  type: "message",
  id,
  parentId,
  timestamp: "2026-05-06T07:00:01.000Z",
  message: { role, content: [{ type: "text", text }], ...(role === "assistant" ? { usage: USAGE } : {}) },
});

/** pi counts the tokens of each answer. */
const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };

async function found(...values: readonly unknown[]): Promise<FoundSession> {
  const path = join(mkdtempSync(join(scratch, "s-")), "s.jsonl");
  writeFileSync(path, values.map((value) => `${JSON.stringify(value)}\n`).join(""));
  const session = await piFormat.recognise(path, PLACES);
  if (session === null) throw new Error("not recognised");
  return session;
}

/** A chain of messages, ids `m0`, `m1`, … */
const chain = (count: number, text = "words"): readonly unknown[] =>
  Array.from({ length: count }, (_, n) =>
    said(`m${n}`, n === 0 ? null : `m${n - 1}`, `${n} ${text}`, n % 2 === 0 ? "user" : "assistant"),
  );

describe("the newest part of a session", () => {
  test("ends as the whole does, and says that it is a part", async () => {
    const session = await found(HEADER, ...chain(500));
    using whole = await piFormat.open(session, PLACES, {});
    using part = await piFormat.open(session, PLACES, { newestBytes: 5000 });
    expect([whole.partial, part.partial]).toEqual([false, true]);
    const messages = await Array.fromAsync(part.history());
    const all = await Array.fromAsync(whole.history());
    expect(messages.length).toBeGreaterThan(10);
    expect(messages.length).toBeLessThan(60);
    expect(messages.map(({ id, content }) => [id, content])).toEqual(
      all.slice(-messages.length).map(({ id, content }) => [id, content]),
    );
    expect(part.problems).toEqual([]);
    expect(part.details).toMatchObject({ sessionId: "s", cwd: "/tea", title: "0 words" });
    expect(
      messages.flatMap(({ metadata }) => metadata.records ?? []).every((place) => place.line === undefined),
    ).toBe(true);
  });

  test("grows until it holds an entry", async () => {
    const session = await found(HEADER, ...chain(3), said("long", "m2", "x".repeat(20_000)));
    using part = await piFormat.open(session, PLACES, { newestBytes: 100 });
    expect((await Array.fromAsync(part.history())).at(-1)?.id).toBe("long");
  });

  test("of version 1 is the whole: its entries are known by their lines", async () => {
    const { version: _version, ...header } = HEADER;
    const session = await found(header, ...chain(100));
    using opened = await piFormat.open(session, PLACES, { newestBytes: 1000 });
    expect(opened.partial).toBe(false);
    expect(opened.leaves.map(({ id, messages }) => ({ id, messages }))).toEqual([
      { id: "line:101", messages: 100 },
    ]);
  });

  test("a session smaller than it is read whole", async () => {
    using opened = await piFormat.open(await found(HEADER, ...chain(3)), PLACES, { newestBytes: 100_000 });
    expect(opened.partial).toBe(false);
  });
});

describe("branches", () => {
  const label = (id: string, parentId: string) => ({
    ...said(id, parentId),
    type: "label",
    targetId: parentId,
  });

  test("several labels after one message are one branch, the newest", async () => {
    const session = await found(
      HEADER,
      said("a", null),
      said("b", "a"),
      label("c", "b"),
      label("d", "b"),
      said("e", "a"),
    );
    using opened = await piFormat.open(session, PLACES, {});
    expect(opened.leaves.map(({ id, active, label: words }) => ({ id, active, label: words }))).toEqual([
      { id: "e", active: true, label: "e" },
      { id: "d", active: false, label: "b" },
    ]);
  });

  test("the last entry is the leaf, even if it is a label on an earlier message", async () => {
    const session = await found(HEADER, said("a", null), said("b", "a"), label("c", "a"));
    using opened = await piFormat.open(session, PLACES, {});
    expect(opened.leaves.map(({ id }) => id)).toEqual(["c", "b"]);
    expect((await Array.fromAsync(opened.history())).map(({ id }) => id)).toEqual(["a", "c"]);
  });

  test("any entry can be the end of a history, and an unknown id is not found", async () => {
    using opened = await piFormat.open(await found(HEADER, ...chain(5)), PLACES, {});
    const ids = (await Array.fromAsync(opened.history({ leaf: "m2" }))).map(({ id }) => id);
    expect(ids).toEqual(["m0", "m1", "m2"]);
    await expect(Array.fromAsync(opened.history({ leaf: "x" }))).rejects.toMatchObject({ code: "not_found" });
  });
});

test("a session too large to be kept parsed gives the same messages", async () => {
  const text = "x".repeat(100_000);
  const session = await found(HEADER, ...chain(100, text));
  expect(session.files[0]?.sizeBytes).toBeGreaterThan(8 * 1024 * 1024);
  using opened = await piFormat.open(session, PLACES, {});
  const history = await Array.fromAsync(opened.history({ native: true }));
  expect(history.map(({ content }) => content)).toEqual(
    Array.from({ length: 100 }, (_, n) => [{ type: "text", text: `${n} ${text}` }]),
  );
  expect(history[7]?.metadata.native).toEqual([chain(8, text)[7]]);
});

test("reading ends when its signal is aborted", async () => {
  const session = await found(HEADER, ...chain(5));
  const signal = AbortSignal.abort();
  await expect(piFormat.open(session, PLACES, { signal })).rejects.toThrow();
  await expect(piFormat.skim(session, { part: "whole", signal })).rejects.toThrow();
  using opened = await piFormat.open(session, PLACES, {});
  await expect(Array.fromAsync(opened.history({ signal }))).rejects.toThrow();
  await expect(Array.fromAsync(opened.entries(signal))).rejects.toThrow();
});

test("the result of a skim is stored as JSON, and gives the same row", async () => {
  const answers = new Map<string, string>();
  let computed = 0;
  const memo: SkimMemo = {
    async remember<T>(file: FoundFile, { what }: MemoKey, compute: () => Promise<T>): Promise<T> {
      const key = `${file.path} ${what}`;
      const known = answers.get(key);
      if (known !== undefined) return JSON.parse(known);
      computed += 1;
      const answer = await compute();
      answers.set(key, JSON.stringify(answer));
      return answer;
    },
  };
  for (const name of [undefined, "A name", ""]) {
    const named = name === undefined ? [] : [{ ...said("n", "m2"), type: "session_info", name }];
    const session = await found(HEADER, ...chain(3), ...named);
    const row = await piFormat.skim(session, { part: "whole" });
    expect(row.title).toBe(name || "0 words");
    computed = 0;
    for (let n = 0; n < 2; n++) expect(await piFormat.skim(session, { part: "whole", memo })).toEqual(row);
    expect(computed).toBe(1);
  }
});
