/**
 * Migration 3: tokens and webhook keys; cursors by the id of their log, so that a cursor can exist before its log, and
 * with a little data; media time of events; lists by expiry and by status.
 */

import { type Kysely, sql } from "kysely";
import { type Columns, columnsFor } from "./columns.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  const columns = columnsFor(db);
  await createTokens(db, columns);
  await rebuildCursors(db, columns);
  await db.schema.alterTable("events").addColumn("media_time_ms", columns.integer).execute();
  await sql`create index events_by_media_time on events (log_key, retention, media_time_ms, sequence)
    where media_time_ms is not null`.execute(db);
  await sql`create index blobs_by_expiry on blobs (workspace_id, expires_at, hash)
    where expires_at is not null`.execute(db);
  await db.schema
    .createIndex("sessions_by_status")
    .on("sessions")
    .columns(["workspace_id", "status", "updated_at", "session_id"])
    .execute();
}

async function createTokens(db: Kysely<unknown>, { integer, text }: Columns): Promise<void> {
  await db.schema
    .createTable("tokens")
    .addColumn("token_id", text, (c) => c.primaryKey())
    .addColumn("workspace_id", text, (c) => c.notNull())
    .addColumn("secret_hash", "text", (c) => c.notNull())
    .addColumn("scopes", "text", (c) => c.notNull())
    .addColumn("handle", "text")
    .addColumn("label", "text")
    .addColumn("issued_from", "text", (c) => c.notNull())
    .addColumn("created_at", integer, (c) => c.notNull())
    .addColumn("expires_at", integer)
    .addColumn("revoked_at", integer)
    .execute();
  const byWorkspace = ["workspace_id", "token_id"];
  await db.schema.createIndex("tokens_by_workspace").on("tokens").columns(byWorkspace).execute();
  await db.schema
    .createTable("webhook_keys")
    .addColumn("workspace_id", text, (c) => c.notNull())
    .addColumn("version", integer, (c) => c.notNull())
    .addColumn("key_id", "text", (c) => c.notNull())
    .addColumn("algorithm", "text", (c) => c.notNull())
    .addColumn("public_key", "text", (c) => c.notNull())
    .addColumn("private_key", "text", (c) => c.notNull())
    .addColumn("created_at", integer, (c) => c.notNull())
    .addColumn("retired_at", integer)
    .addPrimaryKeyConstraint("webhook_keys_by_version", ["workspace_id", "version"])
    .execute();
}

/** The cursors of hidden logs were deleted with the log; cursors of expired logs are not copied. */
async function rebuildCursors(db: Kysely<unknown>, { integer, text }: Columns): Promise<void> {
  await db.schema.alterTable("cursors").renameTo("cursors_by_key").execute();
  await db.schema
    .createTable("cursors")
    .addColumn("workspace_id", text, (c) => c.notNull())
    .addColumn("log_id", text, (c) => c.notNull())
    .addColumn("name", text, (c) => c.notNull())
    .addColumn("sequence", integer, (c) => c.notNull())
    .addColumn("data", "text")
    .addColumn("updated_at", integer, (c) => c.notNull())
    .addPrimaryKeyConstraint("cursors_by_log", ["workspace_id", "log_id", "name"])
    .execute();
  await sql`insert into cursors (workspace_id, log_id, name, sequence, updated_at)
    select l.workspace_id, l.log_id, c.name, c.sequence, c.updated_at
    from cursors_by_key c join logs l on l.log_key = c.log_key where l.deleted_at is null`.execute(db);
  await db.schema.dropTable("cursors_by_key").execute();
}
