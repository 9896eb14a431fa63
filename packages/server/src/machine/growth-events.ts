/** The growth of a session: new or changed messages, and changes of the session itself. */

import { setTimeout as sleep } from "node:timers/promises";
import { HISTORY_LIMITS } from "@continuo/agents/pages";
import { isContinuoError } from "@continuo/core/model";
import type { GrowthEvent, HistoryName } from "@continuo/core/wire/machine";
import { createGrowingNatives } from "./growing-natives.ts";
import type { GrowthPosition } from "./history-changes.ts";
import type { Machine } from "./machine-parts.ts";

/** Ends when the signal aborts, or when the session no longer exists. */
export async function* growthOf(
  machine: Machine,
  query: HistoryName & { readonly after?: string },
  signal: AbortSignal,
): AsyncGenerator<GrowthEvent, void, void> {
  let seen = parsePosition(query.after);
  let row = "";
  await using natives = createGrowingNatives(machine.options.places);
  while (!signal.aborted) {
    const began = performance.now();
    try {
      const events = await machine.ask("news", query, { name: query, seen }, signal);
      seen = events.seen;
      for (const event of events.news) yield event;
      const { shown, row: listed } = await machine.named(query.key, signal);
      const text = JSON.stringify(shown);
      if (row !== "" && row !== text) yield { type: "session", session: shown };
      row = text;
      // One event cannot hold all of it, so the rest follows at once.
      if (events.isMore) continue;
      await natives.look(listed, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!isContinuoError(error, "not_found")) throw error;
      yield { type: "gone" };
      return;
    }
    // The pause grows with the reading time, so that a slow session does not keep the machine busy.
    const pause = Math.max(HISTORY_LIMITS.followMs, performance.now() - began);
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}

/** `null` for an invalid position. A position of another server is accepted, and the growth then begins again. */
function parsePosition(text: string | undefined): GrowthPosition | null {
  const [, generation, revision] = /^([\w-]{1,64})\.(\d{1,15})$/u.exec(text ?? "") ?? [];
  return generation === undefined ? null : { generation, revision: Number(revision) };
}
