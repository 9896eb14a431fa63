/** The parts of the real agents' files. */

import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TestSpecification, Vitest } from "vitest/node";
import { BalancedParts, balancedParts, SECONDS, secondsOf } from "./balanced-parts.ts";
import { AGENT_PARTS, FULL_PARTS } from "./rotation.ts";

const ROOT = join(import.meta.dirname, "../..");
const FILES = globSync("test/agents/**/*.agents.test.ts", { cwd: ROOT }).sort();
const FULL_FILES = globSync("{packages,src,test,web,extension}/**/*.full.test.ts", {
  cwd: ROOT,
  exclude: (name) => name === "node_modules",
}).sort();

test.each([
  ["the agents", FILES, AGENT_PARTS],
  ["the full size", FULL_FILES, FULL_PARTS],
] as const)(
  "each file of %s is in one part, and the parts of CI take about as long as each other",
  (_, files, count) => {
    const parts = balancedParts(files, count);
    expect(parts.flat().sort()).toEqual(files);
    const seconds = parts.map((part) => part.reduce((sum, path) => sum + secondsOf(path), 0));
    const mean = seconds.reduce((sum, one) => sum + one, 0) / count;
    // No part is longer than the longest file, or than an average part with its last file.
    expect(Math.max(...seconds)).toBeLessThan(1.2 * Math.max(mean, ...files.map(secondsOf)));
    expect(balancedParts(files.toReversed(), count)).toEqual(parts);
  },
);

test("each file with seconds of its own exists", () => {
  const files = [...FILES, ...FULL_FILES].map((path) => path.replace(/\.(?:agents|full)\.test\.ts$/u, ""));
  expect(Object.keys(SECONDS).filter((name) => !files.includes(`test/${name}`))).toEqual([]);
});

test("files that any change can break are in each part", async () => {
  const always = FULL_FILES.filter((path) => /^test\/(?:docs|house|package\.)/u.test(path));
  expect(always.length).toBeGreaterThan(3);
  const files = FULL_FILES.map((path) => ({ moduleId: join(ROOT, path) }) as TestSpecification);
  for (let index = 1; index <= FULL_PARTS; index++) {
    const context = { config: { shard: { index, count: FULL_PARTS } } } as unknown as Vitest;
    const chosen = (await new BalancedParts(context).shard(files)).map(({ moduleId }) => moduleId);
    expect(always.filter((path) => !chosen.includes(join(ROOT, path)))).toEqual([]);
    expect(chosen.length).toBeLessThan(FULL_FILES.length / 2);
  }
});

test("Vitest runs the files of its shard, and each of them in one shard", async () => {
  const files = FILES.map((path) => ({ moduleId: join(ROOT, path) }) as TestSpecification);
  const shards = await Promise.all(
    Array.from({ length: AGENT_PARTS }, async (_, at) => {
      const context = { config: { shard: { index: at + 1, count: AGENT_PARTS } } } as unknown as Vitest;
      return await new BalancedParts(context).shard(files);
    }),
  );
  expect(
    shards
      .flat()
      .map(({ moduleId }) => moduleId)
      .sort(),
  ).toEqual(files.map(({ moduleId }) => moduleId));
  expect(shards.every((shard) => shard.length > 0)).toBe(true);
});
