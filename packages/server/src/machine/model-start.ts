/** The part of a history that the model still sees. */

import { seenFromOf } from "@continuo/agents/pages";
import { isContinuoError } from "@continuo/core/model";
import type { ModelPart, Outline } from "@continuo/core/wire/machine";
import type { CompleteHistory, UseHistory } from "./history/index.ts";

/** `null` if the model sees the whole history, or if that cannot be known. */
export async function seenFrom(read: UseHistory): Promise<Outline["seenFrom"]> {
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

function idsOf({ kept }: Pick<CompleteHistory, "kept">): readonly string[] {
  return Array.from({ length: kept.length }, (_, index) => kept.idAt(index) ?? "");
}

const CHARS_PER_TOKEN = 4;

/** Compares what the model would receive with the history. Errors: those of the model's view. */
export async function modelPartOf(read: UseHistory): Promise<ModelPart> {
  const { ids, chars } = await read(sentOf, "model");
  return await read(({ kept }) => {
    const missing = idsOf({ kept }).filter((id) => !ids.has(id)).length;
    // A summary is in the turn in which it was made. It does not show that the model sees the rest of that turn.
    const seen = kept.turns.findIndex(({ index, marks }, at) => {
      const summaries = marks.flatMap(({ type, messageId }) => (type === "compaction" ? [messageId] : []));
      const end = kept.turns[at + 1]?.index ?? kept.length;
      const turn = Array.from({ length: end - index }, (_, by) => kept.idAt(index + by) ?? "");
      return turn.some((id) => ids.has(id) && !summaries.includes(id));
    });
    return {
      messages: ids.size,
      tokens: Math.ceil(chars / CHARS_PER_TOKEN),
      historyTokens: Math.ceil(sentOf({ kept }).chars / CHARS_PER_TOKEN),
      leftOut: missing,
      untilTurn: seen > 0 ? seen : null,
      added: ids.size - (kept.length - missing),
    };
  }, "history");
}

function sentOf({ kept }: Pick<CompleteHistory, "kept">): {
  readonly ids: ReadonlySet<string>;
  readonly chars: number;
} {
  let chars = 0;
  for (let index = 0; index < kept.length; index++)
    chars += JSON.stringify(kept.messageAt(index).content).length;
  return { ids: new Set(idsOf({ kept })), chars };
}
