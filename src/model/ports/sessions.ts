/** Sessions as the store keeps them: a row beside the session's log, which has the session's id. */

import type { CallOptions, Page, PageOptions } from "./page.ts";

/** `open` until somebody says otherwise; the words are the session manager's. */
export interface Session {
  readonly sessionId: string;
  readonly status: string;
  readonly title: string | null;
  readonly agent: string | null;
  readonly cwd: string | null;
  readonly parentId: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface NewSession extends CallOptions {
  readonly sessionId?: string;
  readonly status?: string;
  readonly title?: string;
  readonly agent?: string;
  readonly cwd?: string;
  readonly parentId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What is not named stays. Keys of `metadata` are set one by one; `null` takes one away. */
export interface SessionPatch {
  readonly status?: string;
  readonly title?: string | null;
  readonly agent?: string | null;
  readonly cwd?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface ListSessionsOptions extends PageOptions {
  readonly status?: string;
  readonly agent?: string;
  readonly cwd?: string;
  readonly parentId?: string;
  readonly prefix?: string;
}

export interface SessionStore {
  /** Makes the session and its log, and appends `session_created`. Errors: `conflict`. */
  createSession(options?: NewSession): Promise<Session>;
  getSession(sessionId: string, options?: CallOptions): Promise<Session | null>;
  /** Appends `session_updated` with the patch. Errors: `not_found`. */
  updateSession(sessionId: string, patch: SessionPatch, options?: CallOptions): Promise<Session>;
  /** Newest change first. */
  listSessions(options?: ListSessionsOptions): Promise<Page<Session>>;
  /** With its log, runs, cursors and snapshots. Errors: `not_found`. */
  deleteSession(sessionId: string, options?: CallOptions & { readonly reason?: string }): Promise<void>;
}
