/** The audit log of a store: who did something of consequence, what, when, and from where. */

import type { CallOptions, Page, PageOptions } from "./page.ts";

/** Every act that is recorded, and what it means. */
export const AUDIT_ACTS = {
  token_created: "a token was made; pages and their codes are tokens too, as their labels show",
  token_revoked: "a token was revoked, or a page was closed",
  session_deleted: "a session was deleted, or moved to the trash",
  session_mirrored: "another machine began to mirror a session to this one",
  session_exported: "a session was exported through the server",
  log_deleted: "a log other than a session was deleted, such as a channel or a stream",
  log_pruned: "payloads of supplementary events were removed from a log",
  event_redacted: "the payload of one event was removed",
  webhook_key_created: "a key that signs webhooks was made",
  webhook_key_retired: "a key that signs webhooks was retired",
  subscription_changed: "a subscription was made or changed: the server sends events to its address",
  subscription_deleted: "a subscription was deleted",
  agent_started: "an agent was given a prompt, or a terminal was opened, through the server",
  server_started: "a server was started, with these limits",
  store_backed_up: "the store was copied into a backup",
  store_restored: "a backup was restored into the store",
} as const;

export type AuditAct = keyof typeof AUDIT_ACTS;

/** The identity in whose name something is done, and the place that it comes from. */
export interface Principal {
  /** `token:ID`, `user:NAME` of this machine, `server`, `program`, or `anyone` where no token is needed. */
  readonly who: string;
  /** The address of a client, or `command`; `null` if there is none. */
  readonly from: string | null;
}

export interface AuditEntry extends Principal {
  /** Greater than that of every entry before it, of any workspace. */
  readonly entryId: number;
  readonly workspaceId: string;
  readonly what: AuditAct;
  /** The target of the act: the id of a token, a session, a log. */
  readonly target: string | null;
  /** The time by the database's clock. */
  readonly at: string;
  /** A few facts, without secrets. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface NewAuditEntry {
  readonly what: AuditAct;
  /** At most 512 UTF-16 units are stored. */
  readonly target?: string | null;
  /** At most 4,096 UTF-16 units of JSON; of longer details, only their number is stored, as `leftOut`. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface ListAuditOptions extends PageOptions {
  /** Entries from this time on. Errors: `invalid` for a text that is not a time. */
  readonly since?: string;
  readonly who?: string;
  readonly what?: AuditAct;
}

export interface AuditStore {
  /** The entries of this workspace, newest first. */
  listAudit(options?: ListAuditOptions): Promise<Page<AuditEntry>>;
  /**
   * Records an act outside the store; the store records its own acts, in the same transaction. Entries are never
   * changed. The oldest are removed: those from more than a year ago, and those above certain numbers.
   */
  recordAudit(entry: NewAuditEntry & CallOptions): Promise<AuditEntry>;
}
