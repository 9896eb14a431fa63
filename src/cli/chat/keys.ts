/** One key from a terminal that otherwise reads lines. */

import type { Shell } from "../terminal/index.ts";

const INTERRUPT = "\u0003";

export function nextKeyOf(
  { stdin, onExit }: Shell,
  onInterrupt: () => void,
): (signal: AbortSignal) => Promise<string> {
  return async (signal) => {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const onData = (chunk: Buffer | string): void => {
      const key = String(chunk);
      if (key === INTERRUPT) onInterrupt();
      else resolve(key);
    };
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    using _restored = onExit(() => stdin.setRawMode(false));
    stdin.setRawMode(true);
    stdin.on("data", onData);
    stdin.resume();
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
