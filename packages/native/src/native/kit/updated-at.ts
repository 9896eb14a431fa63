/** When a session that is one file was updated, for readers whose rows take that only from the bytes of the file. */

import type { SessionInfo } from "@continuo/core/model";
import { type FoundSession, NO_MEMO, type SkimOptions } from "./port.ts";

/** Returns the time of `skim`, which is asked only if the time is not remembered. */
export async function rememberedUpdatedAt(
  found: FoundSession,
  options: SkimOptions,
  skim: (found: FoundSession, options: SkimOptions) => Promise<SessionInfo>,
): Promise<string | null> {
  const [file, ...others] = found.files;
  const look = async (): Promise<SessionInfo> => await skim(found, { ...options, part: "ends" });
  if (file?.path !== found.location || others.length > 0) return (await look()).updatedAt;
  const memo = options.memo ?? NO_MEMO;
  let unread: SessionInfo | undefined;
  const updatedAt = await memo.remember(file, { what: "updated", isBrief: true }, async () => {
    const info = await look();
    // A file that cannot be read now may be readable in a moment, with the same stamp.
    if (info.problems.every(({ code }) => code !== "unreadable")) return info.updatedAt;
    unread = info;
    return undefined;
  });
  return updatedAt === undefined ? (unread?.updatedAt ?? null) : updatedAt;
}
