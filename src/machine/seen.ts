/** From which message on the model sees a history that was compacted. */

import { isContinuoError } from "../model/index.ts";
import type { HistoryName, Outline } from "../wire/machine/index.ts";
import type { Whole } from "./history/index.ts";
import type { Machine } from "./machine-parts.ts";

/** `null` where it sees all, or where nobody can tell. */
export async function seenFrom(
  machine: Machine,
  { key, branch, view }: HistoryName,
  signal: AbortSignal,
): Promise<Outline["seenFrom"]> {
  if (view === "model") return null;
  const history = { key, ...(branch === undefined ? {} : { branch }) };
  if (!(await machine.withWhole(history, signal, isCompacted))) return null;
  const ids = await machine.withWhole({ ...history, view: "model" }, signal, idsOf).catch((error) => {
    // Of Continuo's own, or too large.
    if (isContinuoError(error, "unsupported") || isContinuoError(error, "too_large")) return null;
    throw error;
  });
  if (ids === null) return null;
  return await machine.withWhole(history, signal, ({ kept }) => {
    const places = ids.flatMap((id) => kept.indexOf(id) ?? []);
    const index = places.reduce((least, place) => Math.min(least, place), kept.length);
    const messageId = kept.idAt(index);
    return messageId === undefined || index === 0 ? null : { messageId, index };
  });
}

function isCompacted({ kept }: Whole): boolean {
  return kept.turns.some(({ marks }) => marks.some(({ type }) => type === "compaction"));
}

function idsOf({ kept }: Whole): readonly string[] {
  return Array.from({ length: kept.length }, (_, index) => kept.idAt(index) ?? "");
}
