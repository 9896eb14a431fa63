/**
 * The order of test files: a seed decides it, except that the slowest files come first, so that none of them runs by
 * itself at the end.
 */

import { BaseSequencer, type TestSpecification } from "vitest/node";
import { drawFrom, randomFrom } from "../store/harness/random.ts";

/** Files of the quick size that take many times as long as others. */
export const LONGEST: readonly string[] = [
  "packages/files/src/records/lines.test.ts",
  "packages/native/src/editing/repair.test.ts",
  "test/channels/contract/sqlite.test.ts",
  "test/cli/chat.test.ts",
  "test/cli/follow.test.ts",
  "test/cli/handoff.test.ts",
  "test/cli/repl.test.ts",
  "test/gateway/gateway.test.ts",
  "test/hand-off/bundle.test.ts",
  "test/live/frames.test.ts",
  "test/mcp/install.test.ts",
  "test/mcp/recall.test.ts",
  "test/mcp/wire.test.ts",
  "test/protocol/failures.test.ts",
  "test/search/grown.test.ts",
  "test/search/not-indexed.test.ts",
  "test/server/lost-connections.test.ts",
  "test/simulation/simulation.test.ts",
  "test/store/concurrency/history.test.ts",
  "test/store/lost-connections.test.ts",
  "test/store/migration.test.ts",
  "test/store/next-version.test.ts",
];

/** Vitest prints a seed only for its own random order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    process.stdout.write(`Files run in the order of --sequence.seed ${seed}\n`);
    // A glob finds files in any order, so they are sorted: only the seed may decide the order.
    const known = files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
    const shuffled = drawFrom(known, known.length, randomFrom(seed));
    return [...shuffled.filter(isLong), ...shuffled.filter((file) => !isLong(file))];
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  return LONGEST.some((path) => moduleId.endsWith(`/${path}`));
}
