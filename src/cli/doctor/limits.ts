/** From where a check of the doctor says that something is wrong, and how much a bug report holds. */

export const DOCTOR_LIMITS = {
  /** 2 GiB and 64 MiB: a large session has a gigabyte, and an edit writes a copy of it first. */
  warnedFreeBytes: 2_147_483_648,
  brokenFreeBytes: 67_108_864,
  /** A search indexes so many by itself. */
  fewUnindexed: 64,
  /** Sessions that will be deleted within this number of days are reported. */
  dueDays: 5,
  /** A bug report of a public tracker takes 65,536 characters. */
  reportedLogChars: 40_000,
} as const;
