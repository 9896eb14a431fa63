/** Leases: the right to write, by the store's clock of leases. */

import { ContinuoError, type Lease, type ListedLease, type Page } from "@continuo/core/model";
import { type Scope, type SqlValue, sql, type Transaction, textOnce, type Work } from "../engine/index.ts";
import { createLease } from "./lease-rows.ts";
import { type Key, nameRange, type PageRequest, pageOf } from "./pages.ts";
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
  let held = yield* lockLease(tx, name);
  if (held === undefined) {
    yield* createLease(tx, name);
    held = yield* lockLease(tx, name);
  }
  if (held !== undefined && held.expires_at > held.now && held.owner !== owner && held.token !== takeFrom)
    throw leaseHeld(tx, held);
  yield* sql(
    tx,
    `update leases set token = token + 1, owner = ?, expires_at = ${tx.dialect.leaseMs} + ?
     where workspace_id = ? and name = ?`,
    owner,
    ttlMs,
    tx.workspaceId,
    name,
  );
  return toLease(tx, yield* lockedLease(tx, name));
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
    `update leases set expires_at = ${tx.dialect.leaseMs} + ? where workspace_id = ? and name = ?`,
    ttlMs,
    tx.workspaceId,
    name,
  );
  return toLease(tx, yield* lockedLease(tx, name));
}

/** The row of a lease that was given back has the time of its return, as a negative number. */
export function* releaseLease(tx: Transaction, name: string, token: number): Work<void> {
  assertName("name of a lease", name);
  yield* sql(
    tx,
    `update leases set expires_at = -${tx.dialect.leaseMs}
     where workspace_id = ? and name = ? and token = ? and expires_at > 0`,
    tx.workspaceId,
    name,
    token,
  );
}

/** `null` when nobody holds it now. */
export function* getLease(scope: Scope, name: string): Work<Lease | null> {
  assertName("name of a lease", name);
  const row = yield* findLease(scope, name, "");
  return row === undefined || row.expires_at <= row.now ? null : toLease(scope, row);
}

export interface ListLeases extends PageRequest {
  readonly prefix?: string;
  readonly owner?: string;
  readonly state?: ListedLease["state"];
}

/** Leases are sorted by name. A list of expired leases is sorted by the time of their expiry. */
export function* listLeases(scope: Scope, options: ListLeases): Work<Page<ListedLease>> {
  const [clock] = yield* sql<{ readonly now: number }>(scope, `select ${scope.dialect.leaseMs} as now`);
  const now = clock?.now ?? 0;
  const filters = filtersOf(options, now);
  const isByExpiry = options.state === "expired";
  return yield* pageOf(options, {
    fetch: (after, limit) => {
      const all = [nameFilter(options.prefix, isByExpiry ? undefined : after), ...filters];
      if (isByExpiry && after !== undefined) all.push(afterExpiry(after));
      return sql<Omit<LeaseRow, "now">>(
        scope,
        `select name, token, owner, expires_at from leases
         where workspace_id = ? and ${all.map(({ text }) => text).join(" and ")}
         order by ${isByExpiry ? "expires_at, name" : "name"} limit ?`,
        scope.workspaceId,
        ...all.flatMap(({ values }) => values),
        limit,
      );
    },
    keyOf: (row) => (isByExpiry ? [row.expires_at, row.name] : [row.name]),
    toItem: (row) => ({ ...toLease(scope, { ...row, now }), state: stateOf(row.expires_at, now) }),
  });
}

interface Filter {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Errors: `invalid`. */
function filtersOf({ prefix, owner, state }: ListLeases, now: number): readonly Filter[] {
  const filters: Filter[] = [stateFilter(state, now)];
  if (prefix !== undefined) assertText("prefix", prefix);
  if (owner !== undefined) {
    assertText("owner", owner);
    filters.push({ text: "owner = ?", values: [owner] });
  }
  return filters;
}

/** The condition has exactly this form, because the index of the leases that were not given back has it too. */
const NOT_RELEASED = "expires_at > 0";

function stateFilter(state: ListLeases["state"], now: number): Filter {
  switch (state) {
    case undefined:
      return { text: NOT_RELEASED, values: [] };
    case "held":
      return { text: `${NOT_RELEASED} and expires_at > ?`, values: [now] };
    case "expired":
      return { text: `${NOT_RELEASED} and expires_at <= ?`, values: [now] };
    case "released":
      return { text: "expires_at <= 0", values: [] };
    default:
      throw invalid("the state of a lease must be held, expired or released");
  }
}

/** Leaves out the row without a name, which is not a lease. */
function nameFilter(prefix: string | undefined, after: Key | undefined): Filter {
  const { from, before } = nameRange(prefix || undefined, after);
  const text = `name ${from[0]} ?`;
  return before === null
    ? { text, values: [from[1]] }
    : { text: `${text} and name < ?`, values: [from[1], before] };
}

function afterExpiry(key: Key): Filter {
  return { text: "(expires_at, name) > (?, ?)", values: [Number(key[0]), String(key[1])] };
}

function stateOf(expiresAt: number, now: number): ListedLease["state"] {
  if (expiresAt > now) return "held";
  return expiresAt > 0 ? "expired" : "released";
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
  const text = textOnce(
    scope.dialect,
    `lease${lock}`,
    () => `select name, token, owner, expires_at, ${scope.dialect.leaseMs} as now from leases
     where workspace_id = ? and name = ?${lock}`,
  );
  return (yield* sql<LeaseRow>(scope, text, scope.workspaceId, name))[0];
}

function assertLease(name: string, ttlMs: number): void {
  assertName("name of a lease", name);
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1)
    throw invalid("the ttlMs of a lease must be a whole number above 0");
}

function leaseHeld({ dialect }: Scope, held: LeaseRow): ContinuoError {
  return new ContinuoError("lease_held", `the lease ${held.name} is held by ${held.owner}`, {
    hint: "Wait until it is released or expires.",
    details: {
      name: held.name,
      owner: held.owner,
      token: held.token,
      expiresAt: isoOf(dialect.wallTime(held.expires_at)),
      leftMs: held.expires_at - held.now,
    },
  });
}

/** A released lease has the time at which it was given back. */
function toLease({ dialect }: Scope, { name, token, owner, expires_at }: LeaseRow): Lease {
  return { name, token, owner, expiresAt: isoOf(dialect.wallTime(Math.abs(expires_at))) };
}
