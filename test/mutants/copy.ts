/** A copy of the package in which mistakes are planted, and its tests. */

import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "../house/imports.ts";
import { linkExtensionModules, linkModules } from "../sizes/linked-modules.ts";

export interface Baseline {
  /** Test files that fail without a planted mistake. */
  readonly failing: ReadonlySet<string>;
  /** Durations in milliseconds, by test file. */
  readonly durations: ReadonlyMap<string, number>;
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

/**
 * Folders that are not copied, at any depth. The installation of the extension has five times the bytes of everything
 * that is copied.
 */
const NOT_COPIED = new Set([".git", "node_modules", "dist", "dist.new", ".soak", "coverage"]);
/** A mistake that makes a test hang counts as found when the test takes this much longer than without it. */
const PATIENCE = { factor: 5, extraMs: 60_000 };

/**
 * Makes a copy in a folder. A copy of another copy in the same file system has links as its files: they are replaced,
 * and never written in place.
 * @param from the package, or a copy of it
 */
export function copyPackage(folder: string, from: string = ROOT): void {
  copyFolder(from, folder, from === ROOT ? copyFileSync : linkSync);
  linkModules(folder);
  if (existsSync(join(ROOT, "extension/node_modules"))) linkExtensionModules(folder);
  if (existsSync(join(ROOT, "dist"))) symlinkSync(join(ROOT, "dist"), join(folder, "dist"));
  mkdirSync(join(folder, "home"), { recursive: true });
}

function copyFolder(from: string, to: string, copyFile: (from: string, to: string) => void): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (NOT_COPIED.has(entry.name)) continue;
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.isFile()) copyFile(source, target);
    else if (entry.isDirectory()) {
      mkdirSync(target);
      copyFolder(source, target, copyFile);
    }
  }
}

/** Writes a file of a copy. Other copies keep theirs, even if both were links to the same file. */
export function replaceFile(path: string, text: string): void {
  const { mode } = statSync(path);
  rmSync(path);
  writeFileSync(path, text, { mode });
}

/** Restores the file of the source. */
export function restore(folder: string, path: string): void {
  replaceFile(join(folder, path), readFileSync(join(ROOT, path), "utf8"));
}

export async function baselineOf(folder: string, tests: readonly string[]): Promise<Baseline> {
  const file = join(folder, "home/baseline.json");
  await runTests(folder, tests, ["--reporter=json", `--outputFile=${file}`]);
  const { testResults }: VitestReport = JSON.parse(readFileSync(file, "utf8"));
  const named = testResults.map((result) => ({ ...result, path: relative(folder, result.name) }));
  return {
    failing: new Set(named.filter(({ status }) => status !== "passed").map(({ path }) => path)),
    durations: new Map(named.map(({ path, startTime, endTime }) => [path, endTime - startTime])),
  };
}

/**
 * Returns true if one of the tests fails or hangs, and `undefined` if the tests did not end before `endsAtMs`.
 * @param endsAtMs in milliseconds since 1970
 */
export async function isFoundBy(
  folder: string,
  tests: readonly string[],
  durations: ReadonlyMap<string, number>,
  endsAtMs: number = Number.POSITIVE_INFINITY,
): Promise<boolean | undefined> {
  const expectedMs = tests.reduce((sum, test) => sum + (durations.get(test) ?? 0), 0);
  const patienceMs = PATIENCE.factor * expectedMs + PATIENCE.extraMs;
  const timeoutMs = Math.min(patienceMs, Math.max(0, endsAtMs - Date.now()));
  const code = await runTests(
    folder,
    tests,
    ["--bail=1", "--reporter=dot", "--testTimeout=30000", "--maxWorkers=1"],
    timeoutMs,
  );
  // A signal may also have ended the tests before that time: then they crashed.
  return code === null && Date.now() >= endsAtMs ? undefined : code !== 0;
}

export function isRefusedByCompiler(folder: string): boolean {
  const compiler = join(folder, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [compiler, "--noEmit", "-p", "tsconfig.build.json"], {
    cwd: folder,
    stdio: "ignore",
  });
  return status !== 0;
}

/** Resolves with the exit code, or `null` if the time was over or another signal ended the tests. */
function runTests(
  folder: string,
  tests: readonly string[],
  flags: readonly string[],
  timeoutMs?: number,
): Promise<number | null> {
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  // The tests get a separate process group, because a mistake may leave child processes behind.
  const child = spawn(process.execPath, [vitest, "run", "--project", "quick", ...flags, ...tests], {
    cwd: folder,
    detached: true,
    stdio: "ignore",
    env: { ...process.env, HOME: join(folder, "home") },
  });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
  process.once("exit", end);
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (code) => {
      clearTimeout(timer);
      process.off("exit", end);
      end();
      resolve(code);
    });
  });
}
