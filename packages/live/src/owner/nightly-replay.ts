/**
 * The nightly replay: one server at a time replays each session of the last day once. The claim of the night says which
 * sessions were reported. A server that takes over a night also takes its claim, so that a server that stood still for
 * longer than its lease reports nothing more.
 */

import { type Claim, isContinuoError, type NewEvent, type Store } from "@continuo/core/model";
import {
  type Clock,
  count,
  isFields,
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
  /** Called for a session whose notes differ from what its log makes; again if the replay of a night is repeated. */
  readonly onDisagreement: (sessionId: string, reason: string) => Promise<void>;
}

const LEASE = "live/nightly-replay";
const NIGHTS = "live/replayed/";

/** The claim of a night, as the server that replays it holds it. */
interface Night {
  readonly name: string;
  readonly generation: number;
  readonly owner: string;
  /** The sessions that were reported, also by a server that did not finish the night. */
  readonly reported: Set<string>;
}

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
    if (Number(now.slice(11, 13)) < LIMITS.nightHour || isDone(await store.getClaim(name))) return 0;
    return onOneServer(store, LEASE, async (renew) => {
      // Another server may have finished since the first check.
      const before = await store.getClaim(name);
      if (isDone(before)) return 0;
      try {
        return await this.#replayNight(toNight(name, before), renew);
      } catch (error) {
        // Another server took the night over, and reports the rest of it.
        if (isContinuoError(error, "fenced")) return 0;
        throw error;
      }
    });
  }

  async #replayNight(night: Night, renew: () => Promise<unknown>): Promise<number> {
    await this.#hold(night);
    const replayed = await this.#replayAll(night, renew);
    const { name, generation, owner } = night;
    await this.#options.store.putClaim({ name, generation, owner, status: "done", data: { replayed } });
    return replayed;
  }

  /** Stores what was reported. Errors: `fenced` if another server took the night over. */
  async #hold({ name, generation, owner, reported }: Night): Promise<void> {
    const data = { reported: [...reported] };
    await this.#options.store.putClaim({ name, generation, owner, status: "running", data });
  }

  async #replayAll(night: Night, renew: () => Promise<unknown>): Promise<number> {
    const { store, clock, onDisagreement } = this.#options;
    const sinceMs = clock.now() - LIMITS.nightlySpanMs;
    let replayed = 0;
    for await (const { sessionId, status, lastActivityAt } of liveSessions(store)) {
      if (Date.parse(lastActivityAt) < sinceMs) continue;
      const { agreement, compared, disagreements } = await replayRecorded(store, sessionId);
      replayed++;
      record("continuo.live.replay.agreement", agreement);
      if (agreement < 1) {
        const reason = disagreements[0]?.reason ?? "";
        await this.#reportOnce(night, sessionId, `agrees in ${percent(agreement)}: ${reason}`);
        await onDisagreement(sessionId, `the nightly replay: ${reason}`);
      }
      await this.#record(sessionId, status as LiveState, { agreement, compared });
      await renew();
    }
    return replayed;
  }

  async #reportOnce(night: Night, sessionId: string, what: string): Promise<void> {
    if (night.reported.has(sessionId)) return;
    night.reported.add(sessionId);
    await this.#hold(night);
    this.#options.report(`live: the replay of ${sessionId} ${what}`);
    count("continuo.live.alerts", 1, { reason: "replay_disagrees" });
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

function isDone(claim: Claim | null): boolean {
  return claim?.status === "done";
}

/** The next generation of the claim, of which no earlier holder can change anything. */
function toNight(name: string, before: Claim | null): Night {
  const reported = isFields(before?.data) && Array.isArray(before.data.reported) ? before.data.reported : [];
  return {
    name,
    generation: (before?.generation ?? 0) + 1,
    owner: crypto.randomUUID(),
    reported: new Set(reported.map(String)),
  };
}

/** Rounded down, so that 100 % means complete agreement. */
function percent(share: number): string {
  return `${Math.floor(share * 1_000) / 10} %`;
}
