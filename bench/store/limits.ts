/** Targets of the store, as ratios measured in one run. */

export const TARGETS = {
  /** Rate of appends relative to bare `node:sqlite`, by batch, with one caller. */
  appendBatch1: 0.8,
  appendBatch10: 0.8,
  appendBatch100: 0.8,
  /** Rate with 32 callers relative to one caller. */
  groupCommit: 5,
  /** Rate of a replay relative to the bare SELECT of the same rows. */
  replay: 0.6,
  /** Growth of memory while a million events are tailed, in bytes. */
  tailMemoryBytes: 100_000_000,
  /** Cost of an append at 10 million events relative to 10 thousand. */
  growth: 1.3,
  /** Rate relative to a bare `pg` insert of the same statement shape. */
  postgres: 0.7,
  /** Rate on Postgres with 32 callers of one log relative to one caller. */
  postgresGroupCommit: 6,
} as const;
