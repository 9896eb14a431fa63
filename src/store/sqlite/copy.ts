/** Copies of a database as it is at one moment. */

import { createFile, syncPath } from "../../files/index.ts";
import type { Connection } from "./connection.ts";

/** As private as the database. Errors: the system's where there is a file already, or no folder. */
export function copyDatabase(connection: Connection, path: string): void {
  // SQLite takes an empty file as it is; one of its own would be open to others.
  createFile(path);
  connection.database.prepare("vacuum into ?").run(path);
  syncPath(path);
}
