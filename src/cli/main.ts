/** The entry: the only file that accesses the process itself, and that converts errors to text and an exit code. */

import { createRequire, enableCompileCache } from "node:module";
import { setPriority } from "node:os";
import { isatty } from "node:tty";
import { setFlagsFromString } from "node:v8";
import { besideBundle, continuoHome, homeOfThisUser, readVersion } from "@continuo/files";
import { compileCacheFolder } from "./compile-cache.ts";
import { optimizeLate } from "./late-optimizing.ts";
import { answerCommands, answeredElsewhere } from "./running/index.ts";
import type { DetachedCommand, Shell } from "./terminal/index.ts";

/** Agents call these commands at each prompt, and at each end of a session. */
const HOOKS = ["guard hook", "guard run --quiet"];

/** The priority of `nice -n 19`. */
const LOWEST_PRIORITY = 19;

process.on("uncaughtException", reportCrash);
await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<void> {
  // The most frequent question of scripts is answered before anything is loaded.
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    process.stdout.write(`${readVersion()}\n`);
    return;
  }
  const isHook = HOOKS.includes(argv.join(" "));
  const shell = shellOfThisProcess(isHook);
  // A hook examines only one session, so its heap stays small anyway.
  if (!isHook) keepHeapSmall(argv);
  if (!isHook && argv[0] !== "serve") optimizeLate();
  const answered = await answeredElsewhere(argv, shell, import.meta.filename);
  process.exitCode = answered ?? (await run(argv, shell, keepCompiled));
}

/** Returns the exit code. */
async function run(
  argv: readonly string[],
  shell: Shell,
  prepare: (shell: Shell) => void = () => undefined,
): Promise<number> {
  try {
    prepare(shell);
    const hook = await runHookOf(argv.join(" "), shell);
    if (hook !== null) return hook;
    const { runProgram } = await import("./program.ts");
    return await runProgram(argv, shell);
  } catch (error) {
    const { reportFailure } = await import("./failure.ts");
    return reportFailure(error, argv, shell);
  }
}

/**
 * Runs a command that agents call at each prompt or at the end of a session, without loading the parser or other
 * commands. Returns `null` for any other command.
 */
async function runHookOf(line: string, shell: Shell): Promise<number | null> {
  if (!line.startsWith("guard ")) return null;
  const { hooks }: typeof import("./agent-hooks.ts") = createRequire(import.meta.url)(
    besideBundle(import.meta.filename, "agent-hooks"),
  );
  return (await hooks[line]?.(shell)) ?? null;
}

/** Node would print the source line of the error above its trace, and a file of the bundle has only one line. */
function reportCrash(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}

function keepCompiled(shell: Shell): void {
  const compiled = compileCacheFolder(continuoHome(shell));
  if (compiled !== null) enableCompileCache(compiled);
}

/**
 * Objects of a command are released soon, or live as long as a session or a connection. V8 lets the young generation
 * grow to 200 MB for large sessions and many connections, and copies the survivors through it; reading is not slower
 * with a small young generation.
 *
 * The old generation may grow to four times the live objects before V8 collects, which is most of the memory that a
 * large session takes. Here it grows only by half, which costs at most a third more work. A server, which never
 * finishes its work, uses V8's defaults.
 *
 * V8 rejects compiled modules of Node that were compiled with other flags, so the modules that every command needs are
 * loaded before.
 */
function keepHeapSmall([command]: readonly string[]): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  if (command !== "serve") setFlagsFromString("--heap-growing-percent=50");
}

function shellOfThisProcess(isHook: boolean): Shell {
  // Lets unfinished work clean up: restore a terminal, remove a file.
  const ends = { SIGINT: () => process.exit(130), SIGTERM: () => process.exit(143) };
  process.on("SIGINT", ends.SIGINT);
  process.on("SIGTERM", ends.SIGTERM);
  process.on("SIGHUP", () => process.exit(129));
  const hold = (signal: keyof typeof ends, call: () => void): Disposable => {
    process.on(signal, call);
    process.removeListener(signal, ends[signal]);
    return {
      [Symbol.dispose]() {
        process.on(signal, ends[signal]);
        process.removeListener(signal, call);
      },
    };
  };
  const output = outputOfThisProcess();
  const shell: Shell = {
    // It is opened at the first read: a command that only writes never opens it.
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return output().stdout;
    },
    get stderr() {
      return output().stderr;
    },
    env: process.env,
    home: homeOfThisUser(),
    cwd: process.cwd(),
    now: new Date(),
    onExit(cleanUp) {
      process.on("exit", cleanUp);
      return { [Symbol.dispose]: () => process.removeListener("exit", cleanUp) };
    },
    holdInterrupts: (onInterrupt) => hold("SIGINT", () => onInterrupt?.()),
    startDetached,
    holdTermination: (onTermination) => hold("SIGTERM", onTermination),
    answerCommands: () => answerCommands({ run, shell }, import.meta.filename),
  };
  if (isHook) return shell;
  const isDrawn = shell.stdout.isTTY === true || shell.stderr.isTTY === true;
  if (!isDrawn || process.env.TERM === "dumb" || !isatty(0)) return shell;
  const chooseSessions: Shell["chooseSessions"] = async (wish) =>
    await (await import("./pick/index.ts")).chooseWork(wish, shell);
  return Object.defineProperty(shell, "chooseSessions", { value: chooseSessions });
}

/** Opens the output when something is written, because most hooks print nothing. */
function outputOfThisProcess(): () => Pick<typeof process, "stdout" | "stderr"> {
  let isWatched = false;
  return () => {
    if (isWatched) return process;
    isWatched = true;
    // A reader that closes the pipe (`| head`) has seen enough: this is not an error.
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      // The disk is full, or the terminal is gone.
      process.stderr.write(`continuo: cannot write to standard output: ${error.message}\n`);
      process.exit(1);
    });
    // Nobody reads the message.
    process.stderr.on("error", () => undefined);
    return process;
  };
}

async function startDetached({ args, env, heapMegabytes }: DetachedCommand): Promise<void> {
  const { spawn } = await import("node:child_process");
  const flags = [`--max-old-space-size=${heapMegabytes}`, ...process.execArgv];
  const child = spawn(process.execPath, [...flags, process.argv[1] ?? "", ...args], {
    env: { ...env },
    cwd: "/",
    stdio: "ignore",
    detached: true,
  });
  // Nobody waits for it, so a failed start is not reported.
  child.on("error", () => undefined);
  child.unref();
  // The priority is set immediately: threads that start later inherit it, and threads that already exist do not.
  if (child.pid !== undefined) setPriority(child.pid, LOWEST_PRIORITY);
}
