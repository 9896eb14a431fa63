/**
 * Migration 6: runs have a priority. Servers of the previous version do not write it, so it is 0 by default. The index
 * has the waiting runs in the order in which they are claimed.
 */

import { type Kysely, sql } from "kysely";
import { columnsFor } from "./columns.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  const { integer } = columnsFor(db);
  await db.schema
    .alterTable("runs")
    .addColumn("priority", integer, (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`create index runs_by_priority on runs (workspace_id, priority desc, run_key)
    where status = 'pending'`.execute(db);
}
