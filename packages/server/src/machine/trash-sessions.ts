/**
 * Opens sessions in the trash: they are unpacked into a private folder inside the trash for as long as the machine
 * needs them. A session in the trash does not change.
 */

import { OWN, openOwnAgain, trashedOwn } from "@continuo/agents/catalog";
import { ContinuoError } from "@continuo/core/model";
import { isTrashKey } from "@continuo/core/wire/machine";
import { type PlacesAt, placesOf } from "@continuo/files";
import { layOutTrashed, type ReadableTrash } from "@continuo/native/editing/trash";
import { MACHINE_LIMITS } from "./limits.ts";
import type { RowSource } from "./rows.ts";
import type { KeyedSession } from "./session-lookup.ts";

export interface TrashedSessions {
  /** Errors: `not_found` if the session is no longer in the trash. */
  named(key: string): Promise<KeyedSession>;
  /** Removes the folders into which sessions were unpacked. */
  close(): Promise<void>;
}

export function createTrashedSessions(source: RowSource, places: PlacesAt): TrashedSessions {
  const laidOut = new Map<string, Promise<ReadableTrash | null>>();
  const layOut = async (trashId: string): Promise<ReadableTrash> => {
    const begun = laidOut.get(trashId) ?? layOutTrashed(trashId, placesOf(places));
    laidOut.set(trashId, begun);
    const made = await begun.catch((error: unknown) => {
      laidOut.delete(trashId);
      throw error;
    });
    if (made !== null) return made;
    laidOut.delete(trashId);
    throw notInTrash(trashId);
  };
  /** A session of Continuo's own stays in its store. */
  const ownPlaceOf = async (trashId: string): Promise<{ readonly location: string }> => {
    await using own = await openOwnAgain(places);
    const found = (await trashedOwn(own)).find((one) => one.trashId === trashId);
    if (found === undefined) throw notInTrash(trashId);
    return found.info;
  };
  return {
    async named(key) {
      const shown = (await source.rows()).trashed.find((row) => row.key === key);
      if (shown?.trashId == null) throw notInTrash(key);
      const { location } =
        shown.agent === OWN ? await ownPlaceOf(shown.trashId) : await layOut(shown.trashId);
      const row = { ...shown, location, archived: false, live: null, problems: [] };
      return { key, row, shown, parentKey: null };
    },
    async close() {
      for (const begun of laidOut.values()) (await begun.catch(() => null))?.[Symbol.dispose]();
      laidOut.clear();
    },
  };
}

/** Errors (thrown): `unsupported` for a session in the trash. */
export function refuseTrashed(key: string): void {
  if (!isTrashKey(key)) return;
  throw new ContinuoError("unsupported", "the session is in the trash", { hint: "Restore it first." });
}

export function notInTrash(trashId: string): ContinuoError {
  const name = JSON.stringify(trashId.slice(0, MACHINE_LIMITS.namedChars));
  return new ContinuoError("not_found", `there is no session ${name} in the trash`, {
    hint: "Read the list of deleted sessions again.",
  });
}
