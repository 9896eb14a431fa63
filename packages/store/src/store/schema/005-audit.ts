/** Migration 5: the audit log. Rows are added, and the oldest are removed; the database refuses to change a row. */

import { type Kysely, sql } from "kysely";
import { columnsFor } from "./columns.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  const columns = columnsFor(db);
  const { integer, text, key } = columns;
  await key(db.schema.createTable("audit"), "audit_key")
    .addColumn("workspace_id", text, (c) => c.notNull())
    .addColumn("recorded_at", integer, (c) => c.notNull())
    .addColumn("who", text, (c) => c.notNull())
    .addColumn("address", "text")
    .addColumn("what", text, (c) => c.notNull())
    .addColumn("target", "text")
    .addColumn("details", "text")
    .execute();
  await db.schema
    .createIndex("audit_by_workspace")
    .on("audit")
    .columns(["workspace_id", "audit_key"])
    .execute();
  const byAct = ["workspace_id", "who", "what", "audit_key"];
  await db.schema.createIndex("audit_by_act").on("audit").columns(byAct).execute();
  await db.schema.createIndex("audit_by_time").on("audit").columns(["recorded_at"]).execute();
  for (const statement of columns.integer === "bigint" ? POSTGRES : SQLITE) {
    await sql.raw(statement).execute(db);
  }
}

const REFUSAL = "the audit log is append-only";

const SQLITE = [
  `create trigger audit_append_only before update on audit begin select raise(abort, '${REFUSAL}'); end`,
];

const POSTGRES = [
  `create function audit_refuse_update() returns trigger language plpgsql as
     $$ begin raise exception '${REFUSAL}'; end $$`,
  `create trigger audit_append_only before update on audit
     for each row execute function audit_refuse_update()`,
];
