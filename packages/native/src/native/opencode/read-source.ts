/** The source that a found session is read from. */

import { ContinuoError } from "@continuo/core/model";
import type { FoundSession } from "../kit/index.ts";
import { openDatabase } from "./database.ts";
import { openExport } from "./export-file.ts";
import { databaseSeen } from "./find.ts";
import { openRows } from "./rows.ts";
import type { SessionSource } from "./source.ts";

/** Errors: `not_found`, `unreadable`. */
export async function openSource(found: FoundSession): Promise<SessionSource> {
  const [file] = found.files;
  if (file === undefined) {
    throw new ContinuoError("unreadable", found.problems[0]?.message ?? `cannot read ${found.location}`);
  }
  if (file.path === found.location && found.problems.every((problem) => problem.code !== "unreadable")) {
    return openExport(file.path);
  }
  const database = await openDatabase(file.path);
  try {
    return openRows(database, found.sessionId);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The source of a session that was just found: its database may be open already. Errors: those of `openSource`. */
export async function openFoundSource(found: FoundSession): Promise<SessionSource> {
  const seen = await databaseSeen(found);
  if (seen === null) return await openSource(found);
  const { database, release } = seen;
  try {
    return { ...openRows(database, found.sessionId), close: release };
  } catch (error) {
    release();
    throw error;
  }
}
