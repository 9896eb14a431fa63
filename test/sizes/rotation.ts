/**
 * Which part of the tests by the real agents a run of CI takes: the commit decides, so that a failure can be repeated,
 * and the runs of several commits cover all parts. `npm run test:agents` and the soak take all of them.
 */

/** A third of the files takes about seven minutes on two cores. */
export const AGENT_PARTS = 3;

/** The part of a commit, as Vitest's `--shard` takes it. @param commit its hash in hexadecimal digits */
export function partOf(commit: string, parts: number): string {
  const digits = /^[0-9a-f]{8}/u.exec(commit)?.[0];
  if (digits === undefined) throw new Error(`this is not the hash of a commit: ${JSON.stringify(commit)}`);
  return `${(Number.parseInt(digits, 16) % parts) + 1}/${parts}`;
}
