/** Deletes native sessions, which moves them to the trash, and restores them. */

import {
  assertKnownOptions,
  ContinuoError,
  cancellable,
  isContinuoError,
  type KnownOptions,
  type Problem,
  shellWord,
} from "@continuo/core/model";
import { type Places, placesOfThisUser } from "@continuo/files";
import {
  formatOf,
  LOOKUP_OPTIONS,
  type Lookup,
  type LookupOptions,
  lookUpSession,
  pick,
  type SessionRef,
} from "../native/index.ts";

import type { FoundSession } from "../native/kit/index.ts";
import { markToForget } from "./guard/index.ts";
import { refuseLive } from "./live.ts";
import { fileOf, lockedForEdit, settleUnfinished } from "./locking/index.ts";
import {
  emptyTrash as emptyFolder,
  findManifest,
  listTrash,
  moveToTrash,
  restoreFromTrash,
  type TrashedSession,
} from "./trash/index.ts";

export interface TrashPlaces {
  /** The environment of this user by default. */
  readonly places?: Places;
  /** The time of the deletion, or the time that ages are counted to; now by default. */
  readonly now?: Date;
}

const TRASH_PLACES: KnownOptions<TrashPlaces> = { places: true, now: true };

/**
 * Moves a session's files, or its rows of a database, to the trash, and verifies that its agent no longer finds it.
 *
 * Errors: those of `lookUpSession`; `session_live`; `has_forks` with `details.forks`; `unreadable`, `unsupported`,
 * `conflict`, `busy`, `unwritable`: nothing was moved; `verification_failed`: the session is in the trash.
 */
export async function trashNativeSession(
  ref: SessionRef,
  options: LookupOptions & TrashPlaces = {},
): Promise<TrashedSession> {
  assertKnownOptions("trashNativeSession", options, { ...LOOKUP_OPTIONS, ...TRASH_PLACES });
  return await cancellable(options.signal, () => trash(ref, options));
}

async function trash(ref: SessionRef, options: LookupOptions & TrashPlaces): Promise<TrashedSession> {
  const places = options.places ?? placesOfThisUser();
  await settleUnfinished({ places, signal: options.signal });
  const lookup = await lookUpSession(ref, { ...pick(options, "cwd", "signal"), places });
  const { reader, found } = lookup;
  const unread = found.problems.find(({ code }) => code === "unreadable");
  if (unread !== undefined) throw new ContinuoError("unreadable", unread.message);
  const info = await reader.skim(found, { part: "whole", ...pick(options, "signal") });
  refuseLive(found, info);
  const plan = await reader.trashPlan(found, places);
  const { signal, now = new Date() } = options;
  const edited = { ...found, file: fileOf(found) };
  const trashed = await lockedForEdit(edited, { places, signal }, () =>
    moveToTrash(found, info, plan, { places, now }),
  );
  if (!(await isListed(lookup, places))) return trashed;
  throw new ContinuoError("verification_failed", `${found.agent} still finds ${found.sessionId}`, {
    hint: `Run \`continuo session restore ${shellWord(trashed.trashId)}\` to get back what was moved to the trash.`,
    details: { trashId: trashed.trashId, location: found.location },
  });
}

/**
 * Moves a deleted session back, byte for byte, and verifies that its agent finds it again.
 *
 * With `force`, a session is restored even if its agent has written to its place in the meantime: those files go to the
 * trash. Files that were changed in the trash are restored as they are now.
 *
 * @param id a trash id, a session id or the beginning of one, with or without `agent:`
 *
 * Errors: `not_found`, `ambiguous`, `session_live` for a conversation of Continuo, `conflict`, `corrupt`, `busy`,
 * `unwritable`; `verification_failed`.
 */
export async function restoreNativeSession(
  id: string,
  options: TrashPlaces & { readonly force?: boolean } = {},
): Promise<TrashedSession> {
  assertKnownOptions("restoreNativeSession", options, { ...TRASH_PLACES, force: true });
  const places = options.places ?? placesOfThisUser();
  await settleUnfinished({ places });
  const { now = new Date(), force = false } = options;
  const { trashId, info } = findManifest(id, places);
  const place = { ...info, file: fileOf(info) };
  const restored = await lockedForEdit(place, { places, signal: undefined }, () =>
    restoreFromTrash(trashId, { places, now, force }),
  );
  const { agent, sessionId, location } = restored.info;
  const reader = await formatOf(agent);
  if ((await recognised(reader, location, places)) === sessionId) return restored;
  // A file without an id in its name may have one id in a list and another one in a look-up by path.
  if (await isListed({ reader, found: restored.info }, places)) return restored;
  throw new ContinuoError(
    "verification_failed",
    `${location} was restored, but does not contain ${agent}:${sessionId}`,
  );
}

/** The newest deletion is first. */
export function listTrashedSessions(options: TrashPlaces = {}): readonly TrashedSession[] {
  assertKnownOptions("listTrashedSessions", options, TRASH_PLACES);
  return listTrash(options.places ?? placesOfThisUser()).sessions;
}

/** Folders of the trash that cannot be read; the sessions in them are not listed, and stay where they are. */
export function trashProblems(options: TrashPlaces = {}): readonly Problem[] {
  return listTrash(options.places ?? placesOfThisUser()).problems;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Permanently deletes the sessions that were deleted more than `olderThanDays` days ago, or all sessions if this is
 * left out. Returns them.
 */
export function emptyTrash(
  options: TrashPlaces & { readonly olderThanDays?: number } = {},
): readonly TrashedSession[] {
  assertKnownOptions("emptyTrash", options, { ...TRASH_PLACES, olderThanDays: true });
  const places = options.places ?? placesOfThisUser();
  const { olderThanDays, now = new Date() } = options;
  const before = olderThanDays === undefined ? undefined : new Date(now.getTime() - olderThanDays * DAY_MS);
  const emptied = emptyFolder(places, before);
  for (const { info } of emptied) markToForget(info, places);
  return emptied;
}

/** Finds the session by id and location, because the same id in another place is another session. */
async function isListed(
  {
    reader,
    found,
  }: Pick<Lookup, "reader"> & { readonly found: Pick<FoundSession, "sessionId" | "location"> },
  places: Places,
): Promise<boolean> {
  for await (const other of reader.find(places, {})) {
    if (other.sessionId === found.sessionId && other.location === found.location) return true;
  }
  return false;
}

async function recognised(
  reader: Lookup["reader"],
  location: string,
  places: Places,
): Promise<string | null> {
  try {
    return (await reader.recognise(location, places))?.sessionId ?? null;
  } catch (error) {
    if (isContinuoError(error, "not_found")) return null;
    throw error;
  }
}
