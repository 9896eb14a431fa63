/**
 * The sandbox of a real agent under test: scratch folders, a fresh environment, only loopback as its network, a time
 * limit, and an end for every process that it started.
 */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { createInterface } from "node:readline";
import { killIfThere } from "../left-behind/processes.ts";

/** `run.ts` sets this to `loopback` if the whole test run has no other network interface. */
export const NETWORK_VARIABLE = "CONTINUO_TEST_NETWORK";

/** To an agent, the sandbox looks like a separate machine: `root` is the user's home. */
export interface Sandbox extends AsyncDisposable {
  readonly root: string;
  /** A git repository with a branch `main`, a folder below `root`. */
  readonly project: string;
  readonly tmp: string;
  /** The whole environment of an agent; `extra` is added. */
  environment(extra?: Readonly<Record<string, string>>): Record<string, string>;
  /** Makes another git repository below `root` and returns its path. */
  repository(name: string): Promise<string>;
  /** Writes a file below `root` and returns its path. */
  write(path: string, content: string | Uint8Array): Promise<string>;
}

export async function makeSandbox(): Promise<Sandbox> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "continuo-agents-")));
  const tmp = join(root, "tmp");
  await mkdir(tmp);
  const environment = (extra: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    ...inherited(),
    ...(process.env[NETWORK_VARIABLE] === "loopback" ? {} : DEAD_PROXIES),
    HOME: root,
    TMPDIR: tmp,
    LANG: "C.UTF-8",
    TZ: "UTC",
    SHELL: "/bin/sh",
    TERM: "dumb",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    ...extra,
  });
  const repository = async (name: string): Promise<string> => {
    const folder = join(root, name);
    const args = ["init", "--quiet", "--initial-branch=main", folder];
    const git = await runProgram("git", args, { cwd: root, env: environment() });
    if (git.code !== 0) throw new Error(`git init failed: ${git.stderr}`);
    return folder;
  };
  return {
    root,
    project: await repository("project"),
    tmp,
    environment,
    repository,
    async write(path, content) {
      const whole = join(root, path);
      await mkdir(dirname(whole), { recursive: true });
      await writeFile(whole, content);
      return whole;
    },
    async [Symbol.asyncDispose]() {
      await killStrays(root);
      // A killed program may still be writing for a moment, so the removal is tried again.
      await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** Agents put their programs into separate process groups; on Linux these programs are recognized by their home. */
async function killStrays(root: string): Promise<void> {
  const pids =
    process.platform === "linux" ? (await readdir("/proc")).filter((name) => /^\d+$/.test(name)) : [];
  for (const pid of pids) {
    // A process that ended, or belongs to another user, cannot be read.
    const variables = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (variables.split("\0").includes(`HOME=${root}`)) killIfThere(Number(pid));
  }
}

/** Without a network namespace, every proxy setting leads to a closed port. */
const DEAD_PROXIES: Readonly<Record<string, string>> = Object.fromEntries([
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [
    [name, "http://127.0.0.1:9"],
    [name.toLowerCase(), "http://127.0.0.1:9"],
  ]),
  ["NO_PROXY", "127.0.0.1,localhost"],
  ["no_proxy", "127.0.0.1,localhost"],
]);

/** The search path is all that an agent inherits: no credentials, no settings. */
function inherited(): Record<string, string> {
  return { PATH: process.env.PATH ?? "/usr/bin:/bin" };
}

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The standard input for `runProgram`; it is empty by default. */
  readonly stdin?: string;
  /** The default is 3 min, which is far more than any step needs, so that only a hanging agent reaches it. */
  readonly timeoutMs?: number;
}

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const DEFAULT_TIMEOUT_MS = 180_000;

/** Runs a program to its end. At the end or after the time limit, its whole process group is killed. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  const child = startGroup(command, args, options);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", () => undefined).end(options.stdin ?? "");
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    killGroup(child);
  }, timeoutMs);
  try {
    const code = await ended(child);
    if (late) {
      throw new Error(
        `${command} ${args.join(" ")} did not end within ${timeoutMs} ms\n${stdout}\n${stderr}`,
      );
    }
    return { code, stdout, stderr };
  } finally {
    clearTimeout(timer);
    killGroup(child);
  }
}

/** A program with which a test exchanges lines. */
export interface LineProgram extends AsyncDisposable {
  send(line: string): void;
  closeInput(): void;
  /** Kills the program and all programs that it started, like a crash. */
  kill(): void;
  /** Yields every line that the program prints on stdout, until it ends. */
  readonly lines: AsyncIterable<string>;
  /** Returns its output on stderr so far. */
  stderr(): string;
  /** Closes its stdin and waits for its end; kills it if it takes too long. */
  end(): Promise<number | null>;
}

const END_TIMEOUT_MS = 60_000;

/** The time limit applies to the whole life of the program; after it, the program's lines end. */
export function startProgram(command: string, args: readonly string[], options: ProgramOptions): LineProgram {
  const child = startGroup(command, args, options);
  const limit = setTimeout(() => killGroup(child), options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-20_000);
  });
  child.stdin.on("error", () => undefined);
  const end = ended(child);
  const closeInput = (): void => void child.stdin.end();
  const stop = async (): Promise<number | null> => {
    closeInput();
    const timer = setTimeout(() => killGroup(child), END_TIMEOUT_MS);
    try {
      return await end;
    } finally {
      clearTimeout(timer);
      clearTimeout(limit);
      killGroup(child);
    }
  };
  return {
    send: (line) => void child.stdin.write(`${line}\n`),
    closeInput,
    kill: () => killGroup(child),
    lines: createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }),
    stderr: () => stderr,
    end: stop,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

const running = new Set<ChildProcessWithoutNullStreams>();
process.on("exit", () => {
  for (const child of running) killGroup(child);
});

function startGroup(
  command: string,
  args: readonly string[],
  { cwd, env }: ProgramOptions,
): ChildProcessWithoutNullStreams {
  if (isAbsolute(command) && !existsSync(command)) {
    throw new Error(`${command} is missing: \`npm run test:agents\` installs the agents before it runs`);
  }
  // `PWD` must agree with the folder, because some agents trust it more than the folder itself.
  const child = spawn(command, args, { cwd, env: { ...env, PWD: cwd }, detached: true });
  running.add(child);
  return child;
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  try {
    return await new Promise((done, failed) => {
      child.once("error", failed).once("close", done);
    });
  } finally {
    running.delete(child);
  }
}

/** Kills what is left of a process group. */
function killGroup(child: ChildProcessWithoutNullStreams): void {
  if (child.pid !== undefined) killIfThere(-child.pid);
}
