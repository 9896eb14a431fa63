/** Changes of the list, for pages that follow it. */

import { setTimeout as sleep } from "node:timers/promises";
import type { MachineSession, SessionsChanged } from "@continuo/core/wire/machine";
import { MACHINE_LIMITS } from "./limits.ts";
import type { RowUsages } from "./row-usage.ts";
import type { RowSource, Rows } from "./rows.ts";

/** Compares the list with its earlier state at intervals. */
export async function* changesOf(
  source: RowSource,
  usages: RowUsages,
  signal: AbortSignal,
): AsyncGenerator<SessionsChanged, void, void> {
  // A page that follows the list received its rows earlier: facts that were found since then are new to it.
  const sentAt = performance.now() - MACHINE_LIMITS.sentBeforeMs;
  let before = textsOf((await source.rows()).byKey, (row) => usages.at(row, sentAt));
  while (!signal.aborted) {
    await sleep(MACHINE_LIMITS.followMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const { byKey } = await source.rows();
    const now = textsOf(byKey, usages.of);
    const sessions: MachineSession[] = [];
    for (const [key, text] of now) if (before.get(key) !== text) sessions.push(JSON.parse(text));
    const gone = [...before.keys()].filter((key) => !now.has(key));
    before = now;
    if (sessions.length + gone.length > 0) yield { sessions, gone };
  }
}

function textsOf(rows: Rows["byKey"], usageOf: RowUsages["of"]): ReadonlyMap<string, string> {
  return new Map(
    [...rows].map(([key, { row, shown }]) => [key, JSON.stringify({ ...shown, ...usageOf(row) })]),
  );
}
