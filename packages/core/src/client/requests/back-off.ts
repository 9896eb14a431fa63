/** The pauses of a client before it connects again. */

/**
 * Each pause is twice as long as the one before, up to a longest pause; half of it is random, so that many clients do
 * not come back at the same moment.
 *
 * @param tries the number of failed tries since the last connection
 * @param chance from 0 up to 1
 */
export function backOffMs(
  tries: number,
  { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number },
  chance: number = Math.random(),
): number {
  return Math.min(longestMs, firstMs * 2 ** tries) * (0.5 + chance / 2);
}
