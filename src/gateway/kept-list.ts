/**
 * One list of all sessions that is kept between two requests. It is read again when any of its sources has changed,
 * and some time after an answer, because not every change has a stamp.
 */

import type { CatalogList, listCatalog } from "@continuo/agents/catalog";
import type { PlacesAt } from "@continuo/files";
import { GATEWAY_LIMITS } from "./limits.ts";
import { isUnchanged, type ListStamps, pathsOfList, readListStamps } from "./list-stamps.ts";

export interface KeptList {
  /** The list if it was read before and nothing has changed since; `null` if it has to be read. Waits for no read. */
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
  readonly beganMs: number;
  /** `null` if nothing shows whether the list has changed. */
  readonly from: { readonly paths: readonly string[]; readonly stamps: ListStamps } | null;
}

/** @param list reads the sessions */
export function createKeptList(places: PlacesAt, list: typeof listCatalog): KeptList {
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
    return { list: whole, beganMs, from };
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
  const atHand = async (): Promise<CatalogList | null> => {
    if (kept?.from == null) return null;
    const { list: whole, from, beganMs } = kept;
    if (!isUnchanged(from.stamps, await readListStamps(from.paths, places), beganMs)) return null;
    if (Date.now() - beganMs > GATEWAY_LIMITS.listMs) readSoon();
    return whole;
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
