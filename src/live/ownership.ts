/**
 * Who owns which session. A server renews one lease for itself; each session has a lease that names its server and
 * does not expire. When a server's own lease expires, the others take its sessions over, each with a greater token, so
 * that the store refuses what the old owner writes afterwards.
 */

import { isContinuoError, type Lease, messageOf, present, type Store } from "../model/index.ts";
import { LIMITS } from "./limits.ts";

export interface SessionLease {
  readonly sessionId: string;
  readonly name: string;
  readonly token: number;
  /** The token of the server that is gone, from which this one took it; `null` where nobody was. */
  readonly takenFrom: number | null;
}

export interface OwnershipOptions {
  readonly store: Store;
  readonly serverId: string;
  /** A session of a server that is gone is ours now. */
  readonly onTakeOver: (lease: SessionLease) => void;
  readonly report: (line: string) => void;
}

const SERVERS = "live/server/";
const SESSIONS = "live/session/";
/** A session's lease lasts as long as its server: ten years stand for ever. */
const FOREVER_MS = 315_360_000_000;

export class Ownership {
  readonly #options: OwnershipOptions;
  #server: Lease | null = null;
  #timers: NodeJS.Timeout[] = [];
  #renewing: Promise<void> | null = null;
  #looking: Promise<void> | null = null;
  /** By session. The lease may be taken anew at the same time: that is the same take-over. */
  readonly #takenFrom = new Map<string, number>();
  #state: "new" | "running" | "stopped" = "new";

  constructor(options: OwnershipOptions) {
    this.#options = options;
  }

  /** From now on this server is alive to others. */
  async start(): Promise<void> {
    if (this.#state !== "new") return;
    this.#state = "running";
    await this.#enter();
    this.#timers = [
      setInterval(() => {
        this.#renewing ??= this.#renew().finally(() => {
          this.#renewing = null;
        });
      }, LIMITS.serverLeaseMs / 3),
      setInterval(() => {
        this.#looking ??= this.#look().finally(() => {
          this.#looking = null;
        });
      }, LIMITS.takeOverPollMs),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /** Others may take the sessions at once. */
  async stop(): Promise<void> {
    if (this.#state !== "running") return;
    this.#state = "stopped";
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([this.#renewing, this.#looking]);
    const { store } = this.#options;
    const { name, token } = this.#server ?? { name: "", token: 0 };
    // One that expired is looked at by the others; one that was given back is not.
    await store.renewLease({ name, token, ttlMs: 1 }).catch(() => undefined);
  }

  /**
   * Makes this server the owner. `null` when another server owns it that is alive, unless `from` is `anybody`: that
   * one's writes are refused from then on.
   */
  async own(sessionId: string, from: "the gone" | "anybody" = "the gone"): Promise<SessionLease | null> {
    const { store, serverId } = this.#options;
    const name = `${SESSIONS}${sessionId}`;
    const asked = { owner: serverId, ttlMs: FOREVER_MS };
    try {
      const { token } = await store.acquireLease(name, asked);
      return { sessionId, name, token, takenFrom: this.#takenFrom.get(sessionId) ?? null };
    } catch (error) {
      if (!isContinuoError(error, "lease_held")) throw error;
      const { owner, token } = error.details;
      const isAlive = (await store.getLease(`${SERVERS}${String(owner)}`)) !== null;
      if (isAlive && from === "the gone") return null;
      return this.#take(sessionId, { takeFrom: Number(token), isAlive });
    }
  }

  /** Nobody owns it, for example because it ended. */
  async release({ sessionId, name, token }: SessionLease): Promise<void> {
    this.#takenFrom.delete(sessionId);
    await this.#options.store.releaseLease({ name, token });
  }

  async #take(
    sessionId: string,
    { takeFrom, isAlive }: { readonly takeFrom: number; readonly isAlive: boolean },
  ): Promise<SessionLease | null> {
    const { store, serverId } = this.#options;
    const name = `${SESSIONS}${sessionId}`;
    try {
      const { token } = await store.acquireLease(name, { owner: serverId, ttlMs: FOREVER_MS, takeFrom });
      if (isAlive) this.#takenFrom.delete(sessionId);
      else this.#takenFrom.set(sessionId, takeFrom);
      return { sessionId, name, token, takenFrom: isAlive ? null : takeFrom };
    } catch (error) {
      if (isContinuoError(error, "lease_held")) return null;
      throw error;
    }
  }

  async #enter(): Promise<void> {
    const { store, serverId } = this.#options;
    const ttlMs = LIMITS.serverLeaseMs;
    this.#server = await store.acquireLease(`${SERVERS}${serverId}`, { owner: serverId, ttlMs });
  }

  async #renew(): Promise<void> {
    const { store, report } = this.#options;
    const { name, token } = this.#server ?? { name: "", token: 0 };
    try {
      await store.renewLease({ name, token, ttlMs: LIMITS.serverLeaseMs });
    } catch (error) {
      // Others may take the sessions meanwhile; what this server then writes is refused.
      report(`live: cannot renew the lease of this server: ${messageOf(error)}`);
    }
  }

  /** Takes the sessions of servers whose lease expired. */
  async #look(): Promise<void> {
    const { store, serverId, onTakeOver, report } = this.#options;
    try {
      const gone = await store.listLeases({ prefix: SERVERS, state: "expired", limit: 100 });
      for (const server of gone.items) {
        if (server.owner === serverId) continue;
        for await (const lease of sessionsOf(store, server.owner)) {
          const sessionId = lease.name.slice(SESSIONS.length);
          const taken = await this.#take(sessionId, { takeFrom: lease.token, isAlive: false });
          if (taken !== null) onTakeOver(taken);
        }
        // It is not looked at again.
        await store.releaseLease({ name: server.name, token: server.token });
      }
    } catch (error) {
      report(`live: cannot look for servers that are gone: ${messageOf(error)}`);
    }
  }
}

async function* sessionsOf(store: Store, owner: string): AsyncGenerator<Lease, void, void> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<Store["listLeases"]>> = await store.listLeases(
      present({ prefix: SESSIONS, owner, limit: 1_000, cursor }),
    );
    yield* page.items;
    cursor = page.nextCursor;
  }
}

/** Whether a server of continuous sessions works on this store, or died while it did. */
export async function isLiveUsed(store: Store): Promise<boolean> {
  return (await store.listLeases({ prefix: SERVERS, limit: 1 })).items.length > 0;
}
