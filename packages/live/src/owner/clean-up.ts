/**
 * The clean-up ends sessions that received no input and no ping for an hour. Only one server does this at a time, and
 * each session ends once.
 */

import { present, type Session, type Store } from "@continuo/core/model";
import { type Clock, isFields, isoOf, LIMITS, onOneServer, startPeriodicWork } from "../kit/index.ts";
import { isLiveSession } from "../sessions/index.ts";
import { restore } from "../state/index.ts";

export interface CleanUpOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly report: (line: string) => void;
  /** `false` when the session has ended already. */
  readonly abandon: (sessionId: string) => Promise<boolean>;
}

const LEASE = "live/clean-up";
const PING = "live/ping";

export class CleanUp {
  readonly #options: CleanUpOptions;
  #cancel: (() => void) | null = null;

  constructor(options: CleanUpOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, report } = this.#options;
    const regular = { everyMs: LIMITS.cleanUpMs, name: "the clean-up", work: () => this.run(), report };
    this.#cancel = startPeriodicWork(clock, regular);
  }

  stop(): void {
    this.#cancel?.();
  }

  /** A ping is kept outside of the log, so that the log does not grow. */
  async ping(sessionId: string): Promise<void> {
    const { store, clock } = this.#options;
    await store.commitCursor({ logId: sessionId, name: PING, data: { atMs: clock.now() } });
  }

  /** Returns how many sessions it ended; 0 while another server does the work. */
  run(): Promise<number> {
    return onOneServer(this.#options.store, LEASE, (renew) => this.#endAll(renew));
  }

  async #endAll(renew: () => Promise<unknown>): Promise<number> {
    const { store, clock, abandon, report } = this.#options;
    let ended = 0;
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Awaited<ReturnType<Store["listSessions"]>> = await store.listSessions(
        present({
          status: ["created", "active", "idle", "degraded"],
          activeBefore: isoOf(clock.now() - LIMITS.cleanUpLookMs),
          limit: LIMITS.cleanUpBatch,
          cursor,
        }),
      );
      for (const session of page.items) {
        if (!isLiveSession(session) || !(await this.#isDue(session))) continue;
        try {
          if (!(await abandon(session.sessionId))) continue;
          ended++;
          if (session.status === "degraded")
            report(`live: abandoned ${session.sessionId}, which nobody repaired`);
        } catch (error) {
          report(`live: cannot end ${session.sessionId}: ${String(error)}`);
        }
      }
      await renew();
      cursor = page.nextCursor;
    }
    return ended;
  }

  async #isDue({ sessionId, status }: Session): Promise<boolean> {
    const { store, clock } = this.#options;
    const { fold } = await restore(store, sessionId);
    const ping = await store.getCursor({ logId: sessionId, name: PING });
    const pingedAtMs = isFields(ping?.data) && typeof ping.data.atMs === "number" ? ping.data.atMs : 0;
    // A degraded session takes no input, so its hour begins when it becomes degraded. A repair is not an input, but the
    // hour begins again with it.
    const activeAtMs = fold.stateSinceMs - (status === "idle" ? LIMITS.idleMs : 0);
    const usedAtMs =
      status === "degraded" ? fold.stateSinceMs : Math.max(fold.lastInputAtMs, pingedAtMs, activeAtMs);
    return clock.now() - usedAtMs >= LIMITS.abandonMs;
  }
}
