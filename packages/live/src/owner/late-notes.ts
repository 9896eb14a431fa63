/**
 * Late notes: the log of a session that ended while its note writer was away stays open for a day, so that the writer
 * can still replace what a stand-in wrote. One server at a time does this work; a claim for each session survives every
 * restart.
 */

import {
  ContinuoError,
  messageOf,
  type NewEvent,
  present,
  type Store,
  type Write,
} from "@continuo/core/model";
import { lanesOf, owedIn, redoOwed } from "../batches/index.ts";
import {
  isFields,
  isoOf,
  isRemoved,
  LIMITS,
  onOneServer,
  type SessionOwnerSettings,
  startPeriodicWork,
} from "../kit/index.ts";
import { budgetOf, budgetState, type Follower, isFinal } from "../state/index.ts";
import type { Ownership, SessionLease } from "./ownership.ts";

export interface LateNotesOptions extends SessionOwnerSettings {
  readonly ownership: Ownership;
  readonly follow: (sessionId: string) => Promise<Follower>;
}

interface LateSession {
  readonly untilMs: number;
  /** Keeps the lease of the work. Errors: `fenced` if another server does the work now. */
  readonly renew: () => Promise<unknown>;
}

const PREFIX = "live/late/";
const LEASE = "live/late-notes";

/** The write that is stored with the end of a session that still needs late notes. */
export function lateClaim(sessionId: string, nowMs: number): Write {
  const data = { untilMs: nowMs + LIMITS.lateMs };
  return { type: "claim", name: `${PREFIX}${sessionId}`, generation: 1, owner: "live", status: "open", data };
}

export class LateNotes {
  readonly #options: LateNotesOptions;
  readonly #over = new AbortController();
  #cancel: (() => void) | null = null;

  constructor(options: LateNotesOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, report } = this.#options;
    const work = (): Promise<number> => this.run();
    this.#cancel = startPeriodicWork(clock, { everyMs: LIMITS.latePollMs, name: "late notes", work, report });
  }

  stop(): void {
    this.#cancel?.();
    this.#over.abort();
  }

  /** Tries each session once, on one server at a time. Returns the number of sessions that need nothing more. */
  run(): Promise<number> {
    const { store, report } = this.#options;
    return onOneServer(store, LEASE, async (renew) => {
      let finished = 0;
      for (let cursor: string | null | undefined; cursor !== null && !this.#over.signal.aborted; ) {
        const page: Awaited<ReturnType<Store["listClaims"]>> = await store.listClaims(
          present({ prefix: PREFIX, limit: LIMITS.cleanUpBatch, cursor }),
        );
        for (const { name, data } of page.items) {
          const sessionId = name.slice(PREFIX.length);
          const untilMs = isFields(data) ? Number(data.untilMs) : 0;
          try {
            if (await this.#write(sessionId, { untilMs, renew })) finished++;
          } catch (error) {
            report(`live: no late notes of ${sessionId} yet: ${messageOf(error)}`);
          }
          await renew();
        }
        cursor = page.nextCursor;
      }
      return finished;
    });
  }

  /**
   * Returns true if the session needs nothing more. Its log is then closed, if it still exists. Errors: those of the
   * writer and of the store.
   */
  async #write(sessionId: string, { untilMs, renew }: LateSession): Promise<boolean> {
    const { store, ownership, clock, follow } = this.#options;
    if ((await store.getSession(sessionId)) === null) return this.#forget(sessionId);
    const isOver = clock.now() >= untilMs || (await isRemoved(store, sessionId));
    const follower = await follow(sessionId);
    if (!isFinal(follower.fold.state)) return false;
    if (!isOver && follower.fault === null) {
      const lease = await ownership.own(sessionId);
      if (lease === null) return false;
      try {
        await this.#redo(follower, lease, renew);
      } finally {
        await this.#options.writerOf(follower.fold.noteWriter).end?.(sessionId);
        await ownership.release(lease);
      }
    }
    await store.closeLog(sessionId);
    return this.#forget(sessionId);
  }

  /** Stops if a person removes the session in the meantime, so that nothing more of it is sent to a model. */
  async #redo(follower: Follower, lease: SessionLease, renew: LateSession["renew"]): Promise<void> {
    const { fold, sessionId } = follower;
    for (const lane of lanesOf(fold)) {
      while (owedIn(fold, lane).length > 0) {
        const { budget, writerOf, clock } = this.#options;
        if (budgetState(fold.cost, budgetOf(fold, budget)) === "spent") return;
        if (await isRemoved(this.#options.store, sessionId)) return;
        // A fold that nobody updates would need the same notes forever.
        if (follower.isClosed)
          throw new ContinuoError("unavailable", "the server needs the memory for other sessions");
        await redoOwed({
          ...this.#options,
          follower,
          lane,
          writer: writerOf(fold.noteWriter),
          nowMs: clock.now(),
          signal: this.#over.signal,
          append: (events) => this.#append(follower, lease, events),
          inTurn: (work) => work(),
        });
        // A session with many batches can take longer than the lease of this work.
        await renew();
      }
    }
  }

  async #append(
    follower: Follower,
    { name, token }: SessionLease,
    events: readonly NewEvent[],
  ): Promise<void> {
    const { store, clock, newId } = this.#options;
    const occurredAt = isoOf(clock.now());
    const complete = events.map((event) => ({ id: newId(), occurredAt, ...event }));
    const stored = await store.append(follower.sessionId, complete, { lease: { name, token } });
    await follower.reaches(stored.at(-1)?.sequence ?? 0);
  }

  async #forget(sessionId: string): Promise<boolean> {
    await this.#options.store.deleteClaim({ name: `${PREFIX}${sessionId}`, generation: 1, owner: "live" });
    return true;
  }
}
