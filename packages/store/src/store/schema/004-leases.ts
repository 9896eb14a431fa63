/** Migration 4: leases that ended can be found and removed without reading all of them. */

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("leases_by_expiry")
    .ifNotExists()
    .on("leases")
    .columns(["workspace_id", "expires_at", "name"])
    .execute();
  // A lease that its holder gave back has an `expires_at` of 0 or less.
  await sql`create index if not exists leases_by_holder on leases (workspace_id, name) where expires_at > 0`.execute(
    db,
  );
}
