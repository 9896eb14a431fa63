/** Waits for an agent up to a time limit. */

export interface WaitOptions {
  /** `Infinity` waits for ever. */
  readonly limitMs: number;
  /** Makes the error that is thrown when the time is up. */
  readonly late: () => Error;
  readonly signal?: AbortSignal;
}

/** Gives up at the time limit or at the signal, whose reason is thrown. The awaited work continues. */
export async function within<T>(promise: Promise<T>, { limitMs, late, signal }: WaitOptions): Promise<T> {
  // A caller that gave up does not need the later error.
  promise.catch(() => undefined);
  signal?.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (() => void) | undefined;
  const limit = new Promise<never>((_, refuse) => {
    if (Number.isFinite(limitMs)) timer = setTimeout(() => refuse(late()), limitMs);
    giveUp = () => refuse(signal?.reason);
    signal?.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
    if (giveUp !== undefined) signal?.removeEventListener("abort", giveUp);
  }
}
