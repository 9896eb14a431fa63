/** Lists all sessions as rows with their keys. The list is made again on request after a while. */

import { type ListedSession, type ListQuery, listCatalog, type TrashedOwn } from "@continuo/agents/catalog";
import { keysOf, toMachineSession } from "@continuo/agents/pages";
import { type MachineSession, trashKey } from "@continuo/core/wire/machine";
import { type PlacesAt, placesOf } from "@continuo/files";
import { listTrashedSessions } from "@continuo/native/editing";
import { byNewestDeletion } from "@continuo/native/editing/trash";
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
  /**
   * The last rows, for an answer that does not wait for a new list. If they are due, the list is made again a moment
   * later; if they are too old, this function waits for the new list.
   */
  known(): Promise<KnownRows>;
  /** All rows if they were made before, otherwise the newest ones. */
  soon(): Promise<{ readonly rows: Rows; readonly isWhole: boolean }>;
  /** Forgets the rows after a change. */
  forget(): void;
}

export interface KnownRows {
  readonly rows: Rows;
  /** True if a session that began lately may be missing. */
  readonly isDue: boolean;
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
    async known() {
      const { value, isDue } = await whole.getKnown();
      return { rows: value, isDue };
    },
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
  /** The last value, unless it was due long ago. A value that is due is made again after a pause. */
  getKnown(): Promise<{ readonly value: T; readonly isDue: boolean }>;
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
  let old: { readonly value: T; readonly due: number } | null = null;
  let willRenew = false;
  let isMade = false;
  const renew = (): Promise<T> => {
    const began = performance.now();
    const entry = { value: make(), until: Number.POSITIVE_INFINITY };
    const end = (value: T): void => {
      const now = performance.now();
      entry.until = now + keptMs(now - began, !isMade);
      if (kept === entry) old = { value, due: entry.until };
      isMade = true;
    };
    entry.value.then(end, () => {
      if (kept === entry) kept = null;
    });
    kept = entry;
    return entry.value;
  };
  const get = async (): Promise<T> =>
    await (kept === null || performance.now() > kept.until ? renew() : kept.value);
  /** Waits a moment, so that an answer that is being sent does not share the processor with the new value. */
  const renewSoon = (): void => {
    if (willRenew) return;
    willRenew = true;
    setTimeout(() => {
      willRenew = false;
      get().catch(() => undefined);
    }, MACHINE_LIMITS.renewPauseMs).unref();
  };
  return {
    get,
    getOld: async () => await (old?.value ?? kept?.value ?? renew()),
    async getKnown() {
      const now = performance.now();
      if (old === null || now > old.due + MACHINE_LIMITS.mostListMs)
        return { value: await get(), isDue: false };
      const isDue = now > old.due;
      if (isDue) renewSoon();
      return { value: old.value, isDue };
    },
    isMade: () => isMade,
    forget: () => {
      kept = null;
      old = null;
    },
  };
}

async function readRows(places: PlacesAt, part: Pick<ListQuery, "limit" | "newestBy"> = {}): Promise<Rows> {
  const wanted: ListQuery = { archived: "include", empty: "exclude", ...part };
  const { sessions, trashedOwn, error } = await listCatalog(wanted, { places });
  const byKey = new Map<string, KeyedRow>();
  for (const [key, row] of keysOf(sessions)) byKey.set(key, { row, shown: toMachineSession(key, row) });
  const natives = listTrashedSessions({ places: placesOf(places) });
  const trashed = [...natives, ...trashedOwn].sort(byNewestDeletion).map(toTrashedRow);
  return {
    byKey,
    trashed: trashed.map(({ trashId, ...row }) => ({ ...toMachineSession(trashKey(trashId), row), trashId })),
    notices: error === null ? [] : [`Continuo's own sessions are missing: ${error.message}`],
  };
}

type TrashedListing = ReturnType<typeof listTrashedSessions>[number] | TrashedOwn;

function toTrashedRow({ info, trashId }: TrashedListing): ListedSession & { readonly trashId: string } {
  return { ...info, trashId, gitBranch: null, createdAt: null, archived: false, live: null, problems: [] };
}
