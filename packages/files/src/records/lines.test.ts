import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { rounds } from "../../../../test/sizes/counts.ts";
import { type LineRecord, openLines } from "./lines.ts";

const folder = scratchFolder("lines");

function write(bytes: string | Buffer, name = "file.jsonl"): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

/** @param keep whether parsed records are kept between the scan and the fetches. */
async function scanAll(
  path: string,
  keep: "kept" | "read again",
  from?: number,
): Promise<{ records: LineRecord[]; fetched: unknown[]; codes: string[] }> {
  using file = openLines(path, keep === "kept" ? 0 : Number.MAX_SAFE_INTEGER);
  const scanned = (await Array.fromAsync(file.scan(from === undefined ? {} : { from }))).flat();
  const records = scanned.map(({ line, offset, length, value, problems }) => ({
    line,
    offset,
    length,
    value,
    problems,
  }));
  const fetched: unknown[] = [];
  for (const record of records) fetched.push(await file.fetch(record));
  return { records, fetched, codes: file.problems().map((problem) => problem.code) };
}

test("records come with their lines, places and values", async () => {
  const { records, codes } = await scanAll(write('{"a":1}\n\n  \r\n[2]\r\n"ä"'), "kept");
  expect(records).toEqual([
    { line: 1, offset: 0, length: 7, value: { a: 1 }, problems: [] },
    { line: 4, offset: 13, length: 3, value: [2], problems: [] },
    { line: 5, offset: 18, length: 4, value: "ä", problems: [] },
  ]);
  expect(codes).toEqual(["mixed_line_ends"]);
});

test("a bad line, a torn line and bad UTF-8 are problems with their line", async () => {
  const bytes = Buffer.concat([Buffer.from('{"a"\n"'), Buffer.from([0xff]), Buffer.from('"\n{"b":')]);
  const { records } = await scanAll(write(bytes), "kept");
  expect(
    records.map(({ line, value, problems }) => [
      line,
      value,
      problems.map((problem) => [problem.code, problem.line]),
    ]),
  ).toEqual([
    [1, undefined, [["bad_json", 1]]],
    [2, "\ufffd", [["bad_utf8", 2]]],
    [3, undefined, [["torn_line", 3]]],
  ]);
});

test("a U+FFFD in the file is not a problem", async () => {
  const { records } = await scanAll(write('"\ufffd"\n'), "kept");
  expect(records[0]?.problems).toEqual([]);
});

test("a byte order mark is a problem of the file, and the first line is read", async () => {
  const { records, codes } = await scanAll(write("\ufeff1\n2\n"), "kept");
  expect(records.map(({ value, offset }) => [value, offset])).toEqual([
    [1, 3],
    [2, 5],
  ]);
  expect(codes).toEqual(["byte_order_mark"]);
});

test("an empty file has no records", async () => {
  expect((await scanAll(write(""), "kept")).records).toEqual([]);
});

const anyValues = fc.array(
  fc.oneof(
    fc.json(),
    fc.integer({ min: 1, max: 300_000 }).map((length) => JSON.stringify("x".repeat(length))),
  ),
  { maxLength: 12 },
);

test.each(["kept", "read again"] as const)(
  "every record is scanned and fetched as it stands: %s",
  async (keep) => {
    await fc.assert(
      fc.asyncProperty(anyValues, fc.constantFrom("\n", "\r\n"), fc.boolean(), async (texts, end, ended) => {
        const { records, fetched } = await scanAll(write(texts.join(end) + (ended ? end : "")), keep);
        const values = texts.map((text) => JSON.parse(text));
        expect(records.map((record) => record.value)).toEqual(values);
        expect(fetched).toEqual(values);
        expect(records.map((record) => record.line)).toEqual(texts.map((_, index) => index + 1));
      }),
      { numRuns: rounds(60) },
    );
  },
  120_000,
);

