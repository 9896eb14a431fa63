/** The order of test files. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { TestSpecification, Vitest } from "vitest/node";
import { LONGEST, LongestFirst } from "./longest-first.ts";

const ROOT = join(import.meta.dirname, "../..");

async function ordered(seed: number, paths: readonly string[]): Promise<readonly string[]> {
  const print = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    const context = { config: { sequence: { seed } } } as unknown as Vitest;
    const files = paths.map((path) => ({ moduleId: `/clone/${path}` }) as TestSpecification);
    const sorted = await new LongestFirst(context).sort(files);
    expect(print).toHaveBeenCalledWith(expect.stringContaining(`--sequence.seed ${seed}`));
    return sorted.map(({ moduleId }) => moduleId.slice("/clone/".length));
  } finally {
    print.mockRestore();
  }
}

test("the longest files come first, and only the seed decides the order of the others", async () => {
  const short = Array.from({ length: 50 }, (_, at) => `test/${at}.full.test.ts`);
  const one = await ordered(1, [...short, ...LONGEST]);
  expect(new Set(one.slice(0, LONGEST.length))).toEqual(new Set(LONGEST));
  expect([...one].sort()).toEqual([...short, ...LONGEST].sort());
  expect(await ordered(1, [...LONGEST, ...short.toReversed()])).toEqual(one);
  expect(await ordered(2, [...short, ...LONGEST])).not.toEqual(one);
});

test("each file that is named as long exists", () => {
  expect(LONGEST.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
