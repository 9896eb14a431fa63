/**
 * Programs of agents that outlived the process that started them. Their guardian ends them within a moment. Until then,
 * and for ever if the guardian was killed too, such a program can write to a native session that another process
 * continues. Therefore such programs are ended before a conversation begins.
 *
 * The program of an agent, and every program that it starts, inherits a variable with a mark. The mark names the
 * process that started the agent. It is used only on Linux: on other systems a process cannot read the variables of
 * another process, so only the guardian ends these programs there.
 */

import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { setImmediate as otherWork, setTimeout as sleep } from "node:timers/promises";
import type { CallOptions } from "@continuo/core/model";
import { debugOf, isRunning, placeOfThisProcess, processStartOf } from "@continuo/files";
import { MARK_VARIABLE } from "./orphans.ts";

const debug = debugOf("drivers");

/**
 * The signals, and the longest wait after each. A program that got SIGKILL executes nothing more, even if it still
 * exists after the wait.
 */
const STEPS = [
  { signal: "SIGTERM", waitMs: 1_000 },
  { signal: "SIGKILL", waitMs: 2_000 },
] as const;
const POLL_MS = 20;
/** The greatest time for which the search blocks other work of this process. */
const SLICE_MS = 10;

/** A new mark, for one program that this process starts. */
export function createMark(): string {
  const { namespace } = placeOfThisProcess();
  return [randomUUID(), process.pid, processStartOf(process.pid) ?? "", namespace].join("/");
}

/**
 * Ends the programs of this user whose starter has died, and waits until they are gone. A mark from another PID
 * namespace, such as that of a container, says nothing here.
 */
export async function endLeftPrograms({ signal: stop }: CallOptions = {}): Promise<void> {
  let left = await leftPrograms();
  if (left.length > 0) debug("ends programs of dead processes", () => ({ pids: left.join(" ") }));
  for (const { signal, waitMs } of STEPS) {
    const startedAt = performance.now();
    for (const pid of left) tryToKill(pid, signal);
    while (left.length > 0 && performance.now() - startedAt < waitMs) {
      await sleep(POLL_MS, undefined, { signal: stop });
      left = left.filter(isRunning);
    }
    if (left.length > 0) left = await leftPrograms();
  }
}

/**
 * The calls are synchronous, because the agent starts only after this search. If the process still loads its code, the
 * result of each asynchronous call would wait until this loading pauses.
 */
async function leftPrograms(): Promise<readonly number[]> {
  if (process.platform !== "linux") return [];
  const left: number[] = [];
  let sliceAt = performance.now();
  for (const name of readdirSync("/proc")) {
    if (/^\d+$/u.test(name) && isLeft(name)) left.push(Number(name));
    if (performance.now() - sliceAt < SLICE_MS) continue;
    await otherWork();
    sliceAt = performance.now();
  }
  return left;
}

function isLeft(pid: string): boolean {
  try {
    if (statSync(`/proc/${pid}`).uid !== process.getuid?.()) return false;
    const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    const mark = variables.find((variable) => variable.startsWith(`${MARK_VARIABLE}=`));
    return mark !== undefined && isStarterDead(mark) && isRunning(Number(pid));
  } catch {
    // The process ended in the meantime, or this user is not allowed to read its files.
    return false;
  }
}

/** False for a mark that names no starter: such a mark belongs to a program that is not the program of an agent. */
function isStarterDead(mark: string): boolean {
  const [, number, start, namespace] = /\/(\d+)\/(\d+)\/(pid:\[\d+\])$/u.exec(mark) ?? [];
  if (namespace === undefined || namespace !== placeOfThisProcess().namespace) return false;
  const pid = Number(number);
  const now = processStartOf(pid);
  return !isRunning(pid) || (now !== null && now !== start);
}

function tryToKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended, or changed its user.
  }
}
