/** The processes that run on this machine. Linux only: other systems have no /proc. */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";

function textOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    // The process has ended.
    return "";
  }
}

/** The fields of `/proc/PID/stat` from the state on: state, parent, group, session, … */
function fieldsOf(pid: number): readonly string[] {
  const stat = textOf(pid, "stat");
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function all(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map(Number);
}

/** Kills a process, or a process group if the number is negative. It is not an error if it has already ended. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** A zombie, for which no process waits, does not count as running. */
export function isRunning(pid: number): boolean {
  const [state = "Z"] = fieldsOf(pid);
  return state !== "Z" && state !== "X";
}

export function parentOf(pid: number): number {
  return Number(fieldsOf(pid)[1]);
}

/** Returns the child processes, including zombies. */
export function childrenOf(pid: number): readonly number[] {
  return all().filter((one) => parentOf(one) === pid);
}

/** Returns the number of the session, which is that of its first process. */
export function sessionOf(pid: number): number {
  return Number(fieldsOf(pid)[3]);
}

/** Returns the numbers of the signals that the process ignores. */
export function ignoredBy(pid: number): readonly number[] {
  const mask = BigInt(`0x${/^SigIgn:\s*([0-9a-f]+)$/mu.exec(textOf(pid, "status"))?.[1] ?? "0"}`);
  return Array.from({ length: 31 }, (_, at) => at + 1).filter((signal) => (mask >> BigInt(signal - 1)) & 1n);
}

/** Returns the guardians of the program. */
export function guardiansOf(pid: number): readonly number[] {
  return all().filter((one) => textOf(one, "cmdline").includes(`\0continuo-guardian\0${pid}\0`));
}

/** Returns the ends of pipes and sockets that the process holds open. */
export function endsOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder)
    .map((fd) => targetOf(`${folder}/${fd}`))
    .filter((file) => /^(?:socket|pipe):/u.test(file));
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    // The file was closed in between: a process that lists its own files opens one for the list.
    return "";
  }
}
