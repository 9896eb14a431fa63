/** Typed input: Ctrl-C among the keys, and the end of a pause. */

/**
 * Calls back after `ms` milliseconds, after all keys that were typed until then were read. If this process was not
 * scheduled for a while, its timers fire before it reads the waiting keys, so a timer by itself would report a pause
 * that never was. The timer does not keep the process alive; after disposal `call` is not called.
 */
export function afterInput(ms: number, call: () => void): Disposable {
  let soon: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    soon = setImmediate(call);
  }, ms);
  timer.unref();
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      clearImmediate(soon);
    },
  };
}

/** Ctrl-C in a terminal that sends it as a key instead of a signal. */
export const INTERRUPT = "\u0003";

/** Returns the number of interrupts in one read, and the keys after the last. An interrupt discards earlier keys. */
export function takeInterrupts(typed: string): { readonly interrupts: number; readonly keys: string } {
  const parts = typed.split(INTERRUPT);
  return { interrupts: parts.length - 1, keys: parts.at(-1) ?? "" };
}
