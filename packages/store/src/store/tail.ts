/**
 * A tail gives the events of a log page by page, and then each new event, as fast as its reader reads. At the end of
 * the log all tails share one reading loop; a tail that falls behind the loop reads the events itself. If the store
 * does not answer for a while, the tail continues from the last sequence that its reader has.
 */

import { isPassing, type StoredEvent, type TailOptions } from "@continuo/core/model";
import { type Engine, LIMITS } from "./engine/index.ts";
import { assertName, assertSequence, openLog, readTail } from "./rules/index.ts";
import { type SharedTails, TailWaiter } from "./shared-tail.ts";

/** The parts of a store that a tail uses. */
export interface TailSource {
  readonly engine: Engine;
  readonly tails: SharedTails;
  readonly closed: AbortSignal;
}

export async function* tail(
  source: TailSource,
  logId: string,
  options: TailOptions,
): AsyncGenerator<StoredEvent, void, void> {
  const { closed } = source;
  const { signal, types = [] } = options;
  if (isAborted(signal)) return;
  closed.throwIfAborted();
  for (const type of types) assertName("type", type);
  if (options.after !== "latest") assertSequence("after", options.after ?? 0);
  // Each tail has a signal of its own: the cost of listeners on one signal grows with the square of their number.
  const either = AbortSignal.any(signal === undefined ? [closed] : [signal, closed]);
  using waiter = new TailWaiter(either);
  const place: TailPlace = { logId, types, after: options.after ?? 0, waiter, outage: new Outage() };
  try {
    for (let end: TailEnd = "lost"; end === "lost" && !waiter.isOver; ) end = yield* follow(source, place);
    if (waiter.isOver && !isAborted(signal)) throw either.reason;
  } catch (error) {
    // For a reader that left, it does not matter whether the store answers.
    if (isAborted(signal) && (error === signal?.reason || isPassing(error))) return;
    throw error;
  }
}

interface TailPlace {
  readonly logId: string;
  readonly types: readonly string[];
  /** The sequence up to which the reader has everything. */
  after: number | "latest";
  readonly waiter: TailWaiter;
  readonly outage: Outage;
}

/** `lost`: the store did not answer, and the reader continues from its position. */
type TailEnd = "ended" | "lost";

/** Reads until the log ends, the reader leaves, or the store does not answer. */
async function* follow(
  { engine, tails }: TailSource,
  place: TailPlace,
): AsyncGenerator<StoredEvent, TailEnd, void> {
  const { logId, types, waiter, outage } = place;
  const log = await outage.over(waiter, () => engine.read((scope) => openLog(scope, logId, "read")));
  if (log === "lost") return "lost";
  let after = place.after === "latest" ? log.head_sequence : place.after;
  place.after = after;
  const key = { logId, logKey: log.log_key };
  const shared = tails.join(engine, { ...key, head: log.head_sequence });
  try {
    while (!waiter.isOver) {
      const next = shared.look(after);
      if (next === "end") return "ended";
      if (next === "wait") {
        if ((await outage.over(waiter, () => shared.wait(after, waiter))) === "lost") return "lost";
        continue;
      }
      const page =
        next === "behind"
          ? await outage.over(waiter, () => engine.read((scope) => readTail(scope, { ...key, after, types })))
          : undefined;
      if (page === "lost") return "lost";
      for (const event of page?.events ?? shared.from(after)) {
        after = event.sequence;
        place.after = after;
        if (types.length > 0 && !types.includes(event.type)) continue;
        yield event;
        if (waiter.isOver) break;
      }
      // With a filter, events that did not match need not be read again.
      after = Math.max(after, page?.upTo ?? 0);
      place.after = after;
    }
    return "ended";
  } finally {
    shared.leave(waiter);
  }
}

/** Lets a tail continue if the store does not answer for a while. */
class Outage {
  #since: number | null = null;
  #pauseMs: number = LIMITS.tailRetryMs;

  /** Returns `lost` after a pause, because the store may answer in a moment. */
  async over<T>(waiter: TailWaiter, call: () => Promise<T>): Promise<T | "lost"> {
    try {
      const result = await call();
      this.#since = null;
      this.#pauseMs = LIMITS.tailRetryMs;
      return result;
    } catch (error) {
      if (waiter.isOver || !isPassing(error)) throw error;
      this.#since ??= performance.now();
      if (performance.now() - this.#since > LIMITS.tailPatienceMs) throw error;
    }
    await waiter.pause(this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LIMITS.maxTailRetryMs);
    return "lost";
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}
