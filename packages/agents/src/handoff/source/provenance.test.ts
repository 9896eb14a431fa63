/**
 * The provenance of a session: it is written to the store along with it, and read from there or from the
 * session's file.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import type { Places } from "@continuo/files";
import type { KeptRecord } from "@continuo/native/writing";
import { openStore } from "@continuo/store";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { toReceipt } from "../converting/index.ts";
import {
  type HandOffRecord,
  handOffLogId,
  originOf,
  readCopy,
  readProvenance,
  takeBackProvenance,
  withProvenance,
} from "./provenance.ts";
import type { HandOffSource } from "./source.ts";

let home: string;
let places: Places;
let storePath: string;
beforeEach(() => {
  home = scratchFolder("provenance");
  places = { home, env: {} };
  storePath = join(home, ".continuo/continuo.db");
});

const ENTRIES: readonly KeptRecord[] = [
  { line: 1, value: { text: "é\u2028" } },
  { file: "/b", line: 2, value: { deep: [1, null] } },
];
const SOURCE: HandOffSource = {
  agent: "claude",
  sessionId: "old",
  location: "/old.jsonl",
  cwd: "/",
  title: null,
  gitBranch: null,
  records: 2,
  sha256: "a".repeat(64),
  note: null,
  messages: [],
  left: [],
  subagents: [],
  async *entries() {
    yield* ENTRIES;
  },
  async *copy() {
    yield zstdCompressSync(ENTRIES.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  },
  openShelf: () => ({ keep: (message) => message, [Symbol.dispose]: () => undefined }),
  said: () => ({ messages: 2, sha256: "b" }),
  [Symbol.dispose]: () => undefined,
};
const SAID = { messages: 3, sha256: "c" };
const LINE = { place: "line 1", kind: "text", outcome: "kept", reason: "" } as const;

const ORIGIN = {
  agent: "claude",
  sessionId: "old",
  location: "/old.jsonl",
  records: 2,
  sha256: "a".repeat(64),
  said: { messages: 2, sha256: "b" },
} as const;

function handed(source: HandOffSource = SOURCE): HandOffRecord {
  const made = { agent: "pi", sessionId: "new", location: "/new.jsonl", said: SAID } as const;
  return { source, ...made, receipt: toReceipt([LINE]), signal: undefined };
}

const known = (note: unknown = null) => ({ agent: "pi", sessionId: "new", note }) as const;
const read = (note?: unknown) => readProvenance(known(note), places, undefined);

test("the origin of a session is one event, with its receipt and a copy of its records as blobs", async () => {
  expect(originOf(SOURCE)).toEqual(ORIGIN);
  expect(await withProvenance(handed(), places, async () => "placed")).toBe("placed");
  await using store = await openStore(`sqlite:${storePath}`);
  const { events } = await store.read(handOffLogId("pi", "new"));
  const [copy = "", list = ""] = events[0]?.blobs ?? [];
  expect(events).toMatchObject([{ type: "session_handed_over" }]);
  expect(events[0]?.data).toEqual({
    from: { ...ORIGIN, copy },
    to: { agent: "pi", sessionId: "new", location: "/new.jsonl", said: SAID },
    receipt: {
      kept: 1,
      rewritten: 0,
      noted: 0,
      dropped: 0,
      byKind: { text: { kept: 1, rewritten: 0, noted: 0, dropped: 0 } },
      records: list,
    },
  });
  const receipt = Buffer.concat(await Array.fromAsync((await store.openBlob(list)).bytes));
  expect(JSON.parse(receipt.toString())).toEqual([LINE]);
});

test("the copy has the unchanged records, and is found by the session that was made of them", async () => {
  await withProvenance(handed(), places, async () => undefined);
  const provenance = await read({ from: { ...ORIGIN, sessionId: "from the file" }, said: SAID });
  expect(provenance).toEqual({ from: ORIGIN, said: SAID, copy: expect.any(String) });
  expect(await readCopy(provenance?.copy ?? "", places, undefined)).toEqual(ENTRIES);
  await expect(readCopy("0".repeat(64), places, undefined)).rejects.toMatchObject({ code: "not_found" });
});

test("if the records were not copied, or only a part was handed over, the origin is recorded without a copy", async () => {
  const source = { ...SOURCE, copy: null, said: () => null };
  await withProvenance(handed(source), places, async () => undefined);
  expect(await read()).toEqual({ from: { ...ORIGIN, said: null }, said: SAID, copy: null });
});

test("a session that cannot be placed leaves no provenance", async () => {
  const failed = new Error("cannot be placed");
  await expect(withProvenance(handed(), places, () => Promise.reject(failed))).rejects.toBe(failed);
  expect(await read()).toBe(null);
});

test("provenance that a killed process wrote for a session that it did not place is removed", async () => {
  const options = { places, signal: undefined };
  await takeBackProvenance("pi", ["new"], options);
  expect(existsSync(storePath)).toBe(false);
  await withProvenance(handed(), places, async () => undefined);
  await takeBackProvenance("pi", [], options);
  await takeBackProvenance("codex", ["new"], options);
  await takeBackProvenance("pi", ["other"], options);
  expect(await read()).toMatchObject({ from: ORIGIN });
  await takeBackProvenance("pi", ["other", "new"], options);
  expect(await read()).toBe(null);
});

describe("the note in a session's file", () => {
  test("is read if there is no store, or the store does not know the session", async () => {
    const note = { from: ORIGIN, said: SAID };
    expect(await read(note)).toEqual({ ...note, copy: null });
    expect(existsSync(storePath)).toBe(false);
    await withProvenance({ ...handed(), sessionId: "another" }, places, async () => undefined);
    expect(await read({ ...note, from: { ...ORIGIN, copy: "d" } })).toEqual({ ...note, copy: "d" });
  });

  test("may lack fields that are not needed to find the session", async () => {
    const { records: _records, said: _said, ...from } = ORIGIN;
    expect(await read({ from: { ...from, copy: 1 }, said: SAID })).toEqual({
      from: { ...ORIGIN, records: 0, said: null },
      said: SAID,
      copy: null,
    });
  });

  test.each<[string, unknown]>([
    ["is not there", null],
    ["is a text", "claude"],
    ["does not name a session", { said: SAID }],
    ["names a list", { from: [ORIGIN], said: SAID }],
    ["names an unknown agent", { from: { ...ORIGIN, agent: "constructor" }, said: SAID }],
    ["has no id", { from: { ...ORIGIN, sessionId: 1 }, said: SAID }],
    ["has no location", { from: { ...ORIGIN, location: null }, said: SAID }],
    ["has no hash", { from: { ...ORIGIN, sha256: 1 }, said: SAID }],
    ["does not mark what was said", { from: ORIGIN }],
    ["marks it without a number", { from: ORIGIN, said: { ...SAID, messages: "3" } }],
    ["marks it without a hash", { from: ORIGIN, said: { ...SAID, sha256: 3 } }],
  ])("says nothing if it %s", async (_name, note) => {
    expect(await read(note)).toBe(null);
  });
});
