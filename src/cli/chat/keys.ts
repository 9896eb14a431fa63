/** One key from a terminal that otherwise reads lines. */

import { afterInput, type Shell, takeInterrupts } from "../terminal/index.ts";

/** A key that comes sooner after a question was typed before it could be read, and does not answer it. */
const TYPED_BEFORE_MS = 150;

/** Each Ctrl-C counts, also where several come at once, or with other keys. */
export function nextKeyOf(
  { stdin, onExit }: Shell,
  onInterrupt: () => void,
): (signal: AbortSignal) => Promise<string> {
  const heard = new WeakSet<AbortSignal>();
  return async (signal) => {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const onData = (chunk: Buffer | string): void => {
      const { interrupts, keys } = takeInterrupts(String(chunk));
      for (let left = interrupts; left > 0; left--) onInterrupt();
      if (heard.has(signal) && keys !== "") resolve(keys);
    };
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    using _restored = onExit(() => stdin.setRawMode(false));
    stdin.setRawMode(true);
    stdin.on("data", onData);
    stdin.resume();
    using _listening = afterInput(TYPED_BEFORE_MS, () => heard.add(signal));
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
