/** A session while it grows: messages that are new or differ, and what becomes of the session itself. */

import { setTimeout as sleep } from "node:timers/promises";
import { isContinuoError } from "../model/index.ts";
import type { GrowthEvent, HistoryName } from "../wire/machine/index.ts";
import { HISTORY_LIMITS } from "./history/index.ts";
import type { Machine } from "./machine-parts.ts";
import type { Seen } from "./news.ts";

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
      const events = await machine.ask("news", query, { name: query, seen }, signal);
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

/** A position of another server, or of nobody, is one from which nothing can be continued. */
function parsePosition(text: string | undefined): Seen | null {
  const [, generation, revision] = /^([\w-]{1,64})\.(\d{1,15})$/u.exec(text ?? "") ?? [];
  return generation === undefined ? null : { generation, revision: Number(revision) };
}
