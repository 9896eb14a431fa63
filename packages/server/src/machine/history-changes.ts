/** The changes of a history since a position in its growth. Pure, except that it reads the spool. */

import { HISTORY_LIMITS, positionOf, windowMessageAt } from "@continuo/agents/pages";
import type { GrowthEvent, HistoryName, WindowMessage } from "@continuo/core/wire/machine";
import type { CompleteHistory } from "./history/index.ts";

/** The part of the growth that was sent. */
export interface GrowthPosition {
  readonly generation: string;
  readonly revision: number;
}

export interface HistoryChanges {
  readonly news: readonly GrowthEvent[];
  readonly seen: GrowthPosition;
  readonly isMore: boolean;
}

/** At most one window; `isMore` means that the rest is available at once. */
export function historyChangesOf(
  { kept }: CompleteHistory,
  name: HistoryName,
  seen: GrowthPosition | null,
): HistoryChanges {
  const { generation, revision } = kept;
  if (seen?.generation !== generation) {
    const position = positionOf(kept);
    return { news: [{ type: "reset", position }], seen: { generation, revision }, isMore: false };
  }
  if (seen.revision >= revision) return { news: [], seen, isMore: false };
  const changed: number[] = [];
  for (let index = 0; index < kept.length; index++) {
    if (kept.revisionAt(index) > seen.revision) changed.push(index);
  }
  const byRevision = changed.sort((a, b) => kept.revisionAt(a) - kept.revisionAt(b));
  const messages: WindowMessage[] = [];
  let chars = 0;
  let upTo = seen.revision;
  for (const index of byRevision) {
    if (messages.length >= HISTORY_LIMITS.windowMessages || chars > HISTORY_LIMITS.windowChars) break;
    const shown = windowMessageAt(kept, name, index);
    chars += JSON.stringify(shown).length;
    messages.push(shown);
    upTo = kept.revisionAt(index);
  }
  const isMore = messages.length < byRevision.length;
  const next = { generation, revision: isMore ? upTo : revision };
  return { news: [{ type: "messages", messages, position: positionOf(next) }], seen: next, isMore };
}
