import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { rounds } from "../../../../test/sizes/counts.ts";
import { openBytes } from "./bytes.ts";
import { type BackwardsOptions, linesBackwards, type RawLine } from "./ends.ts";

const folder = scratchFolder("ends");

async function backwards(text: string, options: BackwardsOptions = {}): Promise<RawLine[]> {
  const path = join(folder, "file");
  writeFileSync(path, text);
  const bytes = openBytes(path);
  try {
    return await Array.fromAsync(linesBackwards(bytes, Buffer.byteLength(text), options));
  } finally {
    bytes.close();
  }
}

const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("", "  ", "needle", '{"a":"needle"}'),
      fc.integer({ min: 1, max: 200_000 }).map((n) => "y".repeat(n)),
    ),
    { maxLength: 12 },
  )
  .map((lines) => lines.map((line) => line.replaceAll("\n", " ")));

test("lines come newest first, without blank ones, each with its offset", async () => {
  await fc.assert(
    fc.asyncProperty(anyText, fc.boolean(), async (lines, ended) => {
      const text = lines.join("\n") + (ended ? "\n" : "");
      const expected: RawLine[] = [];
      let offset = 0;
      for (const [at, line] of lines.entries()) {
        const isEnded = ended || at < lines.length - 1;
        if (line.trim() !== "") expected.unshift({ offset, text: line, ended: isEnded });
        offset += Buffer.byteLength(line) + 1;
      }
      expect(await backwards(text)).toEqual(expected);
    }),
    { numRuns: rounds(100) },
  );
}, 120_000);

test("a line that is too long is yielded whole or not at all, and all others are yielded", async () => {
  const maxLineBytes = 20_000;
  await fc.assert(
    fc.asyncProperty(anyText, fc.boolean(), async (lines, ended) => {
      const text = lines.join("\n") + (ended ? "\n" : "");
      const all = await backwards(text);
      const isShort = ({ text: line }: RawLine): boolean => Buffer.byteLength(line) <= maxLineBytes;
      const some = await backwards(text, { maxLineBytes });
      expect(some.filter(isShort)).toEqual(all.filter(isShort));
      expect(all).toEqual(expect.arrayContaining(some));
    }),
    { numRuns: rounds(100) },
  );
}, 120_000);

test("lines that hold a needle are the same lines, filtered", async () => {
  const needles = [Buffer.from("needle"), Buffer.from("yy")];
  await fc.assert(
    fc.asyncProperty(anyText, async (lines) => {
      const text = lines.join("\n");
      const all = await backwards(text);
      const holding = all.filter((line) => line.text.includes("needle") || line.text.includes("yy"));
      expect(await backwards(text, { needles })).toEqual(holding);
    }),
    { numRuns: rounds(100) },
  );
}, 120_000);

test("an empty file has no lines", async () => {
  expect(await backwards("")).toEqual([]);
});

test("a caller stops when it knows enough", async () => {
  const text = `${"first\n"}${"x\n".repeat(500_000)}last`;
  const path = join(folder, "long");
  writeFileSync(path, text);
  const bytes = openBytes(path);
  let read = 0;
  const counted = {
    ...bytes,
    read: (at: number, length: number) => {
      read += length;
      return bytes.read(at, length);
    },
  };
  for await (const line of linesBackwards(counted, text.length)) {
    expect(line.text).toBe("last");
    break;
  }
  bytes.close();
  expect(read).toBeLessThan(100_000);
});
