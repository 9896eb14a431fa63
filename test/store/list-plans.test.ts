/**
 * The lists of a store read only their own rows: SQLite finds them by an index, and other rows take no time of the
 * event loop.
 */

import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test } from "vitest";
import type { Scope, Statement, Transaction, Work } from "../../packages/store/src/store/engine/index.ts";
import { listClaims } from "../../packages/store/src/store/rules/claims.ts";
import { listLeases } from "../../packages/store/src/store/rules/leases.ts";
import { listLogs } from "../../packages/store/src/store/rules/list-logs.ts";
import { expiredLogs } from "../../packages/store/src/store/rules/removal.ts";
import { claimNextRun } from "../../packages/store/src/store/rules/runs.ts";
import { migrate } from "../../packages/store/src/store/schema/index.ts";
import { createKysely, SQLITE } from "../../packages/store/src/store/sqlite/dialect.ts";

let scope: Scope;
let database: DatabaseSync;
beforeAll(async () => {
  database = new DatabaseSync(":memory:");
  await migrate(createKysely<never>(database));
  database.function("continuo_lease_now", () => 5);
  scope = { dialect: SQLITE, workspaceId: "w", db: createKysely(database) } as unknown as Scope;
});

function planOf({ sql, parameters }: Statement): string {
  const rows = database.prepare(`explain query plan ${sql}`).all(...(parameters as (string | number)[]));
  return String(rows[0]?.detail);
}

/** Returns the statement that reads the rows of a list, which follows the one that reads the time. */
function rowsOf(work: Work<unknown>): Statement {
  const first = work.next().value as Statement;
  return /from "?(logs|claims|leases)/.test(first.sql) ? first : (work.next([{ now: 5 }]).value as Statement);
}

test("expired logs are found by an index on their time, however many logs there are", () => {
  expect(planOf(rowsOf(expiredLogs(scope, 100)))).toBe(
    "SEARCH l USING INDEX logs_by_expiry (expires_at>? AND expires_at<?)",
  );
});

const page = { prefix: "a/", cursor: Buffer.from('["a/7"]').toString("base64url") };
test.each([
  ["logs", () => listLogs(scope, page)],
  ["claims", () => listClaims(scope, page)],
  ["leases", () => listLeases(scope, page)],
] as const)("a page of %s begins at its cursor, not at the first row with its prefix", (_, list) => {
  const { sql, parameters } = rowsOf(list());
  // SQLite searches by only one of two lower bounds, and it may choose the prefix.
  expect(sql.match(/name"? >=? \?|log_id"? >=? \?/g)).toHaveLength(1);
  expect(parameters).toContain("a/7");
  expect(parameters).not.toContain("a/");
});

test("an index gives the next run in the order in which waiting runs are taken, however many wait", () => {
  expect(planOf(rowsOf(claimNextRun({ ...scope, newId: () => "r" } as Transaction, { owner: "me" })))).toBe(
    "SEARCH r USING INDEX runs_by_priority (workspace_id=?)",
  );
});

test("changed logs are found by an index on the mark of their change", () => {
  expect(planOf(rowsOf(listLogs(scope, { changedAfter: "m7" })))).toBe(
    "SEARCH logs USING INDEX logs_by_mark (workspace_id=? AND changed_mark>?)",
  );
});
