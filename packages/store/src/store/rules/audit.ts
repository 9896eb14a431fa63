/** The audit log: rows that record the author and the kind of each act. An act and its row are one transaction. */

import {
  AUDIT_ACTS,
  type AuditAct,
  type AuditEntry,
  type ListAuditOptions,
  type NewAuditEntry,
  type Page,
  type Principal,
} from "@continuo/core/model";
import {
  LIMITS,
  query,
  type Scope,
  type Statement,
  sql,
  type Transaction,
  type Work,
} from "../engine/index.ts";
import type { AuditTable } from "../schema/index.ts";
import { AUDIT_COLUMNS } from "./columns.ts";
import { pageOf } from "./pages.ts";
import { assertText, assertTime, invalid, isoOf } from "./refusals.ts";

type AuditRow = Omit<AuditTable, "audit_key"> & { readonly audit_key: number };

const PROGRAM: Principal = { who: "program", from: null };

/** At every 16th entry, the number of entries of its principal and act is checked. */
const TRIM_ACT_EVERY = 16;
/** At every 1,024th entry, the number of all entries is checked, because counting them reads a whole index. */
const TRIM_ALL_EVERY = 1_024;

/** @param by the principal of the store's view, because a transaction of a shared engine does not know it */
export function* insertAudit(
  tx: Transaction,
  by: Principal | undefined,
  entry: NewAuditEntry,
): Work<AuditEntry> {
  const [row] = (yield auditStatement(tx, by, entry)) as readonly AuditRow[];
  if (row === undefined) throw invalid("the database did not return the entry of the audit log");
  yield* removeOldest(tx, row);
  return toEntry(row);
}

/** Returns the statement that inserts the entry. It does not remove old entries. */
export function auditStatement(
  { workspaceId, dialect }: Scope,
  by: Principal = PROGRAM,
  { what, target = null, details }: NewAuditEntry,
): Statement {
  if (!Object.hasOwn(AUDIT_ACTS, what)) throw invalid(`there is no act ${String(what)}`, { what });
  const [who, from, on] = [by.who, by.from, target].map((text) => (text === null ? null : shortened(text)));
  const text = `insert into audit (workspace_id, recorded_at, who, address, what, target, details)
    values (?, ${dialect.nowMs}, ?, ?, ?, ?, ?) ${dialect.returning(AUDIT_COLUMNS.join(", "))}`;
  const values = [workspaceId, who, from, what, on, details === undefined ? null : detailsText(details)];
  return { sql: dialect.placeholders(text), parameters: values };
}

/**
 * Removes entries that are too old, and from time to time the oldest ones above the limits: of all entries, and of
 * those with the same principal and act.
 */
function* removeOldest(tx: Transaction, { audit_key, recorded_at, who, what }: AuditRow): Work<void> {
  const [key, now] = [Number(audit_key), Number(recorded_at)];
  yield* sql(tx, "delete from audit where recorded_at < ?", now - LIMITS.auditMs);
  if (key % TRIM_ALL_EVERY === 0) {
    // The number of entries decides, not their keys, which also count removed entries.
    const newest = `select audit_key from audit order by audit_key desc limit 1 offset ${LIMITS.auditEntries}`;
    yield* sql(tx, `delete from audit where audit_key <= (${newest})`);
  }
  if (key % TRIM_ACT_EVERY !== 0) return;
  const same = "workspace_id = ? and who = ? and what = ?";
  const owner = [tx.workspaceId, who, what];
  yield* sql(
    tx,
    `delete from audit where ${same} and audit_key <= (select audit_key from audit where ${same}
       order by audit_key desc limit 1 offset ${LIMITS.auditOfOne})`,
    ...owner,
    ...owner,
  );
}

function shortened(text: string): string {
  return text.slice(0, LIMITS.idLength).toWellFormed().replaceAll("\0", "\ufffd");
}

function detailsText(details: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(details);
  return text.length <= LIMITS.auditDetails ? text : JSON.stringify({ leftOut: Object.keys(details).length });
}

export function* listAudit(scope: Scope, options: ListAuditOptions): Work<Page<AuditEntry>> {
  const { since, who, what } = options;
  let rows = scope.db.selectFrom("audit").select(AUDIT_COLUMNS).where("workspace_id", "=", scope.workspaceId);
  if (since !== undefined) {
    assertTime("since", since);
    rows = rows.where("recorded_at", ">=", Date.parse(since));
  }
  if (who !== undefined) {
    assertText("who", who);
    rows = rows.where("who", "=", who);
  }
  if (what !== undefined) {
    if (!Object.hasOwn(AUDIT_ACTS, what)) throw invalid(`there is no act ${String(what)}`, { what });
    rows = rows.where("what", "=", what);
  }
  return yield* pageOf(options, {
    fetch: (after, limit) =>
      query<AuditRow>(
        (after === undefined ? rows : rows.where("audit_key", "<", Number(after[0])))
          .orderBy("audit_key", "desc")
          .limit(limit),
      ),
    keyOf: (row) => [Number(row.audit_key)],
    toItem: toEntry,
    rowsAtOnce: scope.dialect.stretch.rows,
  });
}

/** Reads the entries of all workspaces after a given entry, in order. It is for the operator of the store. */
export function* auditAfter(scope: Scope, entryId: number, limit: number): Work<readonly AuditEntry[]> {
  const rows = yield* sql<AuditRow>(
    scope,
    `select ${AUDIT_COLUMNS.join(", ")} from audit where audit_key > ? order by audit_key limit ?`,
    entryId,
    limit,
  );
  return rows.map(toEntry);
}

export function* newestAudit(scope: Scope): Work<number> {
  const [row] = yield* sql<{ readonly newest: number | null }>(
    scope,
    "select max(audit_key) as newest from audit",
  );
  return Number(row?.newest ?? 0);
}

function toEntry(row: AuditRow): AuditEntry {
  return {
    entryId: Number(row.audit_key),
    workspaceId: row.workspace_id,
    at: isoOf(Number(row.recorded_at)),
    who: row.who,
    from: row.address,
    what: row.what as AuditAct,
    target: row.target,
    details: row.details === null ? {} : (JSON.parse(row.details) as AuditEntry["details"]),
  };
}
