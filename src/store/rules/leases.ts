/** Leases: who may write, by the database's clock. Rows are never deleted, so that tokens only grow. */

import { ContinuoError, type Lease } from "../../model/index.ts";
import { type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { assertName, fenced, invalid, isoOf, notFound } from "./refusals.ts";

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
     on conflict (workspace_id, name) do nothing`,
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
    throw fenced(`The lease ${name} was given to ${held.owner}.`, {
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
    "update leases set expires_at = 0 where workspace_id = ? and name = ? and token = ?",
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
    throw invalid("The ttlMs of a lease is a whole number above 0.");
}

function leaseHeld(held: LeaseRow): ContinuoError {
  return new ContinuoError("lease_held", `The lease ${held.name} is held by ${held.owner}.`, {
    hint: "Wait until it is released or expires.",
    details: { name: held.name, owner: held.owner, token: held.token, expiresAt: isoOf(held.expires_at) },
  });
}

function toLease(row: LeaseRow): Lease {
  return { name: row.name, token: row.token, owner: row.owner, expiresAt: isoOf(row.expires_at) };
}
