/**
 * Models, turns, tokens, costs and facts of rows. They come from the index, or are computed one session at a time for
 * the rows that a page shows.
 */

import { setImmediate as others, setTimeout as sleep } from "node:timers/promises";
import {
  costOf,
  forkOriginOf,
  type IndexedRow,
  type ListedSession,
  locateRow,
  nativeKey,
  openCatalogSession,
  openRowIndex,
  type Prices,
  type RowIndex,
  readIndexedRows,
  rowKnowledgeOf,
  tokensOf,
  withSource,
} from "@continuo/agents/catalog";
import { isFailure, present, type Usage } from "@continuo/core/model";
import type { ListFigures, MachineSession, SessionHead } from "@continuo/core/wire/machine";
import { placesOf } from "@continuo/files";
import type { KnownFacts } from "./known-facts.ts";
import { MACHINE_LIMITS } from "./limits.ts";
import type { MachineOptions } from "./options.ts";
import type { Rows } from "./rows.ts";

export interface RowUsage extends Pick<MachineSession, "model" | "turns" | "tokens" | "costUsd" | "facts"> {
  /** Only if it is known. */
  readonly forkedFrom?: string;
}

export interface RowUsages {
  /** The known usage of a row in its present form. */
  of(row: ListedSession): RowUsage;
  /** The usage that was known at this time of `performance.now()`. */
  at(row: ListedSession, time: number): RowUsage;
  /** Returns the usage of a row. The session is read if its usage is not known, unless it is too long. */
  read(row: ListedSession): Promise<RowUsage>;
  /** Starts to find the missing usage of these rows, and does not wait for it. */
  want(rows: readonly ListedSession[], figures: ListFigures): void;
  close(): void;
}

/** The rows of a page with their known usage; missing usage follows as a change of the list. */
export function withUsage(
  sessions: readonly MachineSession[],
  { byKey }: Rows,
  { usages, figures }: { readonly usages: RowUsages; readonly figures: ListFigures },
): readonly MachineSession[] {
  const rows = sessions.flatMap(({ key }) => byKey.get(key)?.row ?? []);
  usages.want(rows, figures);
  return sessions.map((shown) => {
    const row = byKey.get(shown.key)?.row;
    return row === undefined ? shown : withKnown(shown, usages.of(row));
  });
}

/** Returns the same object for the same row and usage, because readers keep what they compute from a row. */
function withKnown(shown: MachineSession, usage: RowUsage): MachineSession {
  if (usage === NOTHING) return shown;
  const made = MADE.get(shown);
  if (made?.usage === usage) return made.row;
  const row = { ...shown, ...usage };
  MADE.set(shown, { usage, row });
  return row;
}

const MADE = new WeakMap<MachineSession, { readonly usage: RowUsage; readonly row: MachineSession }>();

const NOTHING: RowUsage = { model: null, turns: null, tokens: null, costUsd: null, facts: null };

interface KnownUsage {
  readonly stamp: string;
  readonly usage: RowUsage;
  readonly since: number;
  /** False if only the index was asked and it does not have everything about the session. */
  readonly isWhole: boolean;
}

type NoteUsage = (row: ListedSession, usage: RowUsage, options?: { readonly isWhole: boolean }) => void;

export function createRowUsages(options: MachineOptions, knownFacts: KnownFacts): RowUsages {
  const known = new Map<string, KnownUsage>();
  const wanted = new Map<string, ListedSession>();
  /** Rows whose sessions are not read: only the index is asked about them. */
  const looked = new Map<string, ListedSession>();
  const ended = new AbortController();
  const entryOf = (row: ListedSession): KnownUsage | null => {
    const { name, stamp } = keysOf(row);
    const one = known.get(name);
    return one?.stamp === stamp ? one : null;
  };
  const isKnown = (row: ListedSession): boolean => entryOf(row)?.isWhole === true;
  const isLookedUp = (row: ListedSession): boolean => {
    const one = entryOf(row);
    return one !== null && (one.isWhole || performance.now() - one.since < MACHINE_LIMITS.lookAgainMs);
  };
  const at: RowUsages["at"] = (row, time) => {
    const one = entryOf(row);
    return one !== null && one.since <= time ? one.usage : NOTHING;
  };
  const note: NoteUsage = (row, usage, { isWhole } = { isWhole: true }) => {
    const { name, stamp } = keysOf(row);
    if (isWhole) wanted.delete(name);
    known.set(name, { stamp, usage, since: performance.now(), isWhole });
    if (known.size > MACHINE_LIMITS.knownUsages) known.delete(known.keys().next().value ?? "");
  };
  const look = oneAtATime(async () => {
    const index = openRowIndex(placesOf(options.places));
    const prices = await options.prices();
    while (looked.size > 0 && !ended.signal.aborted) {
      for await (const [row, one] of indexedOf([...looked.values()], index, ended.signal)) {
        const { name } = keysOf(row);
        if (looked.get(name) === row) looked.delete(name);
        const usage = one === null ? NOTHING : toRowUsage(row, one, prices);
        if (!isKnown(row)) note(row, usage, { isWhole: one?.facts !== undefined });
      }
    }
  });
  const work = oneAtATime(async () => {
    const index = openRowIndex(placesOf(options.places));
    const prices = await options.prices();
    let saved = performance.now();
    while (wanted.size > 0) {
      // Rows that are in the index need no read.
      for await (const [row, one] of indexedOf([...wanted.values()], index, ended.signal))
        if (one?.facts !== undefined) note(row, toRowUsage(row, one, prices));
      // Rows that were requested in the meantime may be in the index.
      for (const row of [...wanted.values()]) {
        if (ended.signal.aborted) return await index.save();
        const began = performance.now();
        const usage = isReadable(row)
          ? await usageOfRow(row, { index, prices, options })
          : usageOfHead((await knownFacts.of(row)).head);
        note(row, usage);
        if (began - saved > MACHINE_LIMITS.saveMs) {
          await index.save();
          saved = performance.now();
        }
        // Pauses for as long as the last read took, so that a caller that reads a session has priority.
        await sleep(performance.now() - began, undefined, { ref: false });
      }
    }
    await index.save();
  });
  return {
    of: (row) => at(row, Number.POSITIVE_INFINITY),
    at,
    async read(row) {
      if (isKnown(row) || !isReadable(row)) return at(row, Number.POSITIVE_INFINITY);
      const index = openRowIndex(placesOf(options.places));
      const usage = await usageOfRow(row, { index, prices: await options.prices(), options });
      note(row, usage);
      await index.save();
      return usage;
    },
    want(rows, figures) {
      for (const row of rows) {
        if (figures === "indexed" && !isLookedUp(row)) looked.set(keysOf(row).name, row);
        if (figures === "read" && !isKnown(row)) wanted.set(keysOf(row).name, row);
      }
      if (looked.size > 0) look();
      if (wanted.size > 0) work();
    },
    close: () => ended.abort(),
  };
}

