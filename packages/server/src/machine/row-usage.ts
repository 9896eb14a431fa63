/**
 * Models, turns, tokens and costs of rows: from the index, or computed one session at a time for rows that a page
 * shows.
 */

import { setTimeout as sleep } from "node:timers/promises";
import {
  costOf,
  type ListedSession,
  locateRow,
  openUsage,
  type Prices,
  tokensOf,
  type UsageBucket,
  type UsageIndex,
} from "@continuo/agents/catalog";
import { isContinuoError, type Usage } from "@continuo/core/model";
import type { MachineSession } from "@continuo/core/wire/machine";
import { placesOf } from "@continuo/files";
import { MACHINE_LIMITS } from "./limits.ts";
import type { MachineOptions } from "./options.ts";
import type { Rows } from "./rows.ts";

export type RowUsage = Pick<MachineSession, "model" | "turns" | "tokens" | "costUsd">;

export interface RowUsages {
  /** The known usage of a row in its present form. */
  of(row: ListedSession): RowUsage;
  /** Computes the missing usage of these rows after the answer. */
  want(rows: readonly ListedSession[]): void;
  close(): void;
}

/** The rows of a page with their known usage; the missing usage follows as a change of the list. */
export function withUsage(
  sessions: readonly MachineSession[],
  { byKey }: Rows,
  usages: RowUsages,
): readonly MachineSession[] {
  const rows = sessions.flatMap(({ key }) => byKey.get(key)?.row ?? []);
  usages.want(rows);
  return sessions.map((shown) => {
    const row = byKey.get(shown.key)?.row;
    return row === undefined ? shown : { ...shown, ...usages.of(row) };
  });
}

const NOTHING: RowUsage = { model: null, turns: null, tokens: null, costUsd: null };

export function createRowUsages(options: MachineOptions): RowUsages {
  const known = new Map<string, { readonly stamp: string; readonly usage: RowUsage }>();
  const wanted = new Map<string, ListedSession>();
  const ended = new AbortController();
  let isWorking = false;
  const isKnown = (row: ListedSession): boolean => known.get(nameOf(row))?.stamp === stampOf(row);
  const work = async (): Promise<void> => {
    const index = openUsage(placesOf(options.places));
    const prices = await options.prices();
    for (const [name, row] of wanted) {
      if (ended.signal.aborted) return;
      wanted.delete(name);
      const began = performance.now();
      known.set(name, { stamp: stampOf(row), usage: await usageOfRow(row, { index, prices, options }) });
      if (known.size > MACHINE_LIMITS.knownUsages) known.delete(known.keys().next().value ?? "");
      // A caller that reads a session goes first.
      await sleep(performance.now() - began, undefined, { ref: false });
    }
    await index.save();
  };
  return {
    of: (row) => (isKnown(row) ? (known.get(nameOf(row))?.usage ?? NOTHING) : NOTHING),
    want(rows) {
      for (const row of rows) if (!isKnown(row) && isReadable(row)) wanted.set(nameOf(row), row);
      if (isWorking || wanted.size === 0) return;
      isWorking = true;
      const end = (): void => {
        isWorking = false;
      };
      // Usage that could not be computed stays unknown.
      work().then(end, end);
    },
    close: () => ended.abort(),
  };
}

function nameOf({ agent, location }: ListedSession): string {
  return `${agent} ${location}`;
}

function stampOf({ updatedAt, sizeBytes }: ListedSession): string {
  return `${updatedAt} ${sizeBytes}`;
}

/** Continuo's own sessions count their native sessions; a very long session is computed when it is opened. */
function isReadable({ sizeBytes }: ListedSession): boolean {
  return sizeBytes !== null && sizeBytes <= MACHINE_LIMITS.usageBytes;
}

interface UsageSources {
  readonly index: UsageIndex;
  readonly prices: Prices;
  readonly options: MachineOptions;
}

async function usageOfRow(row: ListedSession, { index, prices, options }: UsageSources): Promise<RowUsage> {
  try {
    const hit = await locateRow(row, options.places);
    return hit.kind === "own" ? NOTHING : toRowUsage(await index.of(hit.native.found), prices);
  } catch (error) {
    if (isContinuoError(error)) return NOTHING;
    throw error;
  }
}

function toRowUsage(buckets: readonly UsageBucket[], prices: Prices): RowUsage {
  const newest = [...buckets].sort((a, b) => ((a.hour ?? "") < (b.hour ?? "") ? -1 : 1));
  const sum = (of: (usage: Usage) => number): number =>
    buckets.reduce((total, { usage }) => total + of(usage), 0);
  return {
    model: newest.findLast(({ model }) => model !== null)?.model ?? null,
    turns: buckets.reduce((total, { turns }) => total + turns, 0),
    tokens: sum(tokensOf),
    costUsd: costOf(buckets, prices).usd,
  };
}
