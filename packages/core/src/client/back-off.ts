/** The pauses of a client before it connects again. */

/**
 * Twice as long after each try, up to a longest pause, and half of it by chance, so that many clients do not come back
 * at the same moment.
 *
 * @param tries how many were in vain since the last connection
 * @param chance from 0 up to 1
 */
export function backOffMs(
  tries: number,
  { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number },
  chance: number = Math.random(),
): number {
  return Math.min(longestMs, firstMs * 2 ** tries) * (0.5 + chance / 2);
}
