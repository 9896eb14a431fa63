/** The end of a pause in what is typed. */

/**
 * Calls back when so much time is over, and what was typed until then was read. Where this process was not scheduled
 * for a while, its timers come before the keys that waited meanwhile, and a clock says that nothing was typed.
 * Nothing waits for it; disposed, it is not called any more.
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
