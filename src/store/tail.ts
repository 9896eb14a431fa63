/**
 * Tails: the backlog page by page, then whatever comes. The reader's pace is the pace: at the end of the log it
 * shares one reading loop with all others; when it falls behind what that one holds, it reads for itself.
 */

import type { StoredEvent, TailOptions } from "../model/index.ts";
import type { Engine } from "./engine/index.ts";
import { assertName, assertSequence, openLog, readTail } from "./rules/index.ts";
import { type SharedTails, TailWaiter } from "./shared-tail.ts";

/** What a tail needs of the store that it reads. */
export interface TailSource {
  readonly engine: Engine;
  readonly tails: SharedTails;
  readonly closed: AbortSignal;
}

export async function* tail(
  { engine, tails, closed }: TailSource,
  logId: string,
  options: TailOptions,
): AsyncGenerator<StoredEvent, void, void> {
  const { signal, types = [] } = options;
  if (isAborted(signal)) return;
  closed.throwIfAborted();
  for (const type of types) assertName("type", type);
  if (options.after !== "latest") assertSequence("after", options.after ?? 0);
  const log = await engine.read((scope) => openLog(scope, logId, "read"));
  let after = options.after === "latest" ? log.head_sequence : (options.after ?? 0);
  // Each its own: thousands of listeners on one signal cost their square.
  const either = AbortSignal.any(signal === undefined ? [closed] : [signal, closed]);
  using waiter = new TailWaiter(either);
  const place = { logId, logKey: log.log_key };
  const shared = tails.join(engine, { ...place, head: log.head_sequence });
  try {
    while (!waiter.isOver) {
      const next = shared.look(after);
      if (next === "end") return;
      if (next === "wait") {
        await shared.wait(after, waiter);
        continue;
      }
      const page =
        next === "behind"
          ? await engine.read((scope) => readTail(scope, { ...place, after, types }))
          : undefined;
      for (const event of page?.events ?? shared.from(after)) {
        after = event.sequence;
        if (types.length > 0 && !types.includes(event.type)) continue;
        yield event;
        if (waiter.isOver) break;
      }
      // With a filter, what did not match need not be read again.
      after = Math.max(after, page?.upTo ?? 0);
    }
    if (!isAborted(signal)) throw either.reason;
  } catch (error) {
    if (isAborted(signal) && error === signal?.reason) return;
    throw error;
  } finally {
    shared.leave(waiter);
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}
