/**
 * The programs of this machine that have a file open, or work in a folder, as the system reports them. The programs
 * themselves are not asked.
 */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename } from "node:path";
import { platform, pid as thisProcess } from "node:process";
import { processStartOf } from "./process-start.ts";

export interface RunningProgram {
  readonly pid: number;
  /** Milliseconds since 1970; `null` if the system does not say. */
  readonly startedMs: number | null;
}

/** Programs that have one of the files open for writing, except this process; `null` if the system does not say. */
export function writersOf(paths: readonly string[]): readonly RunningProgram[] | null {
  if (platform === "linux") return writersOnLinux(new Set(paths.map(realPath)));
  return platform === "darwin" ? writersByLsof(paths) : null;
}

/** Other programs with this name that work in the folder; `null` if the system does not say. */
export function programsIn(folder: string, name: string): readonly RunningProgram[] | null {
  if (platform !== "linux") return null;
  const real = realPath(folder);
  const isNamed = (pid: number): boolean => namesOf(pid).includes(name);
  return otherProcesses()
    .filter((pid) => linkOf(`/proc/${pid}/cwd`) === real && isNamed(pid))
    .map(toProgram);
}

/**
 * The script of an interpreter is looked for only among this number of words of a command line; flags can come before
 * it.
 */
const MAX_WORDS = 12;

/** The parent of this process, or one of its further ancestors. */
export interface ParentProcess extends RunningProgram {
  /** The names of the program and, for an interpreter, of the script that it runs, without their folders. */
  readonly names: readonly string[];
  readonly cwd: string;
  /** Files that it has open for writing. */
  readonly writing: readonly string[];
}

const MAX_ANCESTORS = 64;

/** The given process and its ancestors, the nearest first; `null` if the system does not say. */
export function ancestorsOf(pid: number): readonly ParentProcess[] | null {
  if (platform !== "linux") return null;
  const ancestors: ParentProcess[] = [];
  for (let at = pid; at > 1 && ancestors.length < MAX_ANCESTORS; at = parentOf(at)) {
    ancestors.push({
      ...toProgram(at),
      names: namesOf(at),
      cwd: linkOf(`/proc/${at}/cwd`),
      writing: filesWrittenBy(at),
    });
  }
  return ancestors;
}

function parentOf(pid: number): number {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name in brackets may hold spaces and brackets.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}

/** The name of the program, and for an interpreter that of its script: no other argument names a program. */
function namesOf(pid: number): string[] {
  const [program = "", ...words] = textOf(`/proc/${pid}/cmdline`).split("\0").slice(0, MAX_WORDS);
  const names = [nameOf(program)];
  if (!INTERPRETERS.test(nameOf(program))) return names;
  const run = words.find((word, at) => !word.startsWith("-") && !FLAGS_WITH_WORD.test(words[at - 1] ?? ""));
  return run === undefined ? names : [...names, nameOf(run)];
}

const INTERPRETERS = /^(?:node|bun|deno)\d*$/u;
const FLAGS_WITH_WORD =
  /^(?:-r|--require|--import|--loader|--experimental-loader|-C|--conditions|--env-file)$/u;

function nameOf(word: string): string {
  return basename(word).replace(/\.[cm]?js$/u, "");
}

function filesWrittenBy(pid: number): string[] {
  return namesIn(`/proc/${pid}/fd`)
    .filter((fd) => isForWriting(textOf(`/proc/${pid}/fdinfo/${fd}`)))
    .map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
    .filter((path) => path.startsWith("/"));
}

function writersOnLinux(paths: ReadonlySet<string>): readonly RunningProgram[] {
  const isWriting = (pid: number): boolean =>
    namesIn(`/proc/${pid}/fd`).some(
      (fd) => paths.has(linkOf(`/proc/${pid}/fd/${fd}`)) && isForWriting(textOf(`/proc/${pid}/fdinfo/${fd}`)),
    );
  return otherProcesses().filter(isWriting).map(toProgram);
}

/** The flags are octal digits. If their last two bits are 0, the file is open only for reading. */
function isForWriting(info: string): boolean {
  const flags = Number.parseInt(/^flags:\s*([0-7]+)/mu.exec(info)?.[1] ?? "0", 8);
  return (flags & 3) !== 0;
}

const LSOF_LIMIT_MS = 10_000;

function writersByLsof(paths: readonly string[]): readonly RunningProgram[] | null {
  const { stdout, error } = spawnSync("lsof", ["-nP", "-F", "pa", "--", ...paths], {
    encoding: "utf8",
    timeout: LSOF_LIMIT_MS,
  });
  if (error !== undefined) return null;
  const pids = new Set<number>();
  let pid = 0;
  for (const line of stdout.split("\n")) {
    if (line.startsWith("p")) pid = Number(line.slice(1));
    if (/^a[uw]/u.test(line) && pid !== thisProcess) pids.add(pid);
  }
  return [...pids].map((one) => ({ pid: one, startedMs: null }));
}

function otherProcesses(): number[] {
  return namesIn("/proc").flatMap((name) =>
    /^\d+$/u.test(name) && Number(name) !== thisProcess ? [Number(name)] : [],
  );
}

/** Clock ticks of user programs are hundredths of a second on every Linux. */
const TICKS_PER_SECOND = 100;

function toProgram(pid: number): RunningProgram {
  const ticks = processStartOf(pid);
  const bootSeconds = /^btime (\d+)$/mu.exec(textOf("/proc/stat"))?.[1];
  if (ticks === null || bootSeconds === undefined) return { pid, startedMs: null };
  return { pid, startedMs: (Number(bootSeconds) + Number(ticks) / TICKS_PER_SECOND) * 1000 };
}

/** Empty if the folder cannot be read: the process has ended, or belongs to another user. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
