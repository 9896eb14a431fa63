/**
 * The owners of sessions. A server renews one lease for itself. Each session has a lease that names its server and does
 * not expire. When a server's own lease expires, other servers take over its sessions with a greater token, so that the
 * store refuses later writes of the earlier owner.
 */

import { isContinuoError, type Lease, listAll, messageOf, type Store } from "@continuo/core/model";
import { LIMITS } from "../kit/index.ts";

export interface SessionLease {
  readonly sessionId: string;
  readonly name: string;
  readonly token: number;
  /** The token of the earlier owner, if this server took the session from a server that is gone; otherwise `null`. */
  readonly takenFrom: number | null;
}

export interface OwnershipOptions {
  readonly store: Store;
  readonly serverId: string;
  /** Called when this server took over a session of a server that is gone. */
  readonly onTakeOver: (lease: SessionLease) => void;
  readonly report: (line: string) => void;
}

const SERVERS = "live/server/";
const SESSIONS = "live/session/";
/** A session's lease lasts as long as its server: ten years mean that it does not expire. */
const FOREVER_MS = 315_360_000_000;

export class Ownership {
  readonly #options: OwnershipOptions;
  #server: Lease | null = null;
  #timers: NodeJS.Timeout[] = [];
  #renewing: Promise<void> | null = null;
  #looking: Promise<void> | null = null;
  /**
   * The tokens of earlier owners, by session. If the lease is requested twice at the same time, both requests are the
   * same take-over.
   */
  readonly #takenFrom = new Map<string, number>();
  /** The last request for the lease of a session, by session. */
  readonly #turns = new Map<string, Promise<SessionLease | null>>();
  #state: "new" | "running" | "stopped" = "new";

  constructor(options: OwnershipOptions) {
    this.#options = options;
  }

  /** Begins to renew the server's lease, by which other servers see that it is alive. */
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

  /** Lets the server's lease expire at once, so that other servers take its sessions over. */
  async stop(): Promise<void> {
    if (this.#state !== "running") return;
    this.#state = "stopped";
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([this.#renewing, this.#looking]);
    const { store } = this.#options;
    const { name, token } = this.#server ?? { name: "", token: 0 };
    // An expired lease makes others look for the sessions; a released one would not.
    await store.renewLease({ name, token, ttlMs: 1 }).catch(() => undefined);
  }

  /**
   * Makes this server the owner. With `the gone`, returns `null` if a living server owns the session. With `anybody`,
   * takes the session from that server too, and the store refuses its later writes.
   */
  own(sessionId: string, from: "the gone" | "anybody" = "the gone"): Promise<SessionLease | null> {
    return this.#inTurn(sessionId, async () => {
      for (let tried = 0; tried <= LIMITS.retries; tried++) {
        const lease = await this.#tryToOwn(sessionId, from);
        if (lease !== "changed hands") return lease;
      }
      return null;
    });
  }

  /**
   * The periodic check and a request ask for a lease one after the other. Otherwise the store would grant the lease to
   * this server twice, and refuse writes with the first grant.
   */
  #inTurn(sessionId: string, ask: () => Promise<SessionLease | null>): Promise<SessionLease | null> {
    const before = this.#turns.get(sessionId) ?? Promise.resolve(null);
    const turn = before.then(ask, ask).finally(() => {
      if (this.#turns.get(sessionId) === turn) this.#turns.delete(sessionId);
    });
    this.#turns.set(sessionId, turn);
    return turn;
  }

  /** `changed hands`: another server took the session between two steps. */
  async #tryToOwn(
    sessionId: string,
    from: "the gone" | "anybody",
  ): Promise<SessionLease | "changed hands" | null> {
    const { store, serverId } = this.#options;
    const name = `${SESSIONS}${sessionId}`;
    const asked = { owner: serverId, ttlMs: FOREVER_MS };
    const left = await this.#leftBehind(name);
    if (left !== null) {
      return (await this.#take(sessionId, { takeFrom: left.token, isAlive: false })) ?? "changed hands";
    }
    try {
      const { token } = await store.acquireLease(name, asked);
      return { sessionId, name, token, takenFrom: this.#takenFrom.get(sessionId) ?? null };
    } catch (error) {
      if (!isContinuoError(error, "lease_held")) throw error;
      const { owner, token } = error.details;
      const isAlive = (await store.getLease(`${SERVERS}${String(owner)}`)) !== null;
      if (isAlive && from === "the gone") return null;
      return (await this.#take(sessionId, { takeFrom: Number(token), isAlive })) ?? "changed hands";
    }
  }

  /** Finds a lease that ended: on SQLite, a restart of the machine ends all leases, including those without expiry. */
  async #leftBehind(name: string): Promise<Lease | null> {
    const { store, serverId } = this.#options;
    const [lease] = (await store.listLeases({ prefix: name, limit: 1 })).items;
    const isLeft = lease?.name === name && lease.state === "expired" && lease.owner !== serverId;
    return isLeft ? lease : null;
  }

  /** Leaves the session without an owner, for example because it ended. */
  async release({ sessionId, name, token }: SessionLease): Promise<void> {
    this.#takenFrom.delete(sessionId);
    await this.#options.store.releaseLease({ name, token });
  }

  /** `null` when a request took the session since it was listed. */
  async #takeFromGone(sessionId: string, { name, owner, token }: Lease): Promise<SessionLease | null> {
    const now = await this.#options.store.getLease(name);
    if (now?.owner !== owner || now.token !== token) return null;
    return this.#take(sessionId, { takeFrom: token, isAlive: false });
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
      // Others may take the sessions over now; later writes of this server are refused.
      report(`live: cannot renew the lease of this server: ${messageOf(error)}`);
    }
  }

  /** Takes over the sessions of servers whose lease expired. */
  async #look(): Promise<void> {
    const { store, serverId, onTakeOver, report } = this.#options;
    try {
      const gone = await store.listLeases({ prefix: SERVERS, state: "expired", limit: 100 });
      for (const server of gone.items) {
        if (server.owner === serverId) continue;
        for await (const lease of sessionsOf(store, server.owner)) {
          const sessionId = lease.name.slice(SESSIONS.length);
          const taken = await this.#inTurn(sessionId, () => this.#takeFromGone(sessionId, lease));
          if (taken !== null) onTakeOver(taken);
        }
        // The lease is released, so that other servers do not examine the dead server again.
        await store.releaseLease({ name: server.name, token: server.token });
      }
    } catch (error) {
      report(`live: cannot look for servers that are gone: ${messageOf(error)}`);
    }
  }
}

function sessionsOf(store: Store, owner: string): AsyncGenerator<Lease, void, void> {
  return listAll((place) => store.listLeases({ prefix: SESSIONS, owner, limit: 1_000, ...place }));
}

/** Resolves to true if a server of continuous sessions runs on this store, or died on it. */
export async function isLiveUsed(store: Store): Promise<boolean> {
  return (await store.listLeases({ prefix: SERVERS, limit: 1 })).items.length > 0;
}
