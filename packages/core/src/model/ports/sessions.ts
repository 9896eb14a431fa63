/**
 * Sessions as the store keeps them: a row next to the session's log, which has the session's id. The row and the log
 * are created and deleted together: when the log is deleted or expires, the session is gone.
 */

import type { ClaimWrite } from "./coordination.ts";
import type { ForkPoint } from "./logs.ts";
import type { CallOptions, Page, PageOptions } from "./page.ts";

/** The `status` is `open` at first; the session manager defines the other words. */
export interface Session {
  readonly sessionId: string;
  readonly status: string;
  readonly title: string | null;
  readonly agent: string | null;
  readonly cwd: string | null;
  readonly parentId: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  /** The time of the last change of the row. Appends to the log change it too, at most once a minute. */
  readonly updatedAt: string;
  /** The time of the last append to the log. */
  readonly lastActivityAt: string;
  /**
   * If two sessions have the same `lastActivityAt`, the one with the larger number changed later. This always holds on
   * SQLite; on Postgres, the order is that in which the transactions began to write. A store of your own may leave it
   * out.
   */
  readonly activityOrder?: number;
  /** Seconds that the session lives on after its last append. */
  readonly ttl?: number;
  readonly expiresAt?: string;
  readonly forkedFrom?: ForkPoint;
}

export interface NewSession extends CallOptions {
  readonly sessionId?: string;
  readonly status?: string;
  /** `null` for none, as in a list of sessions. */
  readonly title?: string | null;
  readonly agent?: string;
  /** `null` for none. */
  readonly cwd?: string | null;
  readonly parentId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Seconds, more than 0; not together with `expiresAt`. As in `createLog`. */
  readonly ttl?: number;
  readonly expiresAt?: string;
  /**
   * The session begins with the events of another log up to this sequence, or with all of them if no sequence is given.
   * If that is the log of a session, the new session is its child, and takes its title, agent and cwd if none are
   * given; it does not take its metadata, which contain native references.
   */
  readonly forkedFrom?: { readonly logId: string; readonly sequence?: number };
  /** Stored together with the session, like the side writes of an append; if one is `fenced`, no session is made. */
  readonly claims?: readonly Omit<ClaimWrite, "type">[];
}

/** Fields that are left out do not change. Keys of `metadata` are set one by one; `null` removes one. */
export interface SessionPatch {
  readonly status?: string;
  readonly title?: string | null;
  readonly agent?: string | null;
  readonly cwd?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface ListSessionsOptions extends PageOptions {
  /** One status, or several of which the session must have one. */
  readonly status?: string | readonly string[];
  readonly agent?: string;
  readonly cwd?: string;
  readonly parentId?: string;
  readonly prefix?: string;
  /** Only sessions whose metadata have each of these keys, with that value: a text, a number, `true` or `false`. */
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
  /** Only sessions that were appended to after that time (ISO 8601 UTC). */
  readonly activeAfter?: string;
  /** Only sessions that were not appended to after that time (ISO 8601 UTC). */
  readonly activeBefore?: string;
}

export interface SessionStore {
  /**
   * Makes the session and its log, and appends `session_created`. Errors: `conflict`; `fenced` for a claim;
   * `not_found`, `gone` or `out_of_range` for the fork point.
   */
  createSession(options?: NewSession): Promise<Session>;
  getSession(sessionId: string, options?: CallOptions): Promise<Session | null>;
  /** Appends `session_updated` with the patch. Errors: `not_found`. */
  updateSession(sessionId: string, patch: SessionPatch, options?: CallOptions): Promise<Session>;
  /**
   * The list is sorted by `updatedAt`, newest first, which is the order of activity to the minute. Errors: `invalid`
   * for an invalid filter.
   */
  listSessions(options?: ListSessionsOptions): Promise<Page<Session>>;
  /** Deletes the session with its log, runs, cursors and snapshots. Errors: `not_found`. */
  deleteSession(sessionId: string, options?: CallOptions & { readonly reason?: string }): Promise<void>;
}
