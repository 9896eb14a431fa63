/** The limits of this reader, besides the limits on records. */

/** The bytes of a file that show its session. */
export const HEAD_BYTES: number = 256 * 1024;

/** Sub-agents of one session that are named; the records of the others are kept too. */
export const MAX_SUBAGENTS = 1000;
