/** A session while it grows: messages that are new or differ, and what becomes of the session itself. */

import { setTimeout as sleep } from "node:timers/promises";
import { isContinuoError } from "../model/index.ts";
import type { GrowthEvent, HistoryName, WindowMessage } from "../wire/machine/index.ts";
import { HISTORY_LIMITS, positionOf, type Whole, windowMessageAt } from "./history/index.ts";
import type { Machine } from "./machine-parts.ts";

interface Seen {
  readonly generation: string;
  readonly revision: number;
}

/** Ends when the signal aborts, and when the session is gone. */
export async function* growthOf(
  machine: Machine,
  query: HistoryName & { readonly after?: string },
  signal: AbortSignal,
): AsyncGenerator<GrowthEvent, void, void> {
  let seen = parsePosition(query.after);
  let row = "";
  while (!signal.aborted) {
    const began = performance.now();
    try {
      const events = await machine.withWhole(query, signal, (whole) => newsOf(whole, query, seen));
      seen = events.seen;
      for (const event of events.news) yield event;
      const { shown } = await machine.named(query.key, signal);
      const text = JSON.stringify(shown);
      if (row !== "" && row !== text) yield { type: "session", session: shown };
      row = text;
      // What one event cannot hold comes at once.
      if (events.isMore) continue;
    } catch (error) {
      if (signal.aborted) return;
      if (!isContinuoError(error, "not_found")) throw error;
      yield { type: "gone" };
      return;
    }
    // A session that takes long to read does not keep the machine busy.
    const pause = Math.max(HISTORY_LIMITS.followMs, performance.now() - began);
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}

interface News {
  readonly news: readonly GrowthEvent[];
  readonly seen: Seen;
  readonly isMore: boolean;
}

function newsOf({ kept }: Whole, name: HistoryName, seen: Seen | null): News {
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

/** A position of another server, or of nobody, is one from which nothing can be continued. */
function parsePosition(text: string | undefined): Seen | null {
  const [, generation, revision] = /^([\w-]{1,64})\.(\d{1,15})$/u.exec(text ?? "") ?? [];
  return generation === undefined ? null : { generation, revision: Number(revision) };
}
