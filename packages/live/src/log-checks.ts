/**
 * Checks of a session's log: what is damaged, the degraded state that follows, and the repair, which puts the damaged
 * events aside.
 */

import { ContinuoError, type NewEvent, type Store, type VerifyResult } from "@continuo/core/model";
import {
  count,
  type Damage,
  type DamageReport,
  LIMITS,
  pause,
  RecentNames,
  type SessionOwnerSettings,
} from "./kit/index.ts";
import type { SessionOwner } from "./owner/index.ts";
import { replayRecorded } from "./replay/index.ts";
import {
  assertDegraded,
  type Follower,
  inspectLog,
  isFinal,
  recordRepairs,
  SNAPSHOT_NAME,
} from "./state/index.ts";
import { retryMs } from "./writers/index.ts";

export interface LogChecksOptions {
  /** The store itself, which also returns damaged events as they are. */
  readonly store: Store;
  readonly settings: Pick<SessionOwnerSettings, "clock" | "report">;
  readonly follow: (sessionId: string) => Promise<Follower>;
  readonly own: (sessionId: string) => Promise<SessionOwner | null>;
  readonly forget: (sessionId: string) => Promise<void>;
  /** False when the service is stopped, or owns no sessions. */
  readonly mayWrite: () => boolean;
}

/** The answer of a verification. `ok` is also true if repairs put aside everything that is damaged. */
export interface LiveVerifyResult extends VerifyResult {
  /** The number of events that repairs put aside. */
  readonly quarantinedCount: number;
}

const NEVER = new AbortController().signal;

export class LogChecks {
  readonly #options: LogChecksOptions;
  readonly #checking = new Map<string, Promise<readonly Damage[]>>();
  /** Damage of sessions that ended: each reader finds it again, but one alert a day is enough. */
  readonly #reported: RecentNames;

  constructor(options: LogChecksOptions) {
    this.#options = options;
    this.#reported = new RecentNames(LIMITS.dayMs, () => options.settings.clock.now());
  }

  /**
   * Recomputes every hash. A damaged session that has not ended is degraded when this resolves. Errors: `not_found`,
   * and those of the store.
   */
  async verify(sessionId: string): Promise<LiveVerifyResult> {
    const [result, damages] = await Promise.all([
      this.#options.store.verify(sessionId),
      this.check(sessionId),
    ]);
    const { fold } = await this.#options.follow(sessionId);
    const quarantinedCount = fold.quarantined.reduce((sum, one) => sum + one.through - one.sequence + 1, 0);
    const [first] = damages;
    if (first === undefined) {
      const { checkedCount, prunedCount } = result;
      return { ok: true, checkedCount: Math.max(checkedCount, fold.sequence), prunedCount, quarantinedCount };
    }
    const { sequence, reason } = first;
    return { ...result, ok: false, firstBadSequence: sequence, reason, quarantinedCount };
  }

  /** Degrades a damaged session that has not ended, and returns the damage that no repair has put aside. */
  check(sessionId: string): Promise<readonly Damage[]> {
    const known = this.#checking.get(sessionId);
    if (known !== undefined) return known;
    const checking = this.#check(sessionId).finally(() => this.#checking.delete(sessionId));
    this.#checking.set(sessionId, checking);
    return checking;
  }

  /** Checks a session after a reader met an event that differs from what was written. */
  async onFound(sessionId: string): Promise<void> {
    const { settings, mayWrite } = this.#options;
    if (!mayWrite()) return;
    await this.check(sessionId).catch((error: unknown) => {
      settings.report(`live: cannot check ${sessionId}: ${String(error)}`);
    });
  }

  /** Records the damage that a follower found. */
  onFault({ sessionId, damages, fold }: Follower, reason: string): Promise<void> {
    return this.degrade(sessionId, { reason, damages, foundAt: fold.sequence });
  }

  /**
   * Degrades a session whose notes differ from what its log makes, even if no hash is wrong. Errors: those of the
   * store.
   */
  readonly onDisagreement = async (sessionId: string, reason: string): Promise<void> => {
    const foundAt = (await this.#options.follow(sessionId)).fold.sequence;
    if ((await this.check(sessionId)).length > 0) return;
    await this.degrade(sessionId, { reason, damages: [], foundAt });
  };

  async #check(sessionId: string): Promise<readonly Damage[]> {
    const foundAt = await this.#options.store.latestSequence(sessionId);
    const damages = await this.#damagesOf(sessionId);
    const [first] = damages;
    if (first === undefined) return damages;
    const follower = await this.#options.follow(sessionId);
    await follower.learn(damages);
    await this.degrade(sessionId, { reason: first.reason, damages, foundAt });
    return damages;
  }

