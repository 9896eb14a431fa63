/** Starts the process. Loaded together with the list of sessions, so it loads nothing else. */

import { closeSync, existsSync, futimesSync, openSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { storeUrlOf } from "@continuo/agents/catalog";
import { continuoHome, makeFolderDurably, type Places } from "@continuo/files";
import type { Shell } from "../terminal/index.ts";
import { INDEXING_LIMITS } from "./limits.ts";

/** The command that noticed that sessions may be missing in the index. */
export type IndexingReason = keyof typeof INDEXING_LIMITS.betweenMs;

/** Returns true if a process was started; never throws. */
export async function startIndexing(reason: IndexingReason, shell: Shell): Promise<boolean> {
  if (shell.startDetached === undefined || isInCi(shell)) return false;
  if (!claimTurn(markOf(shell), INDEXING_LIMITS.betweenMs[reason])) return false;
  const { CONTINUO_STORE: store, ...env } = shell.env;
  await shell.startDetached({
    args: ["index", "update", "--background"],
    env: {
      ...env,
      CONTINUO_HOME: resolve(shell.cwd, continuoHome(shell)),
      ...(store ? { CONTINUO_STORE: storeUrlOf(shell) } : {}),
    },
    heapMegabytes: INDEXING_LIMITS.heapMegabytes,
  });
  return true;
}

/**
 * Calls `startIndexing` after a list of many sessions, or if the guard was switched on, because the process also runs
 * the guard.
 */
export async function startIndexingOf(sessions: number, shell: Shell): Promise<void> {
  if (sessions > INDEXING_LIMITS.fewSessions || existsSync(join(continuoHome(shell), "guard")))
    await startIndexing("list", shell);
}

/** A file whose time says when a process was last started. It disappears when somebody deletes Continuo's home. */
export function markOf(places: Places): string {
  return join(continuoHome(places), "index.started");
}

function isInCi({ env }: Shell): boolean {
  return env.CI !== undefined && env.CI !== "" && env.CI !== "false";
}

/** Two commands at the same time may both start a process: the lock of the process then decides. */
function claimTurn(mark: string, betweenMs: number): boolean {
  try {
    const now = Date.now();
    const before = statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
    if (before !== undefined && Math.abs(now - before) < betweenMs) return false;
    makeFolderDurably(dirname(mark));
    const file = openSync(mark, "a", 0o600);
    futimesSync(file, now / 1000, now / 1000);
    closeSync(file);
    return true;
  } catch {
    // Nothing can be indexed if nothing can be written.
    return false;
  }
}
