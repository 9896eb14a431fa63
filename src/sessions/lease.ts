/** The lease of a session: who holds it runs the session. It is renewed until it is let go. */

import {
  type CallOptions,
  ContinuoError,
  isContinuoError,
  type Lease,
  type Store,
  type Write,
} from "../model/index.ts";
import { idOf, isGone, ownerOf } from "./owner.ts";

export interface HeldLease {
  readonly name: string;
  readonly token: number;
  /** When it was given, by the store's clock, in milliseconds since 1970. */
  readonly givenAt: number;
  /** Called once when it is lost; at once when it was lost before. */
  onLost(tell: (error: unknown) => void): void;
  /** What gives it back together with the holder's last append. From now on it is not renewed. */
  lastWrite(): Promise<Write>;
  /** That append was stored. */
  givenBack(): void;
  release(): Promise<void>;
}

export function sessionLease(sessionId: string): string {
  return `session/${sessionId}`;
}

/** Held by who waits with a run, so that nobody takes the run for left behind. */
export function runLease(runId: string): string {
  return `run/${runId}`;
}

export interface HoldOptions {
  /** An id: which process that is, is added to it. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly signal?: AbortSignal;
}

/** `null` when somebody else holds it. From whoever is certainly gone, it is taken. */
export async function holdLease(store: Store, name: string, options: HoldOptions): Promise<HeldLease | null> {
  const { leaseMs, signal } = options;
  const owner = ownerOf(options.owner);
  const asked = { owner, ttlMs: leaseMs, ...(signal === undefined ? {} : { signal }) };
  for (let gone: number | undefined; ; ) {
    try {
      const takeFrom = gone === undefined ? {} : { takeFrom: gone };
      return renewed(store, await store.acquireLease(name, { ...asked, ...takeFrom }), leaseMs);
    } catch (error) {
      if (!isContinuoError(error, "lease_held")) throw error;
      const { token, owner: holder } = error.details;
      // A store that takes it from nobody says the same again.
      if (typeof token !== "number" || token === gone || !isGone(String(holder))) return null;
      gone = token;
    }
  }
}

/** Who holds it now, and is not certainly gone; `owner` is the id alone. */
export async function holderOf(store: Store, name: string, call: CallOptions = {}): Promise<Lease | null> {
  const lease = await store.getLease(name, call);
  return lease === null || isGone(lease.owner) ? null : { ...lease, owner: idOf(lease.owner) };
}

/** Who runs the session now; `null` when nobody does. */
export function runnerOf(store: Store, sessionId: string, call: CallOptions = {}): Promise<Lease | null> {
  return holderOf(store, sessionLease(sessionId), call);
}

function renewed(store: Store, { name, token, expiresAt }: Lease, leaseMs: number): HeldLease {
  let lost: { readonly error: unknown } | undefined;
  let tell: ((error: unknown) => void) | undefined;
  let renewedAt = performance.now();
  let renewing: Promise<void> | undefined;
  let state: "held" | "given back" = "held";
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
    lastWrite: async () => {
      clearInterval(timer);
      // A renewal that came behind it would take the lease anew.
      await renewing;
      return { type: "lease_release", name, token };
    },
    givenBack: () => {
      state = "given back";
    },
    release: async () => {
      clearInterval(timer);
      tell = undefined;
      await renewing;
      if (lost !== undefined || state === "given back") return;
      // A lease that cannot be given back expires.
      await store.releaseLease({ name, token }).catch(() => undefined);
    },
  };
}

function expired(name: string, cause: unknown): ContinuoError {
  return new ContinuoError("fenced", `The lease ${name} could not be renewed in time.`, {
    hint: "Somebody else may hold it by now.",
    details: { name },
    cause,
  });
}
