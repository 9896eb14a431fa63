/** The parts of the real agents' files. */

import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TestSpecification, Vitest } from "vitest/node";
import { BalancedParts, balancedParts, SECONDS, secondsOf } from "./balanced-parts.ts";
import { AGENT_PARTS } from "./rotation.ts";

const ROOT = join(import.meta.dirname, "../..");
const FILES = globSync("test/agents/**/*.agents.test.ts", { cwd: ROOT }).sort();

test("each file of the agents is in one part, and the parts of CI take about as long as each other", () => {
  const parts = balancedParts(FILES, AGENT_PARTS);
  expect(parts.flat().sort()).toEqual(FILES);
  const seconds = parts.map((part) => part.reduce((sum, path) => sum + secondsOf(path), 0));
  const mean = seconds.reduce((sum, one) => sum + one, 0) / AGENT_PARTS;
  // No part is longer than the longest file, or than a part and the file that came last to it.
  expect(Math.max(...seconds)).toBeLessThan(1.2 * Math.max(mean, ...FILES.map(secondsOf)));
  expect(balancedParts(FILES.toReversed(), AGENT_PARTS)).toEqual(parts);
});

test("each file with seconds of its own exists", () => {
  const names = Object.keys(SECONDS).map((name) => `test/agents/${name}.agents.test.ts`);
  expect(names.filter((name) => !FILES.includes(name))).toEqual([]);
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