test("a compressed file reads like a plain one", async () => {
  await fc.assert(
    fc.asyncProperty(anyValues, async (texts) => {
      const plain = Buffer.from(texts.map((text) => `${text}\n`).join(""));
      const { records, fetched, codes } = await scanAll(
        write(zstdCompressSync(plain), "file.jsonl.zst"),
        "read again",
      );
      expect(records).toEqual((await scanAll(write(plain), "kept")).records);
      expect(fetched).toEqual(records.map((record) => record.value));
      expect(codes).toEqual([]);
    }),
    { numRuns: rounds(30) },
  );
}, 120_000);

test("a compressed file that is cut off gives its complete lines, and a problem", async () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => JSON.stringify({ n, salt: Math.sin(n) }));
  const packed = zstdCompressSync(Buffer.from(lines.join("\n")));
  const { records, codes } = await scanAll(
    write(packed.subarray(0, packed.length >> 1), "cut.jsonl.zst"),
    "read again",
  );
  expect(records.length).toBeGreaterThan(100);
  expect(records.slice(0, -1).map((record) => record.value)).toEqual(
    lines.slice(0, records.length - 1).map((line) => JSON.parse(line)),
  );
  expect(codes).toEqual(["torn_line"]);
});

test("a scan from inside begins at the next line", async () => {
  const path = write('"a"\n"b"\n"c"\n');
  const from = async (at: number): Promise<unknown[]> =>
    (await scanAll(path, "kept", at)).records.map((record) => record.value);
  expect(await from(1)).toEqual(["b", "c"]);
  expect(await from(3)).toEqual(["b", "c"]);
  expect(await from(4)).toEqual(["b", "c"]);
  expect(await from(5)).toEqual(["c"]);
  expect(await from(12)).toEqual([]);
});

test("a kept record is parsed once, and again if its line has become longer", async () => {
  const path = write('{"a":1}\n{"b"', "growing.jsonl");
  using file = openLines(path, 0);
  const [first] = (await Array.fromAsync(file.scan({ part: "whole" }))).flat();
  writeFileSync(path, '{"a":1}\n{"b":2}\n');
  const again = (await Array.fromAsync(file.scan({ part: "whole" }))).flat();
  expect(again[0]?.value).toBe(first?.value);
  expect(again.map(({ value, problems }) => [value, problems])).toEqual([
    [{ a: 1 }, []],
    [{ b: 2 }, []],
  ]);
});

test("a path that is missing or not a file is an error with a code", () => {
  expect(() => openLines(join(folder, "missing"), 0)).toThrow(expect.objectContaining({ code: "not_found" }));
  expect(() => openLines(folder, 0)).toThrow(expect.objectContaining({ code: "unreadable" }));
});

test("a scan stops when its signal is aborted", async () => {
  using file = openLines(write("1\n2\n"), 0);
  const stopped = Array.fromAsync(file.scan({ signal: AbortSignal.abort() }));
  await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
});

test.each([
  { megabytes: 9, keep: undefined, isSame: false },
  { megabytes: 9, keep: "all", isSame: true },
  { megabytes: 64, keep: "all", isSame: true },
  { megabytes: 65, keep: "all", isSame: false },
] as const)(
  "a record of a file of $megabytes MB is parsed once for a caller that keeps all ($keep): $isSame",
  async ({ megabytes, keep, isSame }) => {
    const path = write(`{"a":[1]}\n`, "large.jsonl");
    using file = openLines(path, megabytes * 1024 * 1024, keep);
    const [record] = (await Array.fromAsync(file.scan({ part: "whole" }))).flat();
    const again = record === undefined ? undefined : await file.fetch(record);
    expect(again).toEqual({ a: [1] });
    expect(again === record?.value).toBe(isSame);
  },
);

test("a compressed line of 30 MB is read in linear time, in bounded pieces", async () => {
  // The text varies, so that the file does not expand beyond the limit.
  const words = Array.from({ length: 300_000 }, (_, at) => `${Math.sin(at)} `.repeat(5)).join("");
  const path = write(zstdCompressSync(Buffer.from(`{"a":1}\n${JSON.stringify(words)}\n`)), "long.jsonl.zst");
  using file = openLines(path, statSync(path).size);
  const values: unknown[] = [];
  for await (const records of file.scan()) values.push(...records.map(({ value }) => value));
  expect(values).toEqual([{ a: 1 }, words]);
  expect(file.problems()).toEqual([]);
});

