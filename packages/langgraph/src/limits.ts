/** Every limit of the adapter, in one place. */

export const LIMITS = {
  /** Checkpoints of this process whose places are known without a read. */
  knownCheckpoints: 512,
  /** Items that a search of the memory returns if no limit is given. */
  searchedItems: 10,
} as const;
