/** Reads the scan of a long session from the index, so that the session opens without being read first. */

import type { Places } from "@continuo/files";
import { indexPathOf, storedScan } from "@continuo/native/index-file";
import type { FoundSession, SavedScan } from "@continuo/native/kit";
import { createStampOfDependency } from "./dependencies.ts";
import { scanToContinue, toGrowingFile } from "./growth.ts";
import { CATALOG_LIMITS } from "./limits.ts";

export interface IndexOfRecords {
  /** Called if the index has no current scan of a long session. With such a scan, the session would open faster. */
  onMissing(): void;
}

/** Returns `null` for a short session, for one that is not a file of lines, and for one without a current scan. */
export async function indexedScan(
  found: FoundSession,
  places: Places,
  { onMissing }: IndexOfRecords,
): Promise<SavedScan | null> {
  const sizeBytes = found.files.reduce((sum, file) => sum + file.sizeBytes, 0);
  if (sizeBytes < CATALOG_LIMITS.indexedScanBytes || !found.location.endsWith(".jsonl")) return null;
  const previous = await storedScan(indexPathOf(places), found.location);
  // Files that were missing count as still missing here: the reader compares all other files of a session again.
  const besideNow = createStampOfDependency(() => [], []);
  const scan = previous && scanToContinue(previous, toGrowingFile(found, Date.now()), besideNow);
  if (scan === null) onMissing();
  return scan;
}
