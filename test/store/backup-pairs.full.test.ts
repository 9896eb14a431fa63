/** The pairs of engines between which the quick size restores no backup. */

import { test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { ENGINE_NAMES, expectRestored, QUICK_PAIRS } from "./backup-pairs.ts";

const folder = scratchFolder("backup-pairs");
const others = ENGINE_NAMES.flatMap((source) =>
  ENGINE_NAMES.map((target) => [source, target] as const),
).filter(([source, target]) => !QUICK_PAIRS.some((pair) => pair[0] === source && pair[1] === target));

test.each(others)(
  "a backup of %s is restored into %s, which continues it",
  async (source, target) => await expectRestored(source, target, folder),
  120_000,
);
