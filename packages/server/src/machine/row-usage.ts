/**
 * Models, turns, tokens, costs and facts of rows: from the index, or computed one session at a time for rows that a page
 * shows.
 */

import { setTimeout as sleep } from "node:timers/promises";
import {
  costOf,
  isOwn,
  type ListedSession,
  locateRow,
  openCatalogSession,
  openRowIndex,
  type Prices,
  type RowIndex,
  type RowKnowledge,
  rowKnowledgeOf,
  tokensOf,
} from "@continuo/agents/catalog";
import { isFailure, type Usage } from "@continuo/core/model";
import type { MachineSession, SessionHead } from "@continuo/core/wire/machine";
import { placesOf } from "@continuo/files";
import type { FoundSession } from "@continuo/native/kit";
import type { KnownFacts } from "./known-facts.ts";
import { MACHINE_LIMITS } from "./limits.ts";
import type { MachineOptions } from "./options.ts";
import type { Rows } from "./rows.ts";

export type RowUsage = Pick<MachineSession, "model" | "turns" | "tokens" | "costUsd" | "facts">;

export interface RowUsages {
  /** The known usage of a row in its present form. */
  of(row: ListedSession): RowUsage;
  /** The usage that was known at this time of `performance.now()`. */
  at(row: ListedSession, time: number): RowUsage;
  /** The usage of a row, which is read if it is not known; a row that is too long to be read has no figures. */
  read(row: ListedSession): Promise<RowUsage>;
  /** Computes the missing usage of these rows after the answer. */
  want(rows: readonly ListedSession[]): void;
  close(): void;
}

/** The rows of a page with their known usage; missing usage follows as a change of the list. */
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

const NOTHING: RowUsage = { model: null, turns: null, tokens: null, costUsd: null, facts: null };

export function createRowUsages(options: MachineOptions, knownFacts: KnownFacts): RowUsages {
  const known = new Map<
    string,
    { readonly stamp: string; readonly usage: RowUsage; readonly since: number }
  >();
  const wanted = new Map<string, ListedSession>();
  const ended = new AbortController();
  let isWorking = false;
  const isKnown = (row: ListedSession): boolean => known.get(nameOf(row))?.stamp === stampOf(row);
  const at: RowUsages["at"] = (row, time) => {
    const one = known.get(nameOf(row));
    return one?.stamp === stampOf(row) && one.since <= time ? one.usage : NOTHING;
  };
  const note = (name: string, row: ListedSession, usage: RowUsage): void => {
    wanted.delete(name);
    known.set(name, { stamp: stampOf(row), usage, since: performance.now() });
    if (known.size > MACHINE_LIMITS.knownUsages) known.delete(known.keys().next().value ?? "");
  };
  const work = async (): Promise<void> => {
    const index = openRowIndex(placesOf(options.places));
    const prices = await options.prices();
    let saved = performance.now();
    while (wanted.size > 0) {
      await noteKnown(wanted, { index, prices, options, note, signal: ended.signal });
      // Rows that were requested in the meantime may be in the index.
      for (const [name, row] of [...wanted]) {
        if (ended.signal.aborted) return await index.save();
        const began = performance.now();
        const usage = isReadable(row)
          ? await usageOfRow(row, { index, prices, options })
          : usageOfHead((await knownFacts.of(row)).head);
        note(name, row, usage);
        if (began - saved > MACHINE_LIMITS.saveMs) {
          await index.save();
          saved = performance.now();
        }
        // A caller that reads a session has priority.
        await sleep(performance.now() - began, undefined, { ref: false });
      }
    }
    await index.save();
  };
  return {
    of: (row) => at(row, Number.POSITIVE_INFINITY),
    at,
    async read(row) {
      if (isKnown(row) || !isReadable(row)) return at(row, Number.POSITIVE_INFINITY);
      const index = openRowIndex(placesOf(options.places));
      const usage = await usageOfRow(row, { index, prices: await options.prices(), options });
      note(nameOf(row), row, usage);
      await index.save();
      return usage;
    },
    want(rows) {
      for (const row of rows) if (!isKnown(row)) wanted.set(nameOf(row), row);
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

/** A very long session is not read only for its row. */
function isReadable({ sizeBytes }: ListedSession): boolean {
  return (sizeBytes ?? 0) <= MACHINE_LIMITS.usageBytes;
}

/** The last read for a page already computed it. */
function usageOfHead(head: SessionHead | null): RowUsage {
  if (head === null) return NOTHING;
  const { model, turns, tokens, costUsd, facts } = head.session;
  return { model, turns, tokens, costUsd, facts };
}

interface UsageSources {
  readonly index: RowIndex;
  readonly prices: Prices;
  readonly options: MachineOptions;
}

interface KnownSources extends UsageSources {
  readonly note: (name: string, row: ListedSession, usage: RowUsage) => void;
  readonly signal: AbortSignal;
}

/** Rows that are in the index are available without a read. */
async function noteKnown(
  wanted: ReadonlyMap<string, ListedSession>,
  { index, prices, options, note, signal }: KnownSources,
): Promise<void> {
  const found: (readonly [string, ListedSession, FoundSession])[] = [];
  for (const [name, row] of wanted) {
    if (signal.aborted) return;
    const hit = isOwn(row) ? null : await locateRow(row, options.places).catch(notFound);
    if (hit?.kind === "native") found.push([name, row, hit.native.found]);
  }
  await index.expect(found.map(([, , session]) => session));
  for (const [name, row, session] of found) {
    const known = await index.known(session);
    if (known !== null) note(name, row, toRowUsage(known, prices));
  }
}

function notFound(error: unknown): null {
  if (isFailure(error)) return null;
  throw error;
}

async function usageOfRow(row: ListedSession, { index, prices, options }: UsageSources): Promise<RowUsage> {
  try {
    const hit = await locateRow(row, options.places);
    if (hit.kind === "native") return toRowUsage(await index.read(hit.native.found), prices);
    using session = await openCatalogSession(hit, options.places);
    return toRowUsage(await rowKnowledgeOf(session), prices);
  } catch (error) {
    if (isFailure(error)) return NOTHING;
    throw error;
  }
}

function toRowUsage({ buckets, facts }: RowKnowledge, prices: Prices): RowUsage {
  const newest = [...buckets].sort((a, b) => ((a.hour ?? "") < (b.hour ?? "") ? -1 : 1));
  const sum = (of: (usage: Usage) => number): number =>
    buckets.reduce((total, { usage }) => total + of(usage), 0);
  return {
    model: newest.findLast(({ model }) => model !== null)?.model ?? null,
    turns: buckets.reduce((total, { turns }) => total + turns, 0),
    tokens: sum(tokensOf),
    costUsd: costOf(buckets, prices).usd,
    facts,
  };
}
