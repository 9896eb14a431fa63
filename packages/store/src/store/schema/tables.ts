/**
 * The tables, the same on every engine. Times are integers, milliseconds since 1970, except for those of events, which
 * are text because they are hashed in the given form. Structures are JSON text.
 */

import type { Generated } from "kysely";

export interface LogTable {
  /** Never used twice. */
  log_key: Generated<number>;
  workspace_id: string;
  log_id: string;
  media_type: string;
  ttl_ms: number | null;
  expires_at: number | null;
  created_at: number;
  changed_at: number;
  /** Grows with every change; see `Dialect.currentMark`. */
  changed_mark: number;
  closed_at: number | null;
  /** Set while a deleted log is kept for its forks. */
  deleted_at: number | null;
  parent_key: number | null;
  parent_log_id: string | null;
  parent_sequence: number | null;
  parent_bytes: number | null;
  head_sequence: number;
  head_hash: string;
  writer_sequence: string | null;
  metadata: string | null;
}

export interface EventTable {
  log_key: number;
  sequence: number;
  event_id: string;
  type: string;
  parent_id: string | null;
  actor: string;
  run_id: string | null;
  occurred_at: string;
  recorded_at: string;
  /** 0 critical, 1 supplementary. */
  retention: number;
  /** `JSON.stringify` text; null when pruned, and in logs of bytes. */
  payload: string | null;
  bytes: Uint8Array | null;
  payload_hash: string;
  chain_hash: string;
  /** JSON of the rare fields: blobs, salt, invalid, pruned. */
  extras: string | null;
  /** `mediaTimeMs` of the payload, if it has one. */
  media_time_ms: number | null;
}

export interface DeletedLogTable {
  deletion_key: Generated<number>;
  workspace_id: string;
  log_id: string;
  deleted_at: number;
  reason: string;
  head_sequence: number;
  head_hash: string;
}

export interface ProducerTable {
  log_key: number;
  producer_id: string;
  epoch: number;
  sequence: number;
  updated_at: number;
}

export interface BlobTable {
  workspace_id: string;
  hash: string;
  size_bytes: number;
  media_type: string;
  created_at: number;
  expires_at: number | null;
  inline_bytes: Uint8Array | null;
  body_key: string | null;
}

export interface BlobChunkTable {
  body_key: string;
  position: number;
  bytes: Uint8Array;
}

export interface BlobReferenceTable {
  workspace_id: string;
  hash: string;
  log_key: number;
  sequence: number;
}

export interface CounterTable {
  name: string;
  value: number;
}

export interface SessionTable {
  workspace_id: string;
  session_id: string;
  status: string;
  title: string | null;
  agent: string | null;
  cwd: string | null;
  parent_id: string | null;
  metadata: string;
  created_at: number;
  updated_at: number;
}

export interface RunTable {
  run_key: Generated<number>;
  workspace_id: string;
  run_id: string;
  session_id: string;
  status: string;
  agent: string | null;
  owner: string | null;
  input: string | null;
  result: string | null;
  error: string | null;
  metadata: string;
  priority: Generated<number>;
  /** The key of the run whose place in the queue this run has; its own key if there is no other run. */
  place: number | null;
  not_before: number | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

/** A cursor has the id of its log, which may not exist yet. */
export interface CursorTable {
  workspace_id: string;
  log_id: string;
  name: string;
  sequence: number;
  data: string | null;
  updated_at: number;
}

export interface LeaseTable {
  workspace_id: string;
  name: string;
  token: number;
  owner: string;
  expires_at: number;
}

export interface ClaimTable {
  workspace_id: string;
  name: string;
  generation: number;
  owner: string;
  status: string;
  data: string | null;
  updated_at: number;
}

export interface SnapshotTable {
  log_key: number;
  name: string;
  sequence: number;
  data: string;
  created_at: number;
}

export interface TokenTable {
  /** Unique among all workspaces. */
  token_id: string;
  workspace_id: string;
  /** SHA-256 of the secret, in hex. */
  secret_hash: string;
  /** JSON array of texts. */
  scopes: string;
  handle: string | null;
  label: string | null;
  issued_from: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

export interface WebhookKeyTable {
  workspace_id: string;
  version: number;
  key_id: string;
  algorithm: string;
  public_key: string;
  private_key: string;
  created_at: number;
  retired_at: number | null;
}

/** Rows are never changed. */
export interface AuditTable {
  /** Never used twice. */
  audit_key: Generated<number>;
  workspace_id: string;
  recorded_at: number;
  who: string;
  address: string | null;
  what: string;
  target: string | null;
  /** JSON. */
  details: string | null;
}

export interface Schema {
  logs: LogTable;
  events: EventTable;
  deleted_logs: DeletedLogTable;
  producers: ProducerTable;
  blobs: BlobTable;
  blob_chunks: BlobChunkTable;
  blob_references: BlobReferenceTable;
  counters: CounterTable;
  sessions: SessionTable;
  runs: RunTable;
  cursors: CursorTable;
  leases: LeaseTable;
  claims: ClaimTable;
  snapshots: SnapshotTable;
  tokens: TokenTable;
  webhook_keys: WebhookKeyTable;
  audit: AuditTable;
}

/** Every table. A table comes after those that it refers to. */
export const TABLES = [
  "logs",
  "events",
  "deleted_logs",
  "producers",
  "blobs",
  "blob_chunks",
  "blob_references",
  "counters",
  "sessions",
  "runs",
  "cursors",
  "leases",
  "claims",
  "snapshots",
  "tokens",
  "webhook_keys",
  "audit",
] as const;
