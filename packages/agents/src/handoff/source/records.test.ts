/** The facts that one pass over the records of a source finds, and the copy that it writes. */

import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import type { Entry } from "@continuo/core/model";
import { parseExactly } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { hashOf, keptOf, type RecordOptions, readRecords } from "./records.ts";

let copyPath = "";
beforeEach(() => {
  copyPath = join(scratchFolder("records"), "copy");
});

function entry(fields: Partial<Entry>): Entry {
  return { line: 1, id: null, parentId: null, type: "user", active: true, value: {}, ...fields };
}

const ENTRIES: readonly Entry[] = [
  entry({ value: { text: "é\u2028\ud800" } }),
  entry({ line: 2, value: undefined, type: "" }),
  entry({ line: 3, file: "/b", rawSeparators: true, value: parseExactly('{"big":9007199254740993}') }),
  entry({
    line: null,
    row: "prt_1",
    type: "note",
    value: { continuo: { from: 1 }, words: "x".repeat(300_000) },
  }),
];

async function* each(): AsyncGenerator<Entry, void, void> {
  yield* ENTRIES;
}

const read = (options: Partial<RecordOptions> = {}) =>
  readRecords(each(), { ofMessages: new Set(["line 1"]), copyPath: null, ...options });

test("one pass over the records finds their number, their hash, the note, and the lines of those left out", async () => {
  const { copy, ...facts } = await read();
  expect(copy).toBeNull();
  const noted = { kind: "other", outcome: "noted" } as const;
  expect(facts).toEqual({
    records: 4,
    sha256: hashOf(ENTRIES.map(keptOf)),
    note: { from: 1 },
    left: [
      { place: "line 2", ...noted, reason: "not part of the conversation: a record without a type" },
      { place: "/b:3", ...noted, reason: "not part of the conversation: user" },
      { place: "prt_1", ...noted, reason: "not part of the conversation: note" },
    ],
  });
});

test("the same pass copies each record as it can come back", async () => {
  const { copy, ...facts } = await read({ copyPath });
  expect(facts).toEqual({ ...(await read()), copy: undefined });
  const bytes = Buffer.concat(await Array.fromAsync(copy?.() ?? []));
  const lines = ENTRIES.map((one) => `${JSON.stringify(keptOf(one))}\n`);
  expect(zstdDecompressSync(bytes).toString()).toBe(lines.join(""));
});

test("records that are too long are read without a copy", async () => {
  const whole = await read();
  expect(await read({ copyPath, maxCopyChars: 1000 })).toEqual(whole);
});

test("a copy that cannot be written is an error", async () => {
  const missing = read({ copyPath: join(copyPath, "copy") });
  await expect(missing).rejects.toMatchObject({ code: "unwritable" });
});
