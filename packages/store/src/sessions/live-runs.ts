/**
 * Runs that this process started or executes, so that none of its runs counts as abandoned before its turn. Other
 * processes see from the event of a run which process started it.
 */

import type { Run, Store } from "@continuo/core/model";
import { isOwnedHere, isOwnerGone, ownerHere } from "@continuo/files";
import { LIMITS } from "./limits.ts";

/** The number of callers in this process that execute a run, or are about to. */
const attended = new Map<string, number>();

/** This process counts as executing the run until the returned function is called. */
export function trackRun(runId: string): () => void {
  attended.set(runId, (attended.get(runId) ?? 0) + 1);
  return () => {
    const count = (attended.get(runId) ?? 1) - 1;
    if (count > 0) attended.set(runId, count);
    else attended.delete(runId);
  };
}

/**
 * The newest runs that were started here, in two sets: a full set replaces the older one. In a single set, the search
 * for the oldest entry would pass all deleted entries.
 */
let [started, startedBefore] = [new Set<string>(), new Set<string>()];

export function rememberStart(runId: string): void {
  if (started.size >= LIMITS.rememberedStarts) [started, startedBefore] = [new Set(), started];
  started.add(runId);
}

function isStartedHere(runId: string): boolean {
  return started.has(runId) || startedBefore.has(runId);
}

/**
 * Returns true if this process started the run less than `leaseMs / 3` ago. Other processes do not take such a run
 * before `leaseMs` has passed, and their clocks may differ a little.
 */
export function isFreshHere(
  run: { readonly runId: string; readonly createdAt: string },
  leaseMs: number,
): boolean {
  return isStartedHere(run.runId) && Math.abs(Date.now() - Date.parse(run.createdAt)) < leaseMs / 3;
}

/** Returns true for a run that `claimNextRun` started, and whose owner did not call an agent yet. */
export function isClaimed({ status, metadata }: Pick<Run, "status" | "metadata">): boolean {
  return status === "running" && metadata.claimed === true;
}

/** The name for a process that cannot be distinguished from others. */
const SOME_PROCESS = "@process";

/** Returns the name of this process, as the event of a run records it. */
export function starterOf(): string {
  const own = ownerHere("");
  return own === "" ? SOME_PROCESS : own;
}

export interface PendingRun {
  readonly sessionId: string;
  readonly runId: string;
  readonly createdAt: string;
}

export interface Judgement {
  /** The store's clock, in milliseconds since 1970. */
  readonly now: number;
  readonly leaseMs: number;
}

/**
 * The process that started a run, by the name of `starterOf`; `undefined` for a run that was made without the session
 * manager.
 */
export async function readStarter(
  store: Store,
  { sessionId, runId }: Pick<Run, "sessionId" | "runId">,
): Promise<string | undefined> {
  const { events } = await store.read(sessionId, { runId, types: ["run_created"], limit: 1 });
  return events[0]?.actor.id;
}

/**
 * Returns true if nobody executes a pending run for which no caller waits: the process that started it has
 * ended, or is this one, which does not execute it. For any other process this is known only after `leaseMs`.
 */
export async function isLeftBehind(
  store: Store,
  run: PendingRun,
  { now, leaseMs }: Judgement,
): Promise<boolean> {
  const { runId, createdAt } = run;
  if (attended.has(runId)) return false;
  const starter = await readStarter(store, run);
  // If a run was made without the session manager, nothing shows that somebody is about to execute it.
  if (starter === undefined || isStartedHere(runId) || isOwnedHere(starter) || isOwnerGone(starter))
    return true;
  // The distance counts in both directions: if a clock was set back, the run would otherwise wait for that time again.
  return Math.abs(now - Date.parse(createdAt)) > leaseMs;
}
