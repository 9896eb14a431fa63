/** The limits of reading trust. */

/** A record of an agent beyond this trusts nothing. */
export const MAX_RECORD_BYTES: number = 8 * 1024 * 1024;
