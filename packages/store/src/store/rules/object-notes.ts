/**
 * Notes about objects in S3 without a row: a note is written before its object, and removed in the transaction that
 * stores the row; another note is written before an object is removed. A note that remains belongs to a process that
 * ended in between.
 */

import { ContinuoError } from "@continuo/core/model";
import { type Scope, sql, type Transaction, type Work } from "../engine/index.ts";

const PREFIX = "object/";
/** The first text that is greater than all names with the prefix. */
const AFTER = "object0";

/** The forms of a note: the object may still get a row, or never will. */
type NoteStatus = "writing" | "removing";

export function isObject(bodyKey: string): boolean {
  return bodyKey.startsWith("s3:");
}

export function* noteObject(tx: Transaction, bodyKey: string, status: NoteStatus): Work<void> {
  const { onConflict, proposed, nowMs } = tx.dialect;
  yield* sql(
    tx,
    `insert into claims (workspace_id, name, generation, owner, status, data, updated_at)
     values (?, ?, 1, 'objects', ?, null, ${nowMs})
     ${onConflict("workspace_id, name", `status = ${proposed("status")}`)}`,
    tx.workspaceId,
    PREFIX + bodyKey,
    status,
  );
}

/**
 * Call it before a row refers to the object. Errors: `unavailable` if a sweep has removed the object as left behind.
 */
export function* takeWritten(tx: Transaction, bodyKey: string): Work<void> {
  if ((yield* lockedStatus(tx, bodyKey)) !== "writing") {
    throw new ContinuoError("unavailable", "an object in S3 was removed before its blob was stored", {
      hint: "Store the bytes again: it took longer than a day.",
      details: { bodyKey },
    });
  }
  yield* forgetObject(tx, bodyKey);
}

/** Marks an object as one to remove. Returns false if its note is gone: it has a row, or is already removed. */
export function* giveUpObject(tx: Transaction, bodyKey: string): Work<boolean> {
  if ((yield* lockedStatus(tx, bodyKey)) === undefined) return false;
  yield* noteObject(tx, bodyKey, "removing");
  return true;
}

export function* forgetObject(tx: Transaction, bodyKey: string): Work<void> {
  const text = "delete from claims where workspace_id = ? and name = ?";
  yield* sql(tx, text, tx.workspaceId, PREFIX + bodyKey);
}

function* lockedStatus(tx: Transaction, bodyKey: string): Work<string | undefined> {
  const text = `select status from claims where workspace_id = ? and name = ?${tx.dialect.forUpdate}`;
  const [row] = yield* sql<{ readonly status: string }>(tx, text, tx.workspaceId, PREFIX + bodyKey);
  return row?.status;
}

export interface UnreferencedObject {
  readonly workspaceId: string;
  readonly bodyKey: string;
}

const PAGE = 200;

/** Lists the objects of all workspaces that must be removed, or whose writing began too long ago. */
export function* leftObjects(
  scope: Scope,
  minAgeMs: number,
  after: UnreferencedObject | undefined,
): Work<readonly UnreferencedObject[]> {
  const [workspace, name] = [after?.workspaceId ?? "", PREFIX + (after?.bodyKey ?? "")];
  const rows = yield* sql<{ readonly workspace_id: string; readonly name: string }>(
    scope,
    `select workspace_id, name from claims where name >= '${PREFIX}' and name < '${AFTER}'
       and (workspace_id > ? or (workspace_id = ? and name > ?))
       and (status = 'removing' or updated_at <= ${scope.dialect.nowMs} - ?)
     order by workspace_id, name limit ${PAGE}`,
    workspace,
    workspace,
    name,
    minAgeMs,
  );
  return rows.map((row) => ({ workspaceId: row.workspace_id, bodyKey: row.name.slice(PREFIX.length) }));
}

/** A restored store has other objects: the notes in a backup belong to the original store. */
export const FORGET_ALL_OBJECTS: string = `delete from claims where name >= '${PREFIX}' and name < '${AFTER}'`;
