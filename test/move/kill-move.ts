/**
 * A move in which a program is killed at a random moment: the command on this machine, or the one that ssh started on
 * the other.
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { filesBelow } from "@continuo/files";
import {
  changeTree,
  ended,
  type Machines,
  type MovedAgent,
  makeMachines,
  REMOTE,
  shownIn,
} from "./machines.ts";

export interface KilledMove {
  readonly agent: MovedAgent;
  /** The time of the kill, in milliseconds after the start of the program. */
  readonly afterMs: number;
  readonly victim: "here" | "there";
}

interface Row {
  readonly sessionId: string;
  readonly cwd: string;
  readonly movedTo: { readonly sessionId: string } | null;
}

/** The state of both machines after the kill. */
export interface AfterKill {
  /** True if the command ended before the kill. */
  readonly isKilled: boolean;
  readonly isMarked: boolean;
  readonly there: number;
}

const ARGS = ["move", "last", "--remote-command", REMOTE, "--to", "ssh://laptop/~/timer"];

/** Throws if the session is on neither machine, incomplete, or there twice. */
export async function killMove(root: string, { agent, afterMs, victim }: KilledMove): Promise<AfterKill> {
  const machines = makeMachines(root, { agent });
  const { here, there } = machines;
  changeTree(here);
  const tree = shownIn(here);
  const session = sessionFiles(machines);
  const command = machines.start(ARGS);
  let isOver = false;
  const over = ended(command).finally(() => {
    isOver = true;
  });
  const pidFile = join(root, "far.pid");
  while (victim === "there" && !isOver && !existsSync(pidFile)) await sleep(LOOK_MS);
  await sleep(afterMs);
  const isKilled = victim === "here" ? command.kill("SIGKILL") : killThere(machines);
  await over;
  const left = await lookAt(machines);
  assertSame("the work tree here", shownIn(here), tree);
  assertSame("the session here", sessionFiles(machines), session);
  const isMarked = left.here[0]?.movedTo !== null;
  if (left.here.length !== 1) throw new Error(`${left.here.length} sessions are here`);
  if (isMarked && left.there.length === 0) throw new Error("the session is marked as moved, and is nowhere");
  if (isMarked) assertSame("the work tree there", shownIn(there), tree);
  await moveAgain(machines);
  const after = await lookAt(machines);
  assertSame("the work tree there", shownIn(there), tree);
  if (after.there.length !== 1) throw new Error(`${after.there.length} sessions are there`);
  if (after.here[0]?.movedTo?.sessionId !== after.there[0]?.sessionId)
    throw new Error("the mark names another session");
  return { isKilled, isMarked, there: left.there.length };
}

/** The milliseconds that the commands on this and on the other machine take without a kill. */
export async function lengthsOfMove(
  root: string,
  agent: MovedAgent,
): Promise<Readonly<Record<KilledMove["victim"], number>>> {
  const machines = makeMachines(root, { agent });
  changeTree(machines.here);
  const startedAt = performance.now();
  const { code, stderr } = await machines.on("here", ARGS);
  if (code !== 0) throw new Error(`the move failed: ${stderr}`);
  const here = performance.now() - startedAt;
  const waitedFor = statSync(join(root, "far.pid")).mtimeMs - (performance.timeOrigin + startedAt);
  return { here, there: here - waitedFor };
}

function killThere({ root }: Machines): boolean {
  try {
    return process.kill(Number(readFileSync(join(root, "far.pid"), "utf8")), "SIGKILL");
  } catch {
    // The file does not exist yet, or no longer exists.
    return false;
  }
}

/** Git continues for a moment after the program that started it was killed. */
async function moveAgain(machines: Machines): Promise<void> {
  let said = "";
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { code, stderr } = await machines.on("here", ARGS);
    if (code === 0) return;
    said = stderr;
    await sleep(RETRY_MS);
  }
  throw new Error(`the move does not continue: ${said}`);
}

const LOOK_MS = 5;
const ATTEMPTS = 3;
const RETRY_MS = 300;

async function lookAt(
  machines: Machines,
): Promise<{ readonly here: readonly Row[]; readonly there: readonly Row[] }> {
  const rows = async (machine: "here" | "there"): Promise<readonly Row[]> => {
    const all = JSON.parse((await machines.on(machine, ["list", "--json"])).stdout) as readonly Row[];
    return all.filter(({ cwd }) => cwd === machines[machine].folder);
  };
  const [here, there] = await Promise.all([rows("here"), rows("there")]);
  return { here, there };
}

function sessionFiles({ root }: Machines): readonly string[] {
  const folders = [".claude", ".codex", ".gemini", ".pi"].map((name) => join(root, "here", name));
  return folders.flatMap(filesBelow).map((path) => `${path}\n${readFileSync(path, "utf8")}`);
}

function assertSame(what: string, got: readonly string[], wanted: readonly string[]): void {
  if (JSON.stringify(got) !== JSON.stringify(wanted))
    throw new Error(`${what} changed: ${JSON.stringify(got)}`);
}
