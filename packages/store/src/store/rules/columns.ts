/**
 * The columns that rows are read with, by name: a statement that reads all columns fails on Postgres when a migration
 * adds one while the server runs, because it was prepared for the earlier columns.
 */

import type {
  AuditTable,
  DeletedLogTable,
  RunTable,
  SessionTable,
  TokenTable,
  WebhookKeyTable,
} from "../schema/index.ts";

type ColumnOf<T> = keyof T & string;

/** Takes an object, so that the compiler reports a missing column. */
function columnsOf<T>(all: Readonly<Record<ColumnOf<T>, true>>): readonly ColumnOf<T>[] {
  return Object.keys(all) as ColumnOf<T>[];
}

export const DELETED_LOG_COLUMNS: readonly ColumnOf<DeletedLogTable>[] = columnsOf<DeletedLogTable>({
  deletion_key: true,
  workspace_id: true,
  log_id: true,
  deleted_at: true,
  reason: true,
  head_sequence: true,
  head_hash: true,
});

export const SESSION_COLUMNS: readonly ColumnOf<SessionTable>[] = columnsOf<SessionTable>({
  workspace_id: true,
  session_id: true,
  status: true,
  title: true,
  agent: true,
  cwd: true,
  parent_id: true,
  metadata: true,
  created_at: true,
  updated_at: true,
});

export const RUN_COLUMNS: string = columnsOf<RunTable>({
  run_key: true,
  workspace_id: true,
  run_id: true,
  session_id: true,
  status: true,
  agent: true,
  owner: true,
  input: true,
  result: true,
  error: true,
  metadata: true,
  priority: true,
  place: true,
  not_before: true,
  created_at: true,
  started_at: true,
  ended_at: true,
}).join(", ");

export const TOKEN_COLUMNS: readonly ColumnOf<TokenTable>[] = columnsOf<TokenTable>({
  token_id: true,
  workspace_id: true,
  secret_hash: true,
  scopes: true,
  handle: true,
  label: true,
  issued_from: true,
  created_at: true,
  expires_at: true,
  revoked_at: true,
});

export const WEBHOOK_KEY_COLUMNS: readonly ColumnOf<WebhookKeyTable>[] = columnsOf<WebhookKeyTable>({
  workspace_id: true,
  version: true,
  key_id: true,
  algorithm: true,
  public_key: true,
  private_key: true,
  created_at: true,
  retired_at: true,
});

export const AUDIT_COLUMNS: readonly ColumnOf<AuditTable>[] = columnsOf<AuditTable>({
  audit_key: true,
  workspace_id: true,
  recorded_at: true,
  who: true,
  address: true,
  what: true,
  target: true,
  details: true,
});
