/** When a program has said all that it had to say, where it does not tell. */

export interface Quiet {
  /** Says nothing for so long. */
  readonly quietMs: number;
  /** Whoever never falls silent is waited for no longer. */
  readonly limitMs: number;
  /** How much was heard by now: a number that grows. */
  readonly heard: () => number;
}

/**
 * Until nothing more was heard for `quietMs`. What waits to be read counts as heard: where this process was held up,
 * its timers come before it.
 */
export async function untilQuiet({ quietMs, limitMs, heard }: Quiet): Promise<void> {
  const startedAt = performance.now();
  for (let before = -1; before !== heard() && performance.now() - startedAt <= limitMs; ) {
    before = heard();
    await new Promise((done) => setTimeout(done, quietMs));
    await new Promise((done) => setImmediate(done));
  }
}
