/** Finds the end of a program's output, for programs that do not report it. */

export interface IdleWaitOptions {
  /** The length of the silence. */
  readonly quietMs: number;
  /** After this time, the wait ends even if the program is never silent. */
  readonly limitMs: number;
  /** The amount of output so far: a number that grows. */
  readonly heard: () => number;
}

/**
 * Resolves when no output came for `quietMs`. Output that is not read yet counts too: after a delay of this process,
 * its timers fire before it reads the output.
 */
export async function waitUntilIdle({ quietMs, limitMs, heard }: IdleWaitOptions): Promise<void> {
  const startedAt = performance.now();
  for (let before = -1; before !== heard() && performance.now() - startedAt <= limitMs; ) {
    before = heard();
    await new Promise((done) => setTimeout(done, quietMs));
    await new Promise((done) => setImmediate(done));
  }
}
