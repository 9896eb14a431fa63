/** The lease of a session: its holder runs the session. It is renewed until it is released. */

import {
  assertKnownOptions,
  type CallOptions,
  ContinuoError,
  isContinuoError,
  type Lease,
  present,
  type Store,
  type Write,
} from "@continuo/core/model";
import { idOfOwner, isOwnerGone, ownerHere } from "@continuo/files";
import { newId } from "./ids.ts";
import { LIMITS } from "./limits.ts";

export interface HeldLease {
  readonly name: string;
  readonly token: number;
  /** The time at which the lease was given, by the store's clock, in milliseconds since 1970. */
  readonly givenAt: number;
  /** Calls `tell` once when the lease is lost, or immediately if it is lost already. */
  onLost(tell: (error: unknown) => void): void;
  /** The write that releases the lease together with the holder's last append. */
  readonly releaseWrite: Write;
  /** Returns `releaseWrite`, after a renewal that is under way. From now on the lease is not renewed. */
  lastWrite(): Promise<Write>;
  /** The holder calls this when the append with `releaseWrite` was stored. */
  givenBack(): void;
  release(): Promise<void>;
}

/** A new owner for claims of runs. Other processes see at once when this process has ended. */
export function newOwner(): string {
  return ownerHere(newId());
}

export function sessionLease(sessionId: string): string {
  return `session/${sessionId}`;
}

/** The name of the lease that is held while a run waits, so that no process considers the run abandoned. */
export function runLease(runId: string): string {
  return `run/${runId}`;
}

export interface HoldOptions {
  /** An id, to which the identity of this process is added. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly signal?: AbortSignal;
}

/** Returns `null` if somebody else has the lease. The lease is taken from a process that has certainly ended. */
export async function holdLease(store: Store, name: string, options: HoldOptions): Promise<HeldLease | null> {
  const { leaseMs, signal } = options;
  const owner = ownerHere(options.owner);
  const asked = present({ owner, ttlMs: leaseMs, signal });
  for (let gone: number | undefined; ; ) {
    try {
      const takeFrom = gone === undefined ? {} : { takeFrom: gone };
      return renewed(store, await store.acquireLease(name, { ...asked, ...takeFrom }), { owner, leaseMs });
    } catch (error) {
      if (!isContinuoError(error, "lease_held")) throw error;
      const { token, owner: holder } = error.details;
      // A store that does not support `takeFrom` refuses again in the same way.
      if (typeof token !== "number" || token === gone || !isLetGo({ name, token, owner: String(holder) }))
        return null;
      gone = token;
    }
  }
}

/** The present holder, unless it is certainly gone; `owner` is only the id. */
async function holderOf(store: Store, name: string, call: CallOptions = {}): Promise<Lease | null> {
  const lease = await store.getLease(name, call);
  return lease === null || isLetGo(lease) ? null : { ...lease, owner: idOfOwner(lease.owner) };
}

/** The process that runs the session now; `null` if there is none. */
export async function runnerOf(
  store: Store,
  sessionId: string,
  call: CallOptions = {},
): Promise<Lease | null> {
  assertKnownOptions("runnerOf", call, { signal: true });
  return await holderOf(store, sessionLease(sessionId), call);
}

type LeaseHolder = Pick<Lease, "name" | "token" | "owner">;

/** Leases that this process released while the store did not answer: a caller in this process may take them. */
const LET_GO = new Set<string>();

function keyOf({ name, token, owner }: LeaseHolder): string {
  return JSON.stringify([name, token, owner]);
}

/** True if the process of the lease has ended, or if this process has it and no longer uses it. */
export function isLetGo(lease: LeaseHolder): boolean {
  return LET_GO.has(keyOf(lease)) || isOwnerGone(lease.owner);
}

interface Renewal {
  readonly owner: string;
  readonly leaseMs: number;
}

function renewed(store: Store, { name, token, expiresAt }: Lease, { owner, leaseMs }: Renewal): HeldLease {
  let lost: { readonly error: unknown } | undefined;
  let tell: ((error: unknown) => void) | undefined;
  let renewedAt = performance.now();
  let renewing: Promise<void> | undefined;
  let state: "held" | "given back" = "held";
  const releaseWrite: Write = { type: "lease_release", name, token };
  const lose = (error: unknown): void => {
    clearInterval(timer);
    lost = { error };
    tell?.(error);
  };
  const renew = async (): Promise<void> => {
    const asked = performance.now();
    try {
      await store.renewLease({ name, token, ttlMs: leaseMs });
      renewedAt = asked;
    } catch (error) {
      // A store that does not answer may answer again before the time is over.
      const isOver = performance.now() - renewedAt > leaseMs;
      if (isContinuoError(error, "fenced") || isOver) lose(isOver ? expired(name, error) : error);
    } finally {
      renewing = undefined;
    }
  };
  const timer = setInterval(() => {
    renewing ??= renew();
  }, leaseMs / 3);
  return {
    name,
    token,
    givenAt: Date.parse(expiresAt) - leaseMs,
    onLost: (listener) => {
      tell = listener;
      if (lost !== undefined) listener(lost.error);
    },
    releaseWrite,
    lastWrite: async () => {
      clearInterval(timer);
      // A renewal after the release would take the lease again.
      await renewing;
      return releaseWrite;
    },
    givenBack: () => {
      state = "given back";
    },
    release: async () => {
      clearInterval(timer);
      tell = undefined;
      await renewing;
      if (state === "given back") return;
      await letGo(store, { name, token, owner }, leaseMs);
    },
  };
}

/**
 * Releases the lease now, or as soon as the store answers. Nothing happens if somebody else has the lease by then.
 */
async function letGo(store: Store, holder: LeaseHolder, leaseMs: number): Promise<void> {
  const { name, token } = holder;
  const giveBack = (): Promise<boolean> =>
    store.releaseLease({ name, token }).then(
      () => true,
      () => false,
    );
  if (await giveBack()) return;
  LET_GO.add(keyOf(holder));
  void (async () => {
    // After that time the lease has expired.
    for (const until = performance.now() + leaseMs; performance.now() < until; ) {
      await pauseAside(Math.min(LIMITS.pollMs, leaseMs));
      if (await giveBack()) break;
    }
    LET_GO.delete(keyOf(holder));
  })();
}

/** A pause that does not keep the process alive. */
function pauseAside(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}

function expired(name: string, cause: unknown): ContinuoError {
  return new ContinuoError("fenced", `cannot renew the lease ${name} in time`, {
    hint: "Stop writing: another process may hold the lease now.",
    details: { name },
    cause,
  });
}
