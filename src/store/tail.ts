/** Tails: the backlog page by page, then whatever comes. The reader's pace is the pace; one page is held. */

import { ContinuoError, type StoredEvent, type TailOptions } from "../model/index.ts";
import { type Engine, LIMITS } from "./engine/index.ts";
import { openLog, read } from "./rules/index.ts";

export async function* tail(
  engine: Engine,
  logId: string,
  options: TailOptions,
  closed: AbortSignal,
): AsyncGenerator<StoredEvent, void, void> {
  const { signal, types } = options;
  if (isAborted(signal)) return;
  closed.throwIfAborted();
  const log = await engine.read((scope) => openLog(scope, logId, "read"));
  let after = options.after === "latest" ? log.head_sequence : (options.after ?? 0);
  const either = signal === undefined ? closed : AbortSignal.any([signal, closed]);
  const watcher = engine.changes.watch(log.log_key);
  try {
    for (;;) {
      closed.throwIfAborted();
      // The log is looked at before its events: what is appended in between is in the page, or wakes us.
      const now = await engine.read((scope) => openLog(scope, logId, "read"));
      // Deleted and made anew under the same id: not the log that is read.
      if (now.log_key !== log.log_key) throw removed(logId);
      const request = { after, limit: LIMITS.tailEvents, maxBytes: LIMITS.tailBytes };
      const page = await engine.read((scope) =>
        read(scope, logId, types === undefined ? request : { ...request, types }),
      );
      for (const event of page.events) {
        after = event.sequence;
        yield event;
        if (isAborted(signal)) return;
        closed.throwIfAborted();
      }
      if (page.nextAfter !== null) continue;
      if (now.closed_at !== null) return;
      // With a filter, what did not match need not be read again.
      after = Math.max(after, now.head_sequence);
      await watcher.changed(either);
    }
  } catch (error) {
    if (isAborted(signal) && error === signal?.reason) return;
    throw error;
  } finally {
    watcher.close();
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}

function removed(logId: string): ContinuoError {
  return new ContinuoError("not_found", `The log ${logId} was deleted while it was read.`, {
    details: { logId },
  });
}
