/** Migration 2: rows that are written together with events, and can be read without them. */

import type { Kysely } from "kysely";
import { type Columns, columnsFor } from "./columns.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  const columns = columnsFor(db);
  await createSessions(db, columns);
  await createRuns(db, columns);
  await createCoordination(db, columns);
}

async function createSessions(db: Kysely<unknown>, { integer, text }: Columns): Promise<void> {
  await db.schema
    .createTable("sessions")
    .addColumn("workspace_id", text, (c) => c.notNull())
    .addColumn("session_id", text, (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("title", "text")
    .addColumn("agent", "text")
    .addColumn("cwd", "text")
    .addColumn("parent_id", "text")
    .addColumn("metadata", "text", (c) => c.notNull())
    .addColumn("created_at", integer, (c) => c.notNull())
    .addColumn("updated_at", integer, (c) => c.notNull())
    .addPrimaryKeyConstraint("sessions_by_id", ["workspace_id", "session_id"])
    .execute();
  await db.schema
    .createIndex("sessions_by_update")
    .on("sessions")
    .columns(["workspace_id", "updated_at", "session_id"])
    .execute();
}

async function createRuns(db: Kysely<unknown>, { integer, text, key }: Columns): Promise<void> {
  await key(db.schema.createTable("runs"), "run_key")
    .addColumn("workspace_id", text, (c) => c.notNull())
    .addColumn("run_id", text, (c) => c.notNull())
    .addColumn("session_id", text, (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("agent", "text")
    .addColumn("owner", "text")
    .addColumn("input", "text")
    .addColumn("result", "text")
    .addColumn("error", "text")
    .addColumn("metadata", "text", (c) => c.notNull())
    .addColumn("created_at", integer, (c) => c.notNull())
    .addColumn("started_at", integer)
    .addColumn("ended_at", integer)
    .addUniqueConstraint("runs_by_id", ["workspace_id", "run_id"])
    .execute();
  const byStatus = ["workspace_id", "status", "run_key"];
  await db.schema.createIndex("runs_by_status").on("runs").columns(byStatus).execute();
  const bySession = ["workspace_id", "session_id", "status", "run_key"];
  await db.schema.createIndex("runs_by_session").on("runs").columns(bySession).execute();
}

async function createCoordination(db: Kysely<unknown>, { integer, text }: Columns): Promise<void> {
  await db.schema
    .createTable("cursors")
    .addColumn("log_key", integer, (c) => c.notNull())
    .addColumn("name", text, (c) => c.notNull())
    .addColumn("sequence", integer, (c) => c.notNull())
    .addColumn("updated_at", integer, (c) => c.notNull())
    .addPrimaryKeyConstraint("cursors_by_name", ["log_key", "name"])
    .execute();
  await db.schema
    .createTable("leases")
    .addColumn("workspace_id", text, (c) => c.notNull())
    .addColumn("name", text, (c) => c.notNull())
    .addColumn("token", integer, (c) => c.notNull())
    .addColumn("owner", "text", (c) => c.notNull())
    .addColumn("expires_at", integer, (c) => c.notNull())
    .addPrimaryKeyConstraint("leases_by_name", ["workspace_id", "name"])
    .execute();
  await db.schema
    .createTable("claims")
    .addColumn("workspace_id", text, (c) => c.notNull())
    .addColumn("name", text, (c) => c.notNull())
    .addColumn("generation", integer, (c) => c.notNull())
    .addColumn("owner", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("data", "text")
    .addColumn("updated_at", integer, (c) => c.notNull())
    .addPrimaryKeyConstraint("claims_by_name", ["workspace_id", "name"])
    .execute();
  await db.schema
    .createTable("snapshots")
    .addColumn("log_key", integer, (c) => c.notNull())
    .addColumn("name", text, (c) => c.notNull())
    .addColumn("sequence", integer, (c) => c.notNull())
    .addColumn("data", "text", (c) => c.notNull())
    .addColumn("created_at", integer, (c) => c.notNull())
    .addPrimaryKeyConstraint("snapshots_by_name", ["log_key", "name", "sequence"])
    .execute();
}
