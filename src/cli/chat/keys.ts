/** One key from a terminal that otherwise reads lines. */

import type { Shell } from "../terminal/index.ts";

const INTERRUPT = "\u0003";

/** What comes sooner after a question was typed before it could be read: it is no answer to it. */
const TYPED_BEFORE_MS = 150;

export function nextKeyOf(
  { stdin, onExit }: Shell,
  onInterrupt: () => void,
): (signal: AbortSignal) => Promise<string> {
  const asked = new WeakSet<AbortSignal>();
  return async (signal) => {
    signal.throwIfAborted();
    const listensFromMs = performance.now() + (asked.has(signal) ? 0 : TYPED_BEFORE_MS);
    asked.add(signal);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const onData = (chunk: Buffer | string): void => {
      const key = String(chunk);
      if (key === INTERRUPT) onInterrupt();
      else if (performance.now() >= listensFromMs) resolve(key);
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
