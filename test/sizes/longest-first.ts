/**
 * The order of test files: a seed decides it, and the files that take longest come first, so that none of them is left
 * to run by itself at the end.
 */

import { BaseSequencer, type TestSpecification } from "vitest/node";
import { createRandom, drawFrom } from "../mutants/random.ts";

/** Files that take many times as long as others of their size: half a minute or more of the full size. */
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
  "test/search/mixed.test.ts",
  "test/search/not-indexed.test.ts",
  "test/server/lost-connections.test.ts",
  "test/simulation/simulation.test.ts",
  "test/store/backup.test.ts",
  "test/store/concurrency/history.test.ts",
  "test/store/contract/postgres.test.ts",
  "test/store/lost-connections.test.ts",
  "test/store/migration.test.ts",
  "test/store/next-version.test.ts",
  "test/channels/chaos.full.test.ts",
  "test/cli/going-on.full.test.ts",
  "test/extension/lifetimes.full.test.ts",
  "test/extension/long-viewing.full.test.ts",
  "test/extension/quota.full.test.ts",
  "test/extension/tabs.full.test.ts",
  "test/extension/work.full.test.ts",
  "test/hand-off/crash.full.test.ts",
  "test/hand-off/edits-killed.full.test.ts",
  "test/hand-off/own-agent.full.test.ts",
  "test/hand-off/refused.full.test.ts",
  "test/hand-off/there-and-back.full.test.ts",
  "test/live/segments.full.test.ts",
  "test/power-cut/native-edits.full.test.ts",
  "test/search/grown.full.test.ts",
  "test/search/killed.full.test.ts",
  "test/server/conformance-postgres.full.test.ts",
  "test/server/conformance-sqlite.full.test.ts",
  "test/server/many-servers.full.test.ts",
  "test/server/rolling/rolling-upgrade.full.test.ts",
  "test/sessions/continuity.full.test.ts",
  "test/sessions/kills.full.test.ts",
  "test/store/crash/sqlite.full.test.ts",
  "test/web/viewer.full.test.ts",
];

/** Vitest prints a seed only for its own random order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    process.stdout.write(`Files run in the order of --sequence.seed ${seed}\n`);
    // A glob finds files in any order: only the seed may decide.
    const known = files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
    const shuffled = drawFrom(known, known.length, createRandom(seed));
    return [...shuffled.filter(isLong), ...shuffled.filter((file) => !isLong(file))];
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  return LONGEST.some((path) => moduleId.endsWith(`/${path}`));
}
