/** The state that many processes share: cursors, leases, producers, claims and snapshots. */

import type { CallOptions, Page, PageOptions } from "./page.ts";

export interface Cursor {
  readonly logId: string;
  readonly name: string;
  readonly sequence: number;
  /** Data that its reader stores with it; `null` if there is none. */
  readonly data: unknown;
  readonly updatedAt: string;
}

export interface CursorName extends CallOptions {
  readonly logId: string;
  readonly name: string;
}

/**
 * `expiresAt` is a time of day. The lease itself uses the clock of the database, and on SQLite the time since the
 * machine was started, so a change of the time of day does not end a lease.
 */
export interface Lease {
  readonly name: string;
  /** Greater than every token that was given for this name before. */
  readonly token: number;
  readonly owner: string;
  readonly expiresAt: string;
}

/**
 * A lease that `expired` belongs to a holder that is gone, and can be taken; one that was `released` was given back.
 */
export interface ListedLease extends Lease {
  readonly state: "held" | "expired" | "released";
}

export interface LeaseOptions extends CallOptions {
  readonly owner: string;
  /** The time for which it is held without a renewal; 30,000 by default. */
  readonly ttlMs?: number;
  /**
   * The token of a holder that is known to be gone: the lease is taken from it before it expires. A lease that was
   * given to somebody else in the meantime is not taken.
   */
  readonly takeFrom?: number;
}

export interface LeaseName extends CallOptions {
  readonly name: string;
  readonly token: number;
}

export interface Producer {
  readonly logId: string;
  readonly producerId: string;
  readonly epoch: number;
  /** The greatest sequence that was accepted in this epoch. */
  readonly sequence: number;
  readonly updatedAt: string;
}

/** A cached fold of a log up to a sequence. It can be deleted at any time. */
export interface Snapshot {
  readonly logId: string;
  readonly name: string;
  readonly sequence: number;
  readonly data: unknown;
  readonly createdAt: string;
}

/**
 * The named right to do one thing, which one worker has at a time. The generation distinguishes an old worker from a
 * new one.
 */
export interface Claim {
  readonly name: string;
  readonly generation: number;
  readonly owner: string;
  readonly status: string;
  readonly data: unknown;
  readonly updatedAt: string;
}

/**
 * Takes a claim (`generation` is one more than the stored one, which begins at 0), or changes the claim that is held
 * (the same generation and owner). With `onlyNext` it takes a claim, but changes none: if several callers share an
 * owner and read the same generation, one succeeds. Errors: `fenced` (`details.generation`, `details.owner`).
 */
export interface ClaimWrite {
  readonly type: "claim";
  readonly name: string;
  readonly generation: number;
  readonly owner: string;
  readonly status?: string;
  readonly data?: unknown;
  readonly onlyNext?: true;
}

export interface Coordination {
  /**
   * Moves a cursor forward and returns it. If the sequence is smaller than that of the cursor, neither the position nor
   * the data change. Without `sequence` the cursor keeps its position (a new cursor begins at 0). Without `data` it
   * keeps its data, and `data: null` removes them; data are JSON of at most 16 KiB. A log that does not exist yet can
   * have cursors at 0. Deleting a log deletes its cursors.
   * Errors: `not_found` for a sequence of a log that does not exist, `out_of_range` for one that the log has not
   * reached, `gone`, `too_large`.
   */
  commitCursor(
    options: CursorName & { readonly sequence?: number; readonly data?: unknown },
  ): Promise<Cursor>;
  /** Errors: `gone`. */
  getCursor(options: CursorName): Promise<Cursor | null>;
  listCursors(
    options?: PageOptions & { readonly logId?: string; readonly name?: string },
  ): Promise<Page<Cursor>>;
  /** This is the only way to move a cursor back. Without `sequence` the cursor is forgotten. */
  resetCursor(options: CursorName & { readonly sequence?: number }): Promise<void>;

  /**
   * Errors: `lease_held` (`details.owner`, `details.token`, `details.expiresAt`, and `details.leftMs`: the milliseconds
   * until then by the database's clock). The owner of a lease may take it again.
   */
  acquireLease(name: string, options: LeaseOptions): Promise<Lease>;
  /** Also renews an expired lease that nobody took. Errors: `fenced` if somebody else has the lease, `not_found`. */
  renewLease(options: LeaseName & { readonly ttlMs?: number }): Promise<Lease>;
  /** Does nothing if the lease was given to somebody else in the meantime. */
  releaseLease(options: LeaseName): Promise<void>;
  getLease(name: string, options?: CallOptions): Promise<Lease | null>;
  /**
   * Leases are sorted by name; with the state `expired`, by the time of their expiry. Without `state`, expired leases
   * are listed, and leases that were given back are not.
   */
  listLeases(
    options?: PageOptions & {
      readonly prefix?: string;
      readonly owner?: string;
      readonly state?: ListedLease["state"];
    },
  ): Promise<Page<ListedLease>>;
  /**
   * Forgets leases that were given back, or that expired, at least `endedForMs` ago. From then on, a holder of an old
   * token is fenced, and the tokens of the name continue to grow. Returns the number of forgotten leases.
   */
  removeLeases(
    options: CallOptions & {
      readonly state: "released" | "expired";
      readonly endedForMs: number;
      readonly prefix?: string;
    },
  ): Promise<number>;

  getProducer(logId: string, producerId: string, options?: CallOptions): Promise<Producer | null>;
  getClaim(name: string, options?: CallOptions): Promise<Claim | null>;
  /**
   * Does the same as a side write of an append, but without a log, so that frequent changes do not make a log grow.
   * Errors: `fenced`.
   */
  putClaim(claim: Omit<ClaimWrite, "type"> & CallOptions): Promise<Claim>;
  /**
   * Forgets a claim that its owner holds in that generation; one that does not exist is no error. The next generation
   * is 1 again, so use a new name where an old worker may still act. Errors: `fenced`.
   */
  deleteClaim(
    claim: CallOptions & { readonly name: string; readonly generation: number; readonly owner: string },
  ): Promise<void>;
  listClaims(
    options?: PageOptions & { readonly prefix?: string; readonly status?: string; readonly owner?: string },
  ): Promise<Page<Claim>>;

  /**
   * Stores a snapshot. It replaces an earlier one of the same name and sequence. Errors: `not_found`, `out_of_range`.
   */
  putSnapshot(
    options: CursorName & { readonly data: unknown; readonly sequence?: number },
  ): Promise<Snapshot>;
  /** Returns the snapshot with the greatest sequence, at most `atSequence` if that is given. */
  getLatestSnapshot(options: CursorName & { readonly atSequence?: number }): Promise<Snapshot | null>;
  /** Deletes all snapshots of the log, or those of the name, or those before a sequence. Returns how many. */
  deleteSnapshots(
    options: CallOptions & { readonly logId: string; readonly name?: string; readonly before?: number },
  ): Promise<number>;
}
