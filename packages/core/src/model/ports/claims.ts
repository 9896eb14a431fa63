/** A thing that one worker does at a time, by its name. The generation tells an old worker from the new. */

export interface Claim {
  readonly name: string;
  readonly generation: number;
  readonly owner: string;
  readonly status: string;
  readonly data: unknown;
  readonly updatedAt: string;
}

/**
 * Takes a claim (`generation` one more than the stored one, which begins at 0), or changes the one that is
 * held (the same generation and owner). Errors: `fenced` (`details.generation`, `details.owner`).
 */
export interface ClaimWrite {
  readonly type: "claim";
  readonly name: string;
  readonly generation: number;
  readonly owner: string;
  readonly status?: string;
  readonly data?: unknown;
}
