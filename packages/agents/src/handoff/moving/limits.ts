/** The limits of a move between two machines. */

/** Bytes of a line: an offer names up to 2,000 commits. */
export const MAX_LINE_BYTES: number = 1024 * 1024;

/** Bytes of a bundle that one machine takes from another. */
export const MAX_BUNDLE_BYTES: number = 8 * 1024 ** 3;

/** Days after which the remains of a move are removed. */
export const KEPT_DAYS = 7;
