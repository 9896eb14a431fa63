/**
 * Three sizes of tests, told apart by their names. `npx vitest run FILE` runs a file of any size.
 *
 * | size | files | command | needs |
 * |---|---|---|---|
 * | quick | `*.test.ts` | `npm test` | what `npm ci` installs |
 * | full | `*.full.test.ts` | `npm run test:full` | the programs of `test/sizes/programs.ts` |
 * | soak | `*.soak.test.ts` | `npm run test:soak` | time |
 *
 * The real agents (`test/agents/`) have a configuration of their own and belong to the full size.
 */

import { join } from "node:path";
import { configDefaults, defineConfig, type ViteUserConfig } from "vitest/config";
import { BalancedParts } from "./test/sizes/balanced-parts.ts";
import { bundledThreads } from "./test/sizes/bundled-threads.ts";
import { programSources } from "./test/sizes/program-sources.ts";

const FOLDERS = ["src/**", "packages/*/src/**", "test/**", "web/**", "extension/**"];
const never = [...configDefaults.exclude, "test/agents/**", "dist/**"];

function filesNamed(ending: string): string[] {
  return FOLDERS.map((folder) => `${folder}/*.${ending}.ts`);
}

const SEEDED = join(import.meta.dirname, "test/sizes/seeded-fast-check.ts");

const seededFastCheck = {
  name: "seeded-fast-check",
  enforce: "pre",
  resolveId: (source: string, importer: string | undefined) =>
    source === "fast-check" && importer !== SEEDED ? SEEDED : null,
} as const;

const plugins = [seededFastCheck, programSources(), bundledThreads];

const config: ViteUserConfig = defineConfig({
  resolve: { dedupe: ["vitest"] },
  test: {
    // Many tests wait for programs that they started, and the machine may be slow. The limits are so long that only a
    // test that hangs reaches them.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Tests wait for half of their time for programs that they started: with two workers, a core would often be idle.
    maxWorkers: 4,
    // Node begins with a small heap. The garbage collector would then run all the time, and take a sixth of the
    // processor time of the tests.
    execArgv: ["--max-semi-space-size=64", "--initial-old-space-size=512"],
    // No file may depend on another one that ran before it. The seed is printed: `--sequence.seed N` repeats an order.
    sequence: { sequencer: BalancedParts },
    globalSetup: ["test/sizes/services.ts"],
    // This package has a vitest of its own, and its cases must be registered with the vitest that runs here.
    server: { deps: { inline: ["@durable-streams/server-conformance-tests"] } },
    // Nobody reads what a test logs while it passes.
    silent: "passed-only",
    projects: [
      {
        extends: true,
        plugins,
        test: {
          name: "quick",
          // A worker keeps its modules from file to file: loading them for each took a third of the time.
          isolate: false,
          // These tests wait for half of their time.
          maxWorkers: 6,
          setupFiles: ["test/sizes/own-classes.ts"],
          include: filesNamed("test"),
          exclude: [...never, ...filesNamed("full.test"), ...filesNamed("soak.test")],
        },
      },
      {
        extends: true,
        plugins,
        test: {
          name: "full",
          include: filesNamed("full.test"),
          exclude: never,
          // These tests wait for programs, leases and time limits for three quarters of their time.
          maxWorkers: 5,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "soak",
          include: filesNamed("soak.test"),
          exclude: never,
          testTimeout: 24 * 60 * 60_000,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});

export default config;