/** Starts the work, or lets the work that runs begin again when it ends. Figures that could not be found stay unknown. */
export function oneAtATime(work: () => Promise<void>): () => void {
  let isWorking = false;
  let isAsked = false;
  const start = async (): Promise<void> => {
    isWorking = true;
    while (isAsked) {
      isAsked = false;
      await work().catch(() => undefined);
    }
    isWorking = false;
  };
  return () => {
    isAsked = true;
    if (!isWorking) void start();
  };
}

interface RowKeys {
  readonly name: string;
  readonly stamp: string;
}

/**
 * The keys of rows are kept, because the list keeps its rows between two requests, and an editor asks for the usage of
 * all of them each time.
 */
const KEYS = new WeakMap<ListedSession, RowKeys>();

function keysOf(row: ListedSession): RowKeys {
  const known = KEYS.get(row);
  if (known !== undefined) return known;
  const { agent, location, updatedAt, sizeBytes } = row;
  const made = { name: `${agent} ${location}`, stamp: `${updatedAt} ${sizeBytes}` };
  KEYS.set(row, made);
  return made;
}

/** A very long session is not read only for its row. */
function isReadable({ sizeBytes }: ListedSession): boolean {
  return (sizeBytes ?? 0) <= MACHINE_LIMITS.usageBytes;
}

/** Takes the usage from the last read of the session for a page. */
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

/**
 * The rows with what the index has of them, until the signal aborts. The index is asked by the files that the rows name:
 * a search for the other files of a session looks into every folder of its agent.
 */
async function* indexedOf(
  rows: readonly ListedSession[],
  index: RowIndex,
  signal: AbortSignal,
): AsyncGenerator<readonly [ListedSession, IndexedRow | null], void, void> {
  for (let from = 0; from < rows.length && !signal.aborted; from += MACHINE_LIMITS.lookedUsages) {
    const some = rows.slice(from, from + MACHINE_LIMITS.lookedUsages);
    const indexed = await readIndexedRows(some, index);
    for (const [at, row] of some.entries()) yield [row, indexed[at] ?? null];
    await others();
  }
}

async function usageOfRow(row: ListedSession, { index, prices, options }: UsageSources): Promise<RowUsage> {
  try {
    const hit = await locateRow(row, options.places);
    if (hit.kind === "native") return toRowUsage(row, await index.read(hit.native.found), prices);
    using session = await openCatalogSession(hit, options.places);
    return toRowUsage(row, await rowKnowledgeOf(session), prices);
  } catch (error) {
    if (isFailure(error)) return NOTHING;
    throw error;
  }
}

function toRowUsage(row: ListedSession, indexed: IndexedRow, prices: Prices): RowUsage {
  const { buckets, facts = null } = indexed;
  const source = forkOriginOf(withSource(row, indexed));
  const newest = [...buckets].sort((a, b) => ((a.hour ?? "") < (b.hour ?? "") ? -1 : 1));
  const sum = (of: (usage: Usage) => number): number =>
    buckets.reduce((total, { usage }) => total + of(usage), 0);
  return {
    model: newest.findLast(({ model }) => model !== null)?.model ?? null,
    turns: buckets.reduce((total, { turns }) => total + turns, 0),
    tokens: sum(tokensOf),
    costUsd: costOf(buckets, prices).usd,
    facts,
    ...present({ forkedFrom: source === null ? undefined : nativeKey(source) }),
  };
}
