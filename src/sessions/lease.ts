/** The lease of a session: who holds it runs the session. It is renewed until it is let go. */

import { ContinuoError, isContinuoError, type Lease, type Store } from "../model/index.ts";

export interface HeldLease {
  readonly name: string;
  readonly token: number;
  /** When it was given, by the store's clock, in milliseconds since 1970. */
  readonly givenAt: number;
  /** Called once when it is lost; at once when it was lost before. */
  onLost(tell: (error: unknown) => void): void;
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
  readonly owner: string;
  readonly leaseMs: number;
  readonly signal?: AbortSignal;
}

/** `null` when somebody else holds it. */
export async function holdLease(store: Store, name: string, options: HoldOptions): Promise<HeldLease | null> {
  const { owner, leaseMs, signal } = options;
  try {
    const lease = await store.acquireLease(name, {
      owner,
      ttlMs: leaseMs,
      ...(signal === undefined ? {} : { signal }),
    });
    return renewed(store, lease, leaseMs);
  } catch (error) {
    if (isContinuoError(error, "lease_held")) return null;
    throw error;
  }
}

function renewed(store: Store, { name, token, expiresAt }: Lease, leaseMs: number): HeldLease {
  let lost: { readonly error: unknown } | undefined;
  let tell: ((error: unknown) => void) | undefined;
  let renewedAt = performance.now();
  let renewing: Promise<void> | undefined;
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
    release: async () => {
      clearInterval(timer);
      tell = undefined;
      await renewing;
      if (lost !== undefined) return;
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
