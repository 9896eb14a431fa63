/** All sessions as rows with their keys, made again on request after a while. */

import { type ListedSession, type ListQuery, listCatalog } from "@continuo/agents/catalog";
import { keysOf, toMachineSession } from "@continuo/agents/pages";
import { type MachineSession, trashKey } from "@continuo/core/wire/machine";
import { type PlacesAt, placesOf } from "@continuo/files";
import { listTrashedSessions } from "@continuo/native/editing";
import { MACHINE_LIMITS } from "./limits.ts";

export interface KeyedRow {
  readonly row: ListedSession;
  readonly shown: MachineSession;
}

export interface Rows {
  /** Newest first. */
  readonly byKey: ReadonlyMap<string, KeyedRow>;
  /** Newest deletion first. */
  readonly trashed: readonly MachineSession[];
  readonly notices: readonly string[];
}

export interface RowSource {
  /** The rows, at most a moment old. */
  rows(): Promise<Rows>;
  /** The last rows of any age, so that a reader of the next page does not wait for a new list. */
  same(): Promise<Rows>;
  /** All rows if they were made before, otherwise the newest ones. */
  soon(): Promise<{ readonly rows: Rows; readonly isWhole: boolean }>;
  /** Forgets the rows after a change. */
  forget(): void;
}

/** @param onForget called when the rows are forgotten */
export function createRowSource(places: PlacesAt, onForget?: () => void): RowSource {
  const whole = createKept(() => readRows(places), keptForMs);
  // A page that gets these rows requests all rows next, so the others are not read now, which would delay this answer.
  const newest = createKept(
    () => readRows(places, { limit: MACHINE_LIMITS.firstSessions, newestBy: "file times" }),
    () => MACHINE_LIMITS.newestMs,
  );
  return {
    rows: whole.get,
    same: whole.getOld,
    async soon() {
      const isWhole = whole.isMade();
      return { rows: await (isWhole ? whole : newest).get(), isWhole };
    },
    forget() {
      whole.forget();
      newest.forget();
      onForget?.();
    },
  };
}

/**
 * Returns the time for which a list that took this long is kept. The duration of the first list does not predict the
 * next, because the first list reads what no index has yet.
 */
export function keptForMs(tookMs: number, isFirst: boolean): number {
  const { listMs, mostFirstListMs, mostListMs } = MACHINE_LIMITS;
  return Math.min(Math.max(listMs, 10 * tookMs), isFirst ? mostFirstListMs : mostListMs);
}

interface CachedValue<T> {
  get(): Promise<T>;
  /** The last value, regardless of its age. */
  getOld(): Promise<T>;
  /** Returns true if the value was ever made. */
  isMade(): boolean;
  forget(): void;
}

/** A value that is made on request and kept for a while; a failure is not kept. */
export function createKept<T>(
  make: () => Promise<T>,
  keptMs: (tookMs: number, isFirst: boolean) => number,
): CachedValue<T> {
  let kept: { readonly value: Promise<T>; until: number } | null = null;
  let old: T | null = null;
  let isMade = false;
  const renew = (): Promise<T> => {
    const began = performance.now();
    const entry = { value: make(), until: Number.POSITIVE_INFINITY };
    const end = (value: T): void => {
      if (kept === entry) old = value;
      const now = performance.now();
      entry.until = now + keptMs(now - began, !isMade);
      isMade = true;
    };
    entry.value.then(end, () => {
      if (kept === entry) kept = null;
    });
    kept = entry;
    return entry.value;
  };
  return {
    get: async () => await (kept === null || performance.now() > kept.until ? renew() : kept.value),
    getOld: async () => await (old ?? kept?.value ?? renew()),
    isMade: () => isMade,
    forget: () => {
      kept = null;
      old = null;
    },
  };
}

async function readRows(places: PlacesAt, part: Pick<ListQuery, "limit" | "newestBy"> = {}): Promise<Rows> {
  const wanted: ListQuery = { archived: "include", empty: "exclude", ...part };
  const { sessions, error } = await listCatalog(wanted, { places });
  const byKey = new Map<string, KeyedRow>();
  for (const [key, row] of keysOf(sessions)) byKey.set(key, { row, shown: toMachineSession(key, row) });
  const trashed = listTrashedSessions({ places: placesOf(places) }).map(toTrashedRow);
  return {
    byKey,
    trashed: trashed.map(({ trashId, ...row }) => ({ ...toMachineSession(trashKey(trashId), row), trashId })),
    notices: error === null ? [] : [`Continuo's own sessions are missing: ${error.message}`],
  };
}

type TrashedListing = ReturnType<typeof listTrashedSessions>[number];

function toTrashedRow({ info, trashId }: TrashedListing): ListedSession & { readonly trashId: string } {
  return { ...info, trashId, gitBranch: null, createdAt: null, archived: false, live: null, problems: [] };
}
