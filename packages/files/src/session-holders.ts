/**
 * Notes of the processes that have a native session open: programs of Continuo, and agents whose hook told it. A note counts
 * as long as its process lives, so that one that was killed holds nothing. It lies next to the lock of the session.
 */

import { createHash } from "node:crypto";
import { rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeScratchFolder } from "./durable.ts";
import { namesIn, readJsonFile } from "./folders.ts";
import { continuoHome } from "./home.ts";
import type { Json } from "./json.ts";
import type { Places } from "./places.ts";
import { isRunning, placeOfThisProcess, processStateOf } from "./process-start.ts";

export interface HeldNative {
  /** Its key in references: `claude`, … */
  readonly agent: string;
  readonly sessionId: string;
  readonly places: Places;
}

export interface SessionHolder {
  readonly pid: number;
  /** `continuo`, or the agent. */
  readonly program: string;
  /** When it opened the session, as ISO 8601; `null` where the note does not tell. */
  readonly since: string | null;
}

/** A note that cannot be written is no reason to fail: the lock holds without it. */
export function noteHolder(session: HeldNative, { pid, program, since }: SessionHolder): void {
  const start = processStateOf(pid)?.start ?? null;
  const note = { program, since, start, ...placeOfThisProcess() };
  try {
    makeScratchFolder(folderOf(session));
    writeFileSync(join(folderOf(session), String(pid)), JSON.stringify(note), { mode: 0o600 });
  } catch {
    // Others see the lock, and do not learn who has it.
  }
}

/** Never throws: the note counts no longer when its process ends. */
export function removeHolder(session: HeldNative, pid: number): void {
  try {
    rmSync(join(folderOf(session), String(pid)), { force: true });
    rmdirSync(folderOf(session));
  } catch {
    // Another process has a note in the folder, or it is gone already.
  }
}

/** Those that live; notes of processes that ended are removed. */
export function holdersOf(session: HeldNative): readonly SessionHolder[] {
  const holders: SessionHolder[] = [];
  for (const name of namesIn(folderOf(session))) {
    if (!/^\d+$/u.test(name)) continue;
    const pid = Number(name);
    const note = readJsonFile(join(folderOf(session), name));
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

/** A note that is being written says nothing yet but the number of its process. */
function isAlive(pid: number, note: Json | null): boolean {
  const state = processStateOf(pid);
  if (state === null) return isRunning(pid);
  if (state.state === "Z" || state.state === "X") return false;
  return note === null || typeof note.start !== "string" || note.start === state.start;
}

/** Numbers of processes have another meaning there. After another start of the machine, none of them lives. */
function isOfAnotherPlace({ host, namespace }: Json): boolean {
  const here = placeOfThisProcess();
  return host !== here.host || namespace !== here.namespace;
}

function folderOf({ agent, sessionId, places }: HeldNative): string {
  const name = createHash("sha256").update(`${agent}:${sessionId}`).digest("hex");
  return join(continuoHome(places), "locks", `${name}.open`);
}
