/** The first message of a compacted history that the model still sees. */

import { seenFromOf } from "@continuo/agents/pages";
import { isContinuoError } from "@continuo/core/model";
import type { Outline } from "@continuo/core/wire/machine";
import type { CompleteHistory, Read } from "./history/index.ts";

/** `null` if the model sees all, or if that cannot be known. */
export async function seenFrom(read: Read): Promise<Outline["seenFrom"]> {
  if (!(await read(isCompacted))) return null;
  const ids = await read(idsOf, "model").catch((error) => {
    // The session is one of Continuo's own, or too large.
    if (isContinuoError(error, "unsupported") || isContinuoError(error, "too_large")) return null;
    throw error;
  });
  if (ids === null) return null;
  return await read(({ kept }) => seenFromOf(kept, ids));
}

function isCompacted({ kept }: CompleteHistory): boolean {
  return kept.turns.some(({ marks }) => marks.some(({ type }) => type === "compaction"));
}

function idsOf({ kept }: CompleteHistory): readonly string[] {
  return Array.from({ length: kept.length }, (_, index) => kept.idAt(index) ?? "");
}
