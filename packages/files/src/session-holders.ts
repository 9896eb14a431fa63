/**
 * Notes of the processes that have a native session open: programs of Continuo, and agents whose hook reported it. A
 * note counts only while its process lives, so that a killed process has no session open. All notes are in one folder
 * next to the locks.
 */

import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolderDurably } from "./durable.ts";
import { namesIn, readJsonFile } from "./folders.ts";
import { continuoHome } from "./home.ts";
import type { Json } from "./json.ts";
import type { Places } from "./places.ts";
import { isRunning, placeOfThisProcess, processStartOf } from "./process-start.ts";

export interface NativeSessionKey {
  /** The name of the agent in references: `claude`, … */
  readonly agent: string;
  readonly sessionId: string;
  readonly places: Places;
}

export interface SessionHolder {
  readonly pid: number;
  /** `continuo`, or the name of the agent. */
  readonly program: string;
  /** When it opened the session, as ISO 8601; `null` if the note does not say. */
  readonly since: string | null;
}

/** Does not throw if the note cannot be written, because the lock works without it. */
export function noteHolder(session: NativeSessionKey, { pid, program, since }: SessionHolder): void {
  const start = processStartOf(pid);
  const note = { program, since, start, ...placeOfThisProcess() };
  try {
    makeFolderDurably(folderOf(session));
    writeFileSync(notePath(session, pid), JSON.stringify(note), { mode: 0o600 });
  } catch {
    // Others see the lock, but do not learn who has it.
  }
}

/** Never throws: the note no longer counts after its process ends. */
export function removeHolder(session: NativeSessionKey, pid: number): void {
  try {
    rmSync(notePath(session, pid), { force: true });
  } catch {
    // If the note cannot be removed, it stays.
  }
}

/** The holders that are alive; notes of processes that ended are removed. */
export function holdersOf(session: NativeSessionKey): readonly SessionHolder[] {
  const holders: SessionHolder[] = [];
  for (const name of namesIn(folderOf(session))) {
    const [, id, number] = /^([0-9a-f]{64})\.(\d+)$/u.exec(name) ?? [];
    if (id !== idOf(session)) continue;
    const pid = Number(number);
    const note = readJsonFile(notePath(session, pid));
    if (note !== null && isOfAnotherPlace(note)) continue;
    if (isAlive(pid, note)) {
      const { program, since } = note ?? {};
      holders.push({
        pid,
        program: typeof program === "string" ? program : "another program",
        since: typeof since === "string" ? since : null,
      });
    } else removeHolder(session, pid);
  }
  return holders;
}

/** If a note is still being written, only the process id in its name is known. */
function isAlive(pid: number, note: Json | null): boolean {
  if (!isRunning(pid)) return false;
  const start = processStartOf(pid);
  return start === null || note === null || typeof note.start !== "string" || note.start === start;
}

/**
 * Process ids have a meaning only on their own machine and in their own PID namespace. After a restart of the machine,
 * none of the noted processes is alive.
 */
function isOfAnotherPlace({ host, namespace }: Json): boolean {
  const here = placeOfThisProcess();
  return host !== here.host || namespace !== here.namespace;
}

function folderOf({ places }: NativeSessionKey): string {
  return join(continuoHome(places), "locks", "open");
}

function notePath(session: NativeSessionKey, pid: number): string {
  return join(folderOf(session), `${idOf(session)}.${pid}`);
}

function idOf({ agent, sessionId }: NativeSessionKey): string {
  return createHash("sha256").update(`${agent}:${sessionId}`).digest("hex");
}
