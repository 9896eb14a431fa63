/** The nightly replay: one server at a time replays each session of the last day once. */

import { isContinuoError, type NewEvent, type Store } from "@continuo/core/model";
import {
  type Clock,
  count,
  isoOf,
  LIMITS,
  type LiveState,
  onOneServer,
  record,
  startPeriodicWork,
} from "../kit/index.ts";
import { replayRecorded } from "../replay/index.ts";
import { liveSessions } from "./video-deletion.ts";

export interface NightlyReplayOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly report: (line: string) => void;
  /** Called for a session whose notes differ from what its log makes. */
  readonly onDisagreement: (sessionId: string, reason: string) => Promise<void>;
}

const LEASE = "live/nightly-replay";
const NIGHTS = "live/replayed/";

export class NightlyReplay {
  readonly #options: NightlyReplayOptions;
  #cancel: (() => void) | null = null;

  constructor(options: NightlyReplayOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, report } = this.#options;
    const work = (): Promise<number> => this.runIfDue();
    this.#cancel = startPeriodicWork(clock, {
      everyMs: LIMITS.nightlyPollMs,
      name: "the nightly replay",
      work,
      report,
    });
  }

  stop(): void {
    this.#cancel?.();
  }

  /** Runs after 02:00 UTC, unless a server did it this night. Returns how many sessions it replayed. */
  async runIfDue(): Promise<number> {
    const { store, clock } = this.#options;
    const now = isoOf(clock.now());
    const name = `${NIGHTS}${now.slice(0, 10)}`;
    if (Number(now.slice(11, 13)) < LIMITS.nightHour || (await store.getClaim(name)) !== null) return 0;
    return onOneServer(store, LEASE, async (renew) => {
      // Another server may have finished since the first check.
      if ((await store.getClaim(name)) !== null) return 0;
      const replayed = await this.#replayAll(renew);
      await store.putClaim({ name, generation: 1, owner: "live", status: "done", data: { replayed } });
      return replayed;
    });
  }

  async #replayAll(renew: () => Promise<unknown>): Promise<number> {
    const { store, clock, report, onDisagreement } = this.#options;
    const sinceMs = clock.now() - LIMITS.nightlySpanMs;
    let replayed = 0;
    for await (const { sessionId, status, lastActivityAt } of liveSessions(store)) {
      if (Date.parse(lastActivityAt) < sinceMs) continue;
      const { agreement, compared, disagreements } = await replayRecorded(store, sessionId);
      replayed++;
      record("continuo.live.replay.agreement", agreement);
      if (agreement < 1) {
        const reason = disagreements[0]?.reason ?? "";
        report(`live: the replay of ${sessionId} agrees in ${percent(agreement)}: ${reason}`);
        count("continuo.live.alerts", 1, { reason: "replay_disagrees" });
        await onDisagreement(sessionId, `the nightly replay: ${reason}`);
      }
      await this.#record(sessionId, status as LiveState, { agreement, compared });
      await renew();
    }
    return replayed;
  }

  /** A session that is degraded or has ended takes no events, so its result is only reported. */
  async #record(sessionId: string, state: LiveState, value: object): Promise<void> {
    if (state === "closed" || state === "abandoned" || state === "degraded") return;
    const data = { name: "replay", value };
    const event: NewEvent = {
      type: "telemetry_reported",
      data,
      occurredAt: isoOf(this.#options.clock.now()),
    };
    await this.#options.store.append(sessionId, [event]).catch((error: unknown) => {
      if (!isContinuoError(error, "log_closed")) throw error;
    });
  }
}

/** Rounded down, so that 100 % means complete agreement. */
function percent(share: number): string {
  return `${Math.floor(share * 1_000) / 10} %`;
}
