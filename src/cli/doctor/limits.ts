/** The values from which a check of the doctor reports a fault, and the size of a bug report. */

export const DOCTOR_LIMITS = {
  /**
   * A check warns below 2 GiB, and reports a fault below 64 MiB: a large session can have a gigabyte, and an edit first
   * writes a copy of it.
   */
  warnedFreeBytes: 2_147_483_648,
  brokenFreeBytes: 67_108_864,
  /** A search indexes this many by itself. */
  fewUnindexed: 64,
  /** Sessions that will be deleted within this number of days are reported. */
  dueDays: 5,
  /** A bug report in a public tracker can have 65,536 characters. */
  reportedLogChars: 40_000,
} as const;
