/** How a command that runs until it is stopped is stopped. */

import type { Shell } from "../terminal/index.ts";

/** Resolves with the first SIGTERM or Ctrl-C; the next one ends the process. */
export function stopSignal(shell: Shell): Promise<void> {
  return new Promise((resolve) => {
    const held: Disposable[] = [];
    const stop = (): void => {
      for (const one of held) one[Symbol.dispose]();
      resolve();
    };
    held.push(shell.holdTermination(stop), shell.holdInterrupts(stop));
  });
}
