/** Leases: who may write, by the database's clock. Rows are never deleted, so that tokens only grow. */

import { ContinuoError, type Lease, type ListedLease, type Page } from "../../model/index.ts";
import { query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { type PageRequest, pageOf, prefixEnd } from "./pages.ts";
import { assertName, assertText, fenced, invalid, isoOf, notFound } from "./refusals.ts";

interface LeaseRow {
  readonly name: string;
  readonly token: number;
  readonly owner: string;
  readonly expires_at: number;
  readonly now: number;
}

export const DEFAULT_LEASE_MS = 30_000;

export interface LeaseRequest {
  readonly owner: string;
  readonly ttlMs?: number;
  readonly takeFrom?: number;
}

/** Errors: `lease_held`. */
export function* acquireLease(tx: Transaction, name: string, request: LeaseRequest): Work<Lease> {
  const { owner, ttlMs = DEFAULT_LEASE_MS, takeFrom } = request;
  assertLease(name, ttlMs);
  assertName("owner of a lease", owner);
  const { nowMs } = tx.dialect;
  yield* sql(
    tx,
    `insert into leases (workspace_id, name, token, owner, expires_at) values (?, ?, 0, '', 0)
     ${tx.dialect.onConflict("workspace_id, name")}`,
    tx.workspaceId,
    name,
  );
  const held = yield* lockLease(tx, name);
  if (held !== undefined && held.expires_at > held.now && held.owner !== owner && held.token !== takeFrom)
    throw leaseHeld(held);
  yield* sql(
    tx,
    `update leases set token = token + 1, owner = ?, expires_at = ${nowMs} + ?
     where workspace_id = ? and name = ?`,
    owner,
    ttlMs,
    tx.workspaceId,
    name,
  );
  return toLease(yield* lockedLease(tx, name));
}

/** Errors: `fenced`, `not_found`. */
export function* renewLease(tx: Transaction, name: string, token: number, ttlMs: number): Work<Lease> {
  assertLease(name, ttlMs);
  const held = yield* lockedLease(tx, name);
  if (held.token !== token) {
    throw fenced(`the lease ${name} was granted to ${held.owner}`, {
      name,
      token: held.token,
      owner: held.owner,
    });
  }
  yield* sql(
    tx,
    `update leases set expires_at = ${tx.dialect.nowMs} + ? where workspace_id = ? and name = ?`,
    ttlMs,
    tx.workspaceId,
    name,
  );
  return toLease(yield* lockedLease(tx, name));
}

export function* releaseLease(tx: Transaction, name: string, token: number): Work<void> {
  assertName("name of a lease", name);
  yield* sql(
    tx,
    `update leases set expires_at = ${RELEASED} where workspace_id = ? and name = ? and token = ?`,
    tx.workspaceId,
    name,
    token,
  );
}

/** `null` when nobody holds it now. */
export function* getLease(scope: Scope, name: string): Work<Lease | null> {
  assertName("name of a lease", name);
  const row = yield* findLease(scope, name, "");
  return row === undefined || row.expires_at <= row.now ? null : toLease(row);
}

export interface ListLeases extends PageRequest {
  readonly prefix?: string;
  readonly owner?: string;
  readonly state?: ListedLease["state"];
}

/** A lease that was given back has no expiry left. */
const RELEASED = 0;

export function* listLeases(scope: Scope, options: ListLeases): Work<Page<ListedLease>> {
  const [clock] = yield* sql<{ readonly now: number }>(scope, `select ${scope.dialect.nowMs} as now`);
  const now = clock?.now ?? 0;
  for (const filter of ["prefix", "owner"] as const) {
    if (options[filter] !== undefined) assertText(filter, options[filter]);
  }
  // A row of token 0 was made by somebody who is about to take it.
  let rows = scope.db
    .selectFrom("leases")
    .select(["name", "token", "owner", "expires_at"])
    .where("workspace_id", "=", scope.workspaceId)
    .where("token", ">", 0);
  const { prefix, owner, state } = options;
  if (prefix !== undefined) rows = rows.where("name", ">=", prefix).where("name", "<", prefixEnd(prefix));
  if (owner !== undefined) rows = rows.where("owner", "=", owner);
  if (state === "held") rows = rows.where("expires_at", ">", now);
  else if (state === "expired") rows = rows.where("expires_at", "<=", now).where("expires_at", ">", RELEASED);
  else if (state === "released") rows = rows.where("expires_at", "=", RELEASED);
  else if (state === undefined) rows = rows.where("expires_at", ">", RELEASED);
  else throw invalid("the state of a lease must be held, expired or released");
  return yield* pageOf(options, {
    fetch: (after, limit) =>
      query<Omit<LeaseRow, "now">>(
        (after === undefined ? rows : rows.where("name", ">", String(after[0]))).orderBy("name").limit(limit),
      ),
    keyOf: (row) => [row.name],
    toItem: (row) => ({ ...toLease({ ...row, now }), state: stateOf(row.expires_at, now) }),
  });
}

function stateOf(expiresAt: number, now: number): ListedLease["state"] {
  if (expiresAt > now) return "held";
  return expiresAt === RELEASED ? "released" : "expired";
}

function* lockedLease(tx: Transaction, name: string): Work<LeaseRow> {
  const row = yield* lockLease(tx, name);
  if (row === undefined) throw notFound("lease", name);
  return row;
}

function lockLease(tx: Transaction, name: string): Work<LeaseRow | undefined> {
  return findLease(tx, name, tx.dialect.forUpdate);
}

function* findLease(scope: Scope, name: string, lock: string): Work<LeaseRow | undefined> {
  const rows = yield* sql<LeaseRow>(
    scope,
    `select name, token, owner, expires_at, ${scope.dialect.nowMs} as now from leases
     where workspace_id = ? and name = ?${lock}`,
    scope.workspaceId,
    name,
  );
  return rows[0];
}

function assertLease(name: string, ttlMs: number): void {
  assertName("name of a lease", name);
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1)
    throw invalid("the ttlMs of a lease must be a whole number above 0");
}

function leaseHeld(held: LeaseRow): ContinuoError {
  return new ContinuoError("lease_held", `the lease ${held.name} is held by ${held.owner}`, {
    hint: "Wait until it is released or expires.",
    details: {
      name: held.name,
      owner: held.owner,
      token: held.token,
      expiresAt: isoOf(held.expires_at),
      leftMs: held.expires_at - held.now,
    },
  });
}

function toLease(row: LeaseRow): Lease {
  return { name: row.name, token: row.token, owner: row.owner, expiresAt: isoOf(row.expires_at) };
}
