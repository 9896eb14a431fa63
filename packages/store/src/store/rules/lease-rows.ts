/**
 * The rows of leases: made when a name is taken for the first time, and removed long after the lease was given back.
 *
 * Tokens of a name only grow, even after its row is removed: the row without a name holds the greatest token that was
 * ever removed in the workspace, and a new row begins with it. A removal locks that row first, and a new row waits
 * for it, so that no new row begins below a removed one.
 */

import { sql, type Transaction, type Work } from "../engine/index.ts";
import { prefixEnd } from "./pages.ts";
import { assertText, invalid } from "./refusals.ts";

/** No lease can have this name. */
const NO_NAME = "";

export function* createLease(tx: Transaction, name: string): Work<void> {
  const token = yield* floorOf(tx, tx.dialect.forShare);
  yield* insertRow(tx, name, token);
}

function* insertRow(tx: Transaction, name: string, token: number): Work<void> {
  yield* sql(
    tx,
    `insert into leases (workspace_id, name, token, owner, expires_at) values (?, ?, ?, '', 0)
     ${tx.dialect.onConflict("workspace_id, name")}`,
    tx.workspaceId,
    name,
    token,
  );
}

function* floorOf(tx: Transaction, lock: string): Work<number> {
  const text = `select token from leases where workspace_id = ? and name = ?${lock}`;
  for (;;) {
    const [row] = yield* sql<{ readonly token: number }>(tx, text, tx.workspaceId, NO_NAME);
    if (row !== undefined) return row.token;
    yield* insertRow(tx, NO_NAME, 0);
  }
}

export interface EndedLeases {
  readonly state: "released" | "expired";
  readonly endedForMs: number;
  readonly prefix?: string;
}

/**
 * Removes leases that ended long enough ago, at most `limit`. A writer that still uses a removed lease is fenced, even
 * after the name was given again. Returns the number of removed leases.
 */
export function* removeLeases(
  tx: Transaction,
  { state, endedForMs, prefix = "" }: EndedLeases,
  limit: number,
): Work<number> {
  if (state !== "released" && state !== "expired")
    throw invalid("the state of leases that are removed must be released or expired");
  if (!Number.isSafeInteger(endedForMs) || endedForMs < 0)
    throw invalid("the endedForMs of leases must be a whole number of at least 0");
  assertText("prefix", prefix);
  const floor = yield* floorOf(tx, tx.dialect.forUpdate);
  const { leaseMs } = tx.dialect;
  const ended =
    state === "released"
      ? `expires_at <= 0 and expires_at >= ? - ${leaseMs}`
      : `expires_at > 0 and expires_at <= ${leaseMs} - ?`;
  const filter = `workspace_id = ? and ${ended} and name > '${NO_NAME}' and name >= ? and name < ?`;
  const values = [tx.workspaceId, endedForMs, prefix, prefixEnd(prefix)];
  const removed = yield* sql<{ readonly token: number }>(
    tx,
    `delete from leases where name in (select name from leases where ${filter} limit ?) and ${filter}
     returning token`,
    ...values,
    limit,
    ...values,
  );
  const greatest = removed.reduce((most, { token }) => Math.max(most, token), floor);
  const text = "update leases set token = ? where workspace_id = ? and name = ?";
  if (greatest > floor) yield* sql(tx, text, greatest, tx.workspaceId, NO_NAME);
  return removed.length;
}
