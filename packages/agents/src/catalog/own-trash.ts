/**
 * The trash of Continuo's own sessions: a session in it stays in the store, and no list or look-up has it, until it is
 * restored, or deleted for good with the trash. The native sessions of its conversation go and return with it.
 */

import { isAgentName, isContinuoError, present } from "@continuo/core/model";
import type { Places, PlacesAt } from "@continuo/files";
import {
  listTrashedSessions,
  restoreNativeSession,
  type TrashPlaces,
  trashNativeSession,
} from "@continuo/native/editing";
import {
  byNewestDeletion,
  namedInTrash,
  oneInTrash,
  type TrashedSession,
} from "@continuo/native/editing/trash";
import { earlierNames, ownerOf } from "./moves.ts";
import { type CatalogSession, openCatalogSession } from "./open-session.ts";
import { deleteInRounds, deleteOwn, refuseRunning } from "./own-changes.ts";
import {
  type NativeName,
  nativeKey,
  type OwnRow,
  type TrashedOwn,
  toTrashedOwn,
  trashedAtOf,
  trashMarkOf,
} from "./rows.ts";
import { listOwn, listTrashedOwn, type OpenOwn, openOwn } from "./store.ts";

export interface OwnTrashOptions extends TrashPlaces {
  readonly places: Places;
  readonly signal?: AbortSignal;
}

/**
 * A native session that another session continues from stays. Errors: `session_live` while a run is in progress; those
 * of `trashNativeSession`: the native sessions that were not moved stay, and so does the session.
 */
export async function trashOwn(row: OwnRow, own: OpenOwn, options: OwnTrashOptions): Promise<TrashedOwn> {
  const { store } = own;
  await refuseRunning(row, store);
  const rows = await listOwn(own);
  for (const native of earlierNames(row)) {
    const owner = ownerOf(native, rows);
    if (owner !== null && owner.sessionId !== row.sessionId) continue;
    await trashIfThere(native, options);
  }
  const { now = new Date() } = options;
  await store.updateSession(row.sessionId, { metadata: trashMarkOf(row, now) });
  return toTrashedOwn({ ...row, trashedAt: now.toISOString() });
}

async function trashIfThere(
  { agent, sessionId }: NativeName,
  { places, now, signal }: OwnTrashOptions,
): Promise<void> {
  if (!isAgentName(agent)) return;
  try {
    await trashNativeSession({ agent, sessionId, location: null }, present({ places, now, signal }));
  } catch (error) {
    if (!isContinuoError(error, "not_found")) throw error;
  }
}

/** Sessions in the trash, the newest deletion first. */
export async function trashedOwn(own: OpenOwn): Promise<readonly TrashedOwn[]> {
  return (await listTrashedOwn(own)).map(toTrashedOwn).sort(byNewestDeletion);
}

/**
 * Opens a session in the trash. `null` if the trash has no own session of this id, or there is no store. Errors: those
 * of reading the store.
 */
export async function openTrashedOwn(
  trashId: string,
  places: PlacesAt,
): Promise<(CatalogSession & Disposable) | null> {
  await using own = await openOwn(places);
  if (own === null) return null;
  const found = (await trashedRows(own)).find((one) => one.trashId === trashId);
  if (found === undefined) return null;
  return await openCatalogSession({ kind: "own", row: found.row }, places, { own });
}

export interface OwnRestoreOptions extends OwnTrashOptions {
  /** Native sessions are restored even if their agent has written to their places in the meantime. */
  readonly force?: boolean;
}

/**
 * Restores the session and its native sessions that are in the trash. Errors: those of `oneInTrash`, and of
 * `restoreNativeSession`: the session then stays in the trash.
 */
export async function restoreOwn(
  name: string,
  own: OpenOwn,
  options: OwnRestoreOptions,
): Promise<TrashedOwn> {
  return await restoreRow(oneInTrash(name, await trashedRows(own)).row, own, options);
}

/** Restores the one session, native or own, that the name has in the trash. Errors: those of `restoreOwn`. */
export async function restoreNamed(
  name: string,
  own: OpenOwn | null,
  options: OwnRestoreOptions,
): Promise<TrashedSession | TrashedOwn> {
  const { places, now, force } = options;
  const ofOwn = own === null ? [] : await trashedRows(own);
  const named = namedInTrash(name, [...listTrashedSessions({ places }), ...ofOwn]);
  const found = named.some((one) => "row" in one) ? oneInTrash(name, named) : null;
  if (own !== null && found !== null && "row" in found) return await restoreRow(found.row, own, options);
  return await restoreNativeSession(name, present({ places, now, force }));
}

async function trashedRows(own: OpenOwn): Promise<readonly (TrashedOwn & { readonly row: OwnRow })[]> {
  return (await listTrashedOwn(own)).map((row) => ({ ...toTrashedOwn(row), row })).sort(byNewestDeletion);
}

async function restoreRow(
  row: OwnRow,
  own: OpenOwn,
  { places, now, force }: OwnRestoreOptions,
): Promise<TrashedOwn> {
  const natives = listTrashedSessions({ places });
  for (const key of new Set(earlierNames(row).map(nativeKey))) {
    const native = natives.find(({ info }) => nativeKey(info) === key);
    if (native !== undefined) await restoreNativeSession(native.trashId, present({ places, now, force }));
  }
  await own.store.updateSession(row.sessionId, { metadata: { trashed: null } });
  return toTrashedOwn(row);
}

export interface EmptiedOwn {
  readonly deleted: readonly TrashedOwn[];
  /** Those that a session outside of the trash continues from, and those with a run in progress. */
  readonly stayed: readonly TrashedOwn[];
}

/** Deletes sessions in the trash for good: those that were deleted before a time, or all of them. */
export async function emptyOwnTrash(own: OpenOwn, before?: Date): Promise<EmptiedOwn> {
  const limit = before?.toISOString();
  const deleted: TrashedOwn[] = [];
  const old = (await listTrashedOwn(own)).filter(
    ({ trashedAt = "" }) => limit === undefined || trashedAt < limit,
  );
  const stayed = await deleteInRounds(old, async (row) => {
    const outcome = await deleteTrashed(row, own);
    if (outcome === "deleted") deleted.push(toTrashedOwn(row));
    return outcome !== "stays";
  });
  return { deleted, stayed: stayed.map(toTrashedOwn) };
}

/** Returns `gone` for a session that another process deleted or restored in the meantime. */
async function deleteTrashed(row: OwnRow, own: OpenOwn): Promise<"deleted" | "stays" | "gone"> {
  try {
    const now = await own.store.getSession(row.sessionId);
    if (now === null || trashedAtOf(now) === undefined) return "gone";
    await deleteOwn(row, own);
    return "deleted";
  } catch (error) {
    if (isContinuoError(error, "has_forks") || isContinuoError(error, "session_live")) return "stays";
    if (isContinuoError(error, "not_found")) return "gone";
    throw error;
  }
}
