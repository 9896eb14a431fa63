/** What many processes agree on: cursors, leases, producers, claims, snapshots. */

import type { CallOptions, Page, PageOptions } from "./page.ts";

export interface Cursor {
  readonly logId: string;
  readonly name: string;
  readonly sequence: number;
  readonly updatedAt: string;
}

export interface CursorName extends CallOptions {
  readonly logId: string;
  readonly name: string;
}

/** `expiresAt` is by the database's clock. */
export interface Lease {
  readonly name: string;
  /** Greater than every token that was given for this name before. */
  readonly token: number;
  readonly owner: string;
  readonly expiresAt: string;
}

export interface LeaseOptions extends CallOptions {
  readonly owner: string;
  /** How long it is held without a renewal; 30,000 where none is given. */
  readonly ttlMs?: number;
  /**
   * The token of a holder who is known to be gone: the lease is taken from it before it expires. If it was given to
   * somebody else meanwhile, it is not.
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
  /** The greatest one accepted in this epoch. */
  readonly sequence: number;
  readonly updatedAt: string;
}

export interface Claim {
  readonly name: string;
  readonly generation: number;
  readonly owner: string;
  readonly status: string;
  readonly data: unknown;
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

export interface Coordination {
  /**
   * A cursor only moves forward: a lower sequence leaves it where it is. Returns where it stands.
   * Errors: `not_found` (log), `out_of_range` for a sequence that the log has not reached.
   */
  commitCursor(options: CursorName & { readonly sequence: number }): Promise<Cursor>;
  getCursor(options: CursorName): Promise<Cursor | null>;
  listCursors(
    options?: PageOptions & { readonly logId?: string; readonly name?: string },
  ): Promise<Page<Cursor>>;
  /** The one way back. Without `sequence` the cursor is forgotten. */
  resetCursor(options: CursorName & { readonly sequence?: number }): Promise<void>;

  /**
   * Errors: `lease_held` (`details.owner`, `details.token`, `details.expiresAt`). The owner of a lease may take it
   * anew.
   */
  acquireLease(name: string, options: LeaseOptions): Promise<Lease>;
  /** Errors: `fenced` when it was given to somebody else, `not_found`. An expired lease that nobody took is renewed. */
  renewLease(options: LeaseName & { readonly ttlMs?: number }): Promise<Lease>;
  /** Does nothing when it was given to somebody else meanwhile. */
  releaseLease(options: LeaseName): Promise<void>;
  getLease(name: string, options?: CallOptions): Promise<Lease | null>;

  getProducer(logId: string, producerId: string, options?: CallOptions): Promise<Producer | null>;
  getClaim(name: string, options?: CallOptions): Promise<Claim | null>;
  listClaims(
    options?: PageOptions & { readonly prefix?: string; readonly status?: string; readonly owner?: string },
  ): Promise<Page<Claim>>;

  /** The same name and sequence again replaces it. Errors: `not_found`, `out_of_range`. */
  putSnapshot(
    options: CursorName & { readonly data: unknown; readonly sequence?: number },
  ): Promise<Snapshot>;
  /** The one with the greatest sequence, at most `atSequence` where that is given. */
  getLatestSnapshot(options: CursorName & { readonly atSequence?: number }): Promise<Snapshot | null>;
  /** All of the log, or of the name, or those before a sequence. Returns how many. */
  deleteSnapshots(
    options: CallOptions & { readonly logId: string; readonly name?: string; readonly before?: number },
  ): Promise<number>;
}
