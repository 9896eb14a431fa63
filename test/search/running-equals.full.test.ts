/** A running process answers like a new process, whatever happens to the files between two commands. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@continuo/agents";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { answerCommands, answeredElsewhere } from "../../src/cli/running/index.ts";
import type { Shell } from "../../src/cli/terminal/index.ts";
import { runProgramHere, shellHere } from "../cli/in-process.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { rounds } from "../sizes/counts.ts";
import { copyEveryCase } from "./every-case.ts";
import { editFile, fileEdit, setTimes } from "./file-edits.ts";

let scratch: string;
beforeEach(() => {
  scratch = scratchFolder("run");
  // The clock is long after every write, so that all results are stored.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const COMMANDS: readonly (readonly string[])[] = [
  ["list"],
  ["list", "--json", "--all"],
  ["list", "--json", "--limit", "3", "--archived"],
  ["list", "codex", "--empty"],
  ["search", "--json", "--all", "file"],
  ["search", "--json", "please", "read"],
];

interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Run = (argv: readonly string[], shell: Shell) => Promise<number | null>;

/** Returns the output. On a busy machine a process does not answer in time, and the command is repeated. */
async function printed(argv: readonly string[], places: Places, run: Run, tries = 50): Promise<Printed> {
  const { shell, stdout, stderr } = shellHere({ path: places.home });
  const { TZ, LANG } = process.env;
  const words = { ...(TZ === undefined ? {} : { TZ }), ...(LANG === undefined ? {} : { LANG }) };
  const { TZ: _tz, LANG: _lang, ...others } = shell.env;
  const code = await run(argv, { ...shell, env: { ...others, ...words, ...places.env } });
  if (code === null && tries > 0) return await printed(argv, places, run, tries - 1);
  if (code === null) throw new Error(`${argv.join(" ")} was not answered`);
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Returns the output without the count of indexed sessions. */
function withoutIndex({ stdout, ...others }: Printed): object {
  const isJson = stdout.startsWith("{");
  return isJson ? { ...others, found: { ...JSON.parse(stdout), notIndexed: 0 } } : { ...others, stdout };
}

test("a running process prints what a process without an index prints, whatever is done to the files", async () => {
  const steps = fc.array(fc.record({ edit: fileEdit, command: fc.constantFrom(...COMMANDS) }), {
    minLength: 3,
    maxLength: 10,
    size: "max",
  });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      rmSync(scratch, { recursive: true });
      const places = copyEveryCase(scratch, 2);
      setTimes(scratch);
      const knowing = { ...places, env: { ...places.env, CONTINUO_HOME: join(scratch, "continuo-h") } };
      mkdirSync(knowing.env.CONTINUO_HOME, { mode: 0o700 });
      const { shell } = shellHere({ path: places.home });
      const offered = { run: runProgramHere, shell: { ...shell, env: knowing.env } };
      await using _running = await answerCommands(offered, import.meta.filename);
      const ask: Run = (argv, asking) => answeredElsewhere(argv, asking, import.meta.filename);
      for (const { edit, command } of all) {
        editFile(edit, { scratch, places: knowing });
        const naive = { ...places, env: { ...places.env, CONTINUO_HOME: join(scratch, "continuo-n") } };
        rmSync(naive.env.CONTINUO_HOME, { recursive: true, force: true });
        const alone = await printed(command, naive, runProgramHere);
        expect(withoutIndex(await printed(command, knowing, ask))).toEqual(withoutIndex(alone));
      }
    }),
    { numRuns: rounds(20) },
  );
}, 600_000);
