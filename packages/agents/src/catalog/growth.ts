/** Detects that the file of a session is the one that was read, or only grew since, so that its scan can continue. */

import { type PreviousScan, stampOf } from "@continuo/native/index-file";
import type { FoundSession, SavedScan } from "@continuo/native/kit";
import { areDependenciesUnchanged, type StampOfDependency, stampOfFile } from "./dependencies.ts";
import { CATALOG_LIMITS } from "./limits.ts";

export interface GrowingFile {
  readonly inode: number;
  readonly sizeBytes: number;
  /** Stamps of the other files that the session is made of. */
  readonly others: string;
  /**
   * True if the files have not changed since this was made, and were not written just before that: a change within the
   * same tick of the clock would not be visible.
   */
  isUnchanged(): boolean;
  toKept(scan: SavedScan): KeptScan;
}

interface KeptScan {
  readonly inode: number;
  readonly sizeBytes: number;
  readonly others: string;
  readonly scan: SavedScan;
}

/** @param nowMs milliseconds since 1970 */
export function toGrowingFile({ files }: FoundSession, nowMs: number): GrowingFile {
  const { inode, sizeBytes } = files.at(-1) ?? { inode: 0, sizeBytes: 0 };
  const others = files.slice(0, -1).map((file) => stampOf([file]));
  const changedMs = Math.max(...files.map(({ mtimeMs, ctimeMs }) => Math.max(mtimeMs, ctimeMs)));
  const isQuiet = nowMs - changedMs > CATALOG_LIMITS.followTickMs;
  const places = { inode, sizeBytes, others: others.join("\n") };
  return {
    ...places,
    isUnchanged: () => isQuiet && files.every((file) => stampOfFile(file.path) === stampOf([file])),
    toKept: (scan) => ({ ...places, scan }),
  };
}

/**
 * `null` if the file was replaced or became shorter, or if something next to it changed. When the file is opened, a
 * check finds out if it still begins with the same bytes.
 */
export function scanToContinue(
  { scan, beside }: PreviousScan,
  now: GrowingFile,
  besideNow: StampOfDependency,
): SavedScan | null {
  const kept = scan as KeptScan;
  const isWhole = kept.inode === now.inode && kept.sizeBytes <= now.sizeBytes;
  const isSame = kept.others === now.others && areDependenciesUnchanged(beside, besideNow);
  return isWhole && isSame ? kept.scan : null;
}
