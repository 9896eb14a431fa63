/**
 * The time of the last update of a session that is one file, for readers that take it only from the bytes of the file.
 */

import type { SessionInfo } from "@continuo/core/model";
import {
  type FoundFile,
  type FoundSession,
  type MemoKey,
  NO_MEMO,
  type SkimMemo,
  type SkimOptions,
} from "./port.ts";

const UPDATED: MemoKey = { what: "updated", isBrief: true };

/** The time of `rememberedUpdatedAt` if it is at hand, else `undefined`. */
export function knownUpdatedAt(found: FoundSession, memo: SkimMemo): string | null | undefined {
  const file = onlyFileOf(found);
  return file === null ? undefined : memo.known?.(file, UPDATED);
}

function onlyFileOf({ files, location }: FoundSession): FoundFile | null {
  const [file] = files;
  return file?.path === location && files.length === 1 ? file : null;
}

/** Returns the time of `skim`, which is asked only if the time is not remembered. */
export async function rememberedUpdatedAt(
  found: FoundSession,
  options: SkimOptions,
  skim: (found: FoundSession, options: SkimOptions) => Promise<SessionInfo>,
): Promise<string | null> {
  const file = onlyFileOf(found);
  const look = async (): Promise<SessionInfo> => await skim(found, { ...options, part: "ends" });
  if (file === null) return (await look()).updatedAt;
  const memo = options.memo ?? NO_MEMO;
  let unread: SessionInfo | undefined;
  const updatedAt = await memo.remember(file, UPDATED, async () => {
    const info = await look();
    // A file that cannot be read now may be readable in a moment, with the same stamp.
    if (info.problems.every(({ code }) => code !== "unreadable")) return info.updatedAt;
    unread = info;
    return undefined;
  });
  return updatedAt === undefined ? (unread?.updatedAt ?? null) : updatedAt;
}
