/** Restores a session from the guard's copy. */

import type { SessionInfo } from "@continuo/core/model";
import { type Places, placesOfThisUser } from "@continuo/files";
import { restoreNativeSession } from "./delete.ts";
import { findCopy, layCopyInTrash } from "./guard/index.ts";
import { takeOutOfTrash } from "./trash/index.ts";

export interface RestoredCopy {
  readonly info: SessionInfo;
  /** The present file of the session. */
  readonly location: string;
  /** Files of the copy that are not restored, because with them the agent would delete the session. */
  readonly leftOut: readonly string[];
}

export interface RestoreCopyOptions {
  /** The environment of this user by default. */
  readonly places?: Places;
  readonly now?: Date;
  /** 0 for the newest state, which is the default. */
  readonly state?: number;
  /** A session that is now at that place goes to the trash. */
  readonly force?: boolean;
}

/**
 * Puts all files of a copy back, with the present time as their time stamp, so that the agent's next sweep does not
 * delete them, and verifies that the agent's reader finds the session. The copy stays in the guard.
 *
 * Errors: `not_found`, `ambiguous`, `corrupt`, `conflict`, `busy`, `unwritable`, `verification_failed`.
 */
export async function restoreGuardedSession(
  id: string,
  options: RestoreCopyOptions = {},
): Promise<RestoredCopy> {
  const { places = placesOfThisUser(), now = new Date(), state = 0, force = false } = options;
  const manifest = findCopy(id, places);
  const { trashId, leftOut } = await layCopyInTrash(manifest, { places, now, state });
  try {
    const { info } = await restoreNativeSession(trashId, { places, now, force });
    return { info: manifest.info, location: info.location, leftOut };
  } catch (error) {
    takeOutOfTrash(trashId, places);
    throw error;
  }
}
