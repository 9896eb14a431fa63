/** Reads single keys from a terminal that otherwise reads lines. */

import { afterInput, type Shell, takeInterrupts } from "../terminal/index.ts";

/** A key within this time after a question does not answer it: nobody can have read the question. */
const TYPED_BEFORE_MS = 150;

/**
 * Returns a function that resolves to the next keys, and rejects when its signal aborts. `onInterrupt` is called for
 * each Ctrl-C, even if several arrive together, or with other keys.
 */
export function nextKeyOf(
  { stdin, onExit }: Shell,
  onInterrupt: () => void,
): (signal: AbortSignal) => Promise<string> {
  const ready = new WeakSet<AbortSignal>();
  return async (signal) => {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const onData = (chunk: Buffer | string): void => {
      const { interrupts, keys } = takeInterrupts(String(chunk));
      for (let left = interrupts; left > 0; left--) onInterrupt();
      if (ready.has(signal) && keys !== "") resolve(keys);
    };
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    using _restored = onExit(() => stdin.setRawMode(false));
    stdin.setRawMode(true);
    stdin.on("data", onData);
    stdin.resume();
    using _listening = afterInput(TYPED_BEFORE_MS, () => ready.add(signal));
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", stop);
      stdin.removeListener("data", onData);
      stdin.pause();
      stdin.setRawMode(false);
    }
  };
}