  async #damagesOf(sessionId: string): Promise<readonly Damage[]> {
    const { store, follow } = this.#options;
    const damages = await inspectLog(store, sessionId);
    if (damages.length > 0) return damages;
    const { ok, firstBadSequence: sequence = 0, reason = "its hash differs" } = await store.verify(sessionId);
    const isAside = ok || (await follow(sessionId)).damageAt(sequence) !== null;
    if (isAside) return [];
    return [{ sequence, through: sequence, reason, type: null, eventId: null, noteId: null }];
  }

  /**
   * Records the degraded state, so that all servers and clients see it. After an error, tries again up to 3 times, for
   * example if the lease changed hands during a try, even to a newer lease of this server. The damage of a session that
   * ended is only reported.
   */
  async degrade(sessionId: string, finding: DamageReport): Promise<void> {
    const { settings, own, follow, mayWrite } = this.#options;
    const { clock, report } = settings;
    if (isFinal((await follow(sessionId)).fold.state)) {
      const places = finding.damages.map(({ sequence, through }) => `${sequence}-${through}`);
      if (!this.#reported.isNew(JSON.stringify([sessionId, finding.reason, places]))) return;
      count("continuo.live.alerts", 1, { reason: "damaged" });
      report(`live: the log of ${sessionId}, which has ended, is damaged: ${finding.reason}`);
      return;
    }
    for (let tried = 1; mayWrite(); tried++) {
      try {
        const owner = await own(sessionId);
        if (owner !== null) return await owner.degrade(finding);
      } catch (error) {
        report(`live: cannot degrade ${sessionId}: ${String(error)}`);
      }
      if (tried > LIMITS.retries) return;
      await pause(clock, retryMs(tried), NEVER);
    }
  }

  /**
   * Puts the damaged events aside, with a record for each, makes the session active, and makes its snapshots again. A
   * session that ended stays as it is, and is restored from its log from then on. Returns what it put aside. Errors:
   * `invalid_transition` for a session that is neither degraded nor, if it ended, damaged; `corrupt` if too much is
   * damaged; `unavailable` if another server works on the session.
   */
  async repair(key: string, sessionId: string): Promise<readonly Damage[]> {
    const { store, forget, own, follow } = this.#options;
    const { state } = (await follow(sessionId)).fold;
    if (!isFinal(state)) await assertDegraded(store, { key, sessionId });
    const aside = await this.#toPutAside(sessionId);
    // Damage does not degrade a session that ended; without damage there is nothing to repair.
    if (isFinal(state) && aside.length === 0) await assertDegraded(store, { key, sessionId });
    if (aside.length > LIMITS.quarantined) {
      throw new ContinuoError("corrupt", `cannot repair the session: ${aside.length} events are damaged`, {
        hint: "Restore the store from a backup.",
        details: { key, firstBadSequence: aside[0]?.sequence ?? null, limit: LIMITS.quarantined },
      });
    }
    await store.deleteSnapshots({ logId: sessionId, name: SNAPSHOT_NAME });
    if (isFinal(state)) await recordRepairs(store, sessionId, aside);
    await forget(sessionId);
    if (isFinal(state)) return aside;
    const owner = await own(sessionId);
    if (owner === null) {
      throw new ContinuoError("unavailable", "cannot repair the session: another server works on it", {
        hint: "Repair it again.",
        details: { key },
      });
    }
    const events = aside.map((damage): NewEvent => ({ type: "event_quarantined", data: damage }));
    const what = aside.length === 0 ? "the log was verified" : `put aside: ${aside.length}`;
    await owner.repair(what, events);
    await owner.checkpoint();
    return aside;
  }

  /** The damage; if there is none, the events of notes that differ from what their drafts and decisions make. */
  async #toPutAside(sessionId: string): Promise<readonly Damage[]> {
    const { store, follow } = this.#options;
    const damages = await this.#damagesOf(sessionId);
    if (damages.length > 0) return damages;
    const { fold } = await follow(sessionId);
    const { disagreements } = await replayRecorded(store, sessionId);
    return disagreements
      .filter(({ sequence }) => fold.quarantined.every((one) => one.sequence !== sequence))
      .map(({ sequence, reason, noteId = null }) => ({
        sequence,
        through: sequence,
        reason,
        type: null,
        eventId: null,
        noteId,
      }));
  }
}
