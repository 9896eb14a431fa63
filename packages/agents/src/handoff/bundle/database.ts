/** Copies the rows of one session into a new database with the same tables. */

import { closeSync, openSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { quotedName, readOnlyDatabase } from "@continuo/files";
import type { RowsPlan } from "@continuo/native/kit";

/** @param path a new file */
export async function copyRows(plan: RowsPlan, path: string): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  closeSync(openSync(path, "wx", 0o600));
  // A row may refer to a row of a session that is not copied.
  const db = new DatabaseSync(pathToFileURL(path), { enableForeignKeyConstraints: false });
  try {
    db.exec("pragma trusted_schema = off");
    db.prepare("attach database ? as source").run(readOnlyDatabase(plan.database).href);
    db.exec("begin");
    const schema = db
      .prepare(
        "select sql from source.sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'",
      )
      .all();
    // A table of a module could run the code of an extension.
    for (const { sql } of schema) if (/^create table\b/iu.test(String(sql))) db.exec(String(sql));
    for (const { name, column, values } of plan.tables) {
      const table = quotedName(name);
      const copy = db.prepare(
        `insert or ignore into main.${table} select * from source.${table} where ${quotedName(column)} = ?`,
      );
      for (const value of values) copy.run(value);
    }
    db.exec("commit; detach database source");
  } finally {
    db.close();
  }
}