test("a compressed file that expands without measure is read up to a limit, and says so", async () => {
  const piece = Buffer.from(`{"a":"${"x".repeat(1_000_000)}"}\n`);
  const packed = zstdCompressSync(Buffer.concat(Array.from({ length: 100 }, () => piece)));
  const path = write(packed, "bomb.jsonl.zst");
  using file = openLines(path, packed.length);
  let count = 0;
  for await (const records of file.scan()) count += records.length;
  expect(packed.length).toBeLessThan(30_000);
  expect(count).toBeGreaterThanOrEqual(6);
  expect(count).toBeLessThan(20);
  expect(file.problems()).toMatchObject([{ message: expect.stringContaining("expands to more than") }]);
});

test("a compressed file of several frames is read to its end, including skippable frames", async () => {
  const skipped = Buffer.alloc(8 + 100_000);
  skipped.writeUInt32LE(0x184d2a50, 0);
  skipped.writeUInt32LE(100_000, 4);
  const lines = Array.from({ length: 40 }, (_, at) => `{"at":${at},"noise":"${"x".repeat(at * 100)}"}\n`);
  const frames = lines.map((line) => zstdCompressSync(Buffer.from(line)));
  const path = write(Buffer.concat([skipped, ...frames, skipped, skipped]), "frames.jsonl.zst");
  using file = openLines(path, statSync(path).size);
  const records = (await Array.fromAsync(file.scan())).flat();
  expect(records.map(({ value }) => value)).toEqual(lines.map((line) => JSON.parse(line)));
  expect(file.problems()).toEqual([]);
});

test.each([
  ["other bytes", Buffer.from("no frame".repeat(50_000)), "Unknown frame descriptor"],
  ["a frame that is cut", zstdCompressSync(Buffer.from("{}\n".repeat(9))).subarray(0, -3), "unexpected end"],
])("a compressed file that ends in %s says so", async (_what, rest, message) => {
  const path = write(Buffer.concat([zstdCompressSync(Buffer.from('{"a":1}\n')), rest]), "rest.jsonl.zst");
  using file = openLines(path, statSync(path).size);
  const records = (await Array.fromAsync(file.scan())).flat();
  expect(records[0]?.value).toEqual({ a: 1 });
  expect(file.problems()).toMatchObject([{ message: expect.stringContaining(message) }]);
});

test("a compressed file is read again from its start, and in any order", async () => {
  const lines = Array.from({ length: 30_000 }, (_, at) => `{"at":${at},"random":${Math.sin(at)}}`);
  const path = write(zstdCompressSync(Buffer.from(`${lines.join("\n")}\n`)), "order.jsonl.zst");
  using file = openLines(path, Number.MAX_SAFE_INTEGER);
  const records = (await Array.fromAsync(file.scan())).flat();
  expect(records.length).toBe(lines.length);
  for (const at of [0, 29_999, 17, 15_000, 14_999, 3]) {
    const record = records[at];
    expect(record === undefined ? null : await file.fetch(record)).toMatchObject({ at });
  }
});

test("a file is continued after it grew, and not after any one byte before was changed or lost", async () => {
  const line = `${JSON.stringify({ text: "x".repeat(990) })}\n`;
  const bytes = Buffer.from(line.repeat(2_500));
  const path = write(bytes, "large.jsonl");
  using file = openLines(path, bytes.length);
  await Array.fromAsync(file.scan({ part: "whole" }));
  const position = await file.position();
  expect(position.offset).toBe(bytes.length);
  const continuesWith = async (now: Buffer): Promise<boolean> => {
    writeFileSync(path, now);
    using again = openLines(path, now.length);
    return await again.continues(position);
  };
  expect(await continuesWith(Buffer.concat([bytes, Buffer.from(line)]))).toBe(true);
  expect(await continuesWith(bytes.subarray(0, -1))).toBe(false);
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: bytes.length - 1 }), async (at) => {
      const changed = Buffer.concat([bytes, Buffer.from(line)]);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await continuesWith(changed)).toBe(false);
    }),
    { numRuns: rounds(10), examples: [[0], [bytes.length - 1]] },
  );
});
