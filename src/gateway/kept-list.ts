/**
 * One list of all sessions that is kept between two requests. If only the files of a few sessions have changed, their
 * rows are renewed. The list is read again when any other of its sources has changed, and some time after an answer,
 * because not every change has a stamp.
 */

import { type CatalogList, type ListedSession, type listCatalog, renewRows } from "@continuo/agents/catalog";
import type { PlacesAt } from "@continuo/files";
import { GATEWAY_LIMITS } from "./limits.ts";
import { changedPaths, type ListStamps, pathsOfList, readListStamps } from "./list-stamps.ts";

export interface KeptList {
  /**
   * The list if it was read before, with a few renewed rows; `null` if it must be read as a whole. Never waits until a
   * whole list is read.
   */
  atHand(): Promise<CatalogList | null>;
  /** The list as it is now. Errors: those of `listCatalog`. */
  whole(): Promise<CatalogList>;
  /** Reads the list after a pause, for the next request. */
  readSoon(): void;
  /** Resolves when no list is read any more. */
  end(): Promise<void>;
}

interface ReadList {
  readonly list: CatalogList;
  /** The time at which all sessions were read. */
  readonly wholeMs: number;
  /** The time at which the reading of the stamps and the rows began. */
  readonly beganMs: number;
  /** `null` if nothing shows whether the list has changed. */
  readonly from: { readonly paths: readonly string[]; readonly stamps: ListStamps } | null;
}

/**
 * @param list reads the sessions
 * @param renew reads some of its rows again
 */
export function createKeptList(
  places: PlacesAt,
  list: typeof listCatalog,
  renew: typeof renewRows = renewRows,
): KeptList {
  const stop = new AbortController();
  let kept: ReadList | null = null;
  let reading: Promise<ReadList> | null = null;
  let timer: NodeJS.Timeout | null = null;
  const read = async (): Promise<ReadList> => {
    const beganMs = Date.now();
    // Empty sessions are read too, because their first message changes nothing but their file.
    const wanted = { empty: "include", archived: "include", signal: stop.signal } as const;
    const whole = await list(wanted, { places });
    const paths = pathsOfList(whole.sessions, places);
    const from = paths === null ? null : { paths, stamps: await readListStamps(paths, places) };
    return { list: whole, wholeMs: beganMs, beganMs, from };
  };
  const forgetTimer = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  const readOnce = async (): Promise<CatalogList> => {
    forgetTimer();
    reading ??= read()
      .then((done) => (kept = done))
      .finally(() => {
        reading = null;
      });
    return (await reading).list;
  };
  const readSoon = (): void => {
    if (timer !== null || reading !== null || stop.signal.aborted) return;
    timer = setTimeout(() => {
      timer = null;
      // A request that needs the list reads it again, and gets the error.
      readOnce().catch(() => undefined);
    }, GATEWAY_LIMITS.readPauseMs).unref();
  };
  /** `null` if more than a few rows have changed. */
  const renewed = async (
    known: ReadList,
    { paths, stamps: before }: NonNullable<ReadList["from"]>,
  ): Promise<ReadList | null> => {
    const beganMs = Date.now();
    // A file that changes after this has another stamp the next time.
    const stamps = await readListStamps(paths, places);
    const changed = changedPaths(paths, [before, stamps], known.beganMs);
    if (changed?.length === 0) return known;
    const rows = changed === null ? null : rowsOfPaths(known.list, changed);
    const list = rows === null ? null : await renew(known.list, rows, places);
    return list === null ? null : { ...known, list, beganMs, from: { paths, stamps } };
  };
  const atHand = async (): Promise<CatalogList | null> => {
    const known = kept;
    if (known?.from == null) return null;
    const current = await renewed(known, known.from);
    // A list that was read in the meantime is newer.
    if (current !== null && kept === known) kept = current;
    if (current === null) return null;
    if (Date.now() - current.wholeMs > GATEWAY_LIMITS.listMs) readSoon();
    return current.list;
  };
  return {
    atHand,
    async whole() {
      const before = reading;
      const list = await atHand();
      if (list !== null) return list;
      if (before === null) return await readOnce();
      // A source may change after it was read for this list, so the list is checked like any other.
      await before.catch(() => undefined);
      return (await atHand()) ?? (await readOnce());
    },
    readSoon,
    async end() {
      stop.abort();
      forgetTimer();
      await reading?.catch(() => undefined);
    },
  };
}

/** The rows of these files; `null` if there are too many, or if one of them is not the file of exactly one session. */
function rowsOfPaths({ sessions }: CatalogList, paths: readonly string[]): readonly ListedSession[] | null {
  if (paths.length > GATEWAY_LIMITS.renewedRows) return null;
  const changed = new Set(paths);
  const rows = sessions.filter(({ location }) => changed.has(location));
  return rows.length === paths.length && new Set(rows.map(({ location }) => location)).size === paths.length
    ? rows
    : null;
}
