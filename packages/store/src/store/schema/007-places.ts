/**
 * Migration 7: a run can have the place of an earlier run in the queue of its session, and an earliest time. Servers of
 * the previous version write neither, and take runs by their keys.
 */

import type { Kysely } from "kysely";
import { columnsFor } from "./columns.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  const { integer } = columnsFor(db);
  for (const name of ["place", "not_before"]) {
    await db.schema.alterTable("runs").addColumn(name, integer).execute();
  }
}
