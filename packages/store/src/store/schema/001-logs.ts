/** Migration 1: logs, their events, and the bytes that events refer to. */

import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import { type Columns, columnsFor } from "./columns.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  const columns = columnsFor(db);
  await createLogs(db, columns);
  await createEvents(db, columns);
  await createBlobs(db, columns);
  await db.schema
    .createTable("counters")
    .addColumn("name", columns.text, (c) => c.primaryKey())
    .addColumn("value", columns.integer, (c) => c.notNull())
    .execute();
  await sql`insert into counters (name, value) values ('mark', 1)`.execute(db);
}

async function createLogs(db: Kysely<unknown>, { integer, text, key }: Columns): Promise<void> {
  await key(db.schema.createTable("logs"), "log_key")
    .addColumn("workspace_id", text, (c) => c.notNull())
    .addColumn("log_id", text, (c) => c.notNull())
    .addColumn("media_type", "text", (c) => c.notNull())
    .addColumn("ttl_ms", integer)
    .addColumn("expires_at", integer)
    .addColumn("created_at", integer, (c) => c.notNull())
    .addColumn("changed_at", integer, (c) => c.notNull())
    .addColumn("changed_mark", integer, (c) => c.notNull())
    .addColumn("closed_at", integer)
    .addColumn("deleted_at", integer)
    .addColumn("parent_key", integer)
    .addColumn("parent_log_id", "text")
    .addColumn("parent_sequence", integer)
    .addColumn("parent_bytes", integer)
    .addColumn("head_sequence", integer, (c) => c.notNull())
    .addColumn("head_hash", "text", (c) => c.notNull())
    .addColumn("writer_sequence", text)
    .addColumn("metadata", "text")
    .addUniqueConstraint("logs_by_id", ["workspace_id", "log_id"])
    .execute();
  await db.schema.createIndex("logs_by_mark").on("logs").columns(["workspace_id", "changed_mark"]).execute();
  await sql`create index logs_by_parent on logs (parent_key) where parent_key is not null`.execute(db);
  await sql`create index logs_by_expiry on logs (expires_at) where expires_at is not null`.execute(db);
  await key(db.schema.createTable("deleted_logs"), "deletion_key")
    .addColumn("workspace_id", text, (c) => c.notNull())
    .addColumn("log_id", text, (c) => c.notNull())
    .addColumn("deleted_at", integer, (c) => c.notNull())
    .addColumn("reason", "text", (c) => c.notNull())
    .addColumn("head_sequence", integer, (c) => c.notNull())
    .addColumn("head_hash", "text", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("deleted_logs_by_id")
    .on("deleted_logs")
    .columns(["workspace_id", "log_id"])
    .execute();
}

async function createEvents(db: Kysely<unknown>, { integer, bytes, text }: Columns): Promise<void> {
  await db.schema
    .createTable("events")
    .addColumn("log_key", integer, (c) => c.notNull())
    .addColumn("sequence", integer, (c) => c.notNull())
    .addColumn("event_id", text, (c) => c.notNull())
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("parent_id", "text")
    .addColumn("actor", "text", (c) => c.notNull())
    .addColumn("run_id", text)
    .addColumn("occurred_at", "text", (c) => c.notNull())
    .addColumn("recorded_at", "text", (c) => c.notNull())
    .addColumn("retention", integer, (c) => c.notNull())
    .addColumn("payload", "text")
    .addColumn("bytes", bytes)
    .addColumn("payload_hash", "text", (c) => c.notNull())
    .addColumn("chain_hash", "text", (c) => c.notNull())
    .addColumn("extras", "text")
    .addPrimaryKeyConstraint("events_by_sequence", ["log_key", "sequence"])
    .addUniqueConstraint("events_by_id", ["log_key", "event_id"])
    .execute();
  await sql`create index events_by_run on events (log_key, run_id, sequence) where run_id is not null`.execute(
    db,
  );
  await db.schema
    .createTable("producers")
    .addColumn("log_key", integer, (c) => c.notNull())
    .addColumn("producer_id", text, (c) => c.notNull())
    .addColumn("epoch", integer, (c) => c.notNull())
    .addColumn("sequence", integer, (c) => c.notNull())
    .addColumn("updated_at", integer, (c) => c.notNull())
    .addPrimaryKeyConstraint("producers_by_id", ["log_key", "producer_id"])
    .execute();
}

async function createBlobs(db: Kysely<unknown>, { integer, bytes, text }: Columns): Promise<void> {
  const blobs: CreateTableBuilder<"blobs", string> = db.schema
    .createTable("blobs")
    .addColumn("workspace_id", text, (c) => c.notNull())
    .addColumn("hash", text, (c) => c.notNull())
    .addColumn("size_bytes", integer, (c) => c.notNull())
    .addColumn("media_type", "text", (c) => c.notNull())
    .addColumn("created_at", integer, (c) => c.notNull())
    .addColumn("expires_at", integer)
    .addColumn("inline_bytes", bytes)
    .addColumn("body_key", text);
  await blobs.addPrimaryKeyConstraint("blobs_by_hash", ["workspace_id", "hash"]).execute();
  await db.schema
    .createTable("blob_chunks")
    .addColumn("body_key", text, (c) => c.notNull())
    .addColumn("position", integer, (c) => c.notNull())
    .addColumn("bytes", bytes, (c) => c.notNull())
    .addPrimaryKeyConstraint("blob_chunks_by_key", ["body_key", "position"])
    .execute();
  await db.schema
    .createTable("blob_references")
    .addColumn("workspace_id", text, (c) => c.notNull())
    .addColumn("hash", text, (c) => c.notNull())
    .addColumn("log_key", integer, (c) => c.notNull())
    .addColumn("sequence", integer, (c) => c.notNull())
    .addPrimaryKeyConstraint("blob_references_by_event", ["log_key", "sequence", "hash"])
    .execute();
  await db.schema
    .createIndex("blob_references_by_hash")
    .on("blob_references")
    .columns(["workspace_id", "hash"])
    .execute();
}
