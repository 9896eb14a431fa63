/** The scan of a session that the index keeps, with which a long session opens without being read first. */

import type { Places } from "@continuo/files";
import { indexPathOf, storedScan } from "@continuo/native/index-file";
import type { FoundSession, SavedScan } from "@continuo/native/kit";
import { createStampOfDependency } from "./dependencies.ts";
import { scanToContinue, toGrowingFile } from "./growth.ts";
import { CATALOG_LIMITS } from "./limits.ts";

/** `null` for a short session, and if the index has none of this state of the session. */
export async function indexedScan(found: FoundSession, places: Places): Promise<SavedScan | null> {
  const sizeBytes = found.files.reduce((sum, file) => sum + file.sizeBytes, 0);
  if (sizeBytes < CATALOG_LIMITS.indexedScanBytes) return null;
  const previous = await storedScan(indexPathOf(places), found.location);
  // The reader compares the other files of a session again, also those that were missing.
  const besideNow = createStampOfDependency([], []);
  return previous && scanToContinue(previous, toGrowingFile(found, Date.now()), besideNow);
}
