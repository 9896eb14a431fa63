/**
 * Claims: each gives one worker at a time the right to do something, with a generation that distinguishes an old worker
 * from a new one.
 */

import type { Claim, ClaimWrite, Page } from "@continuo/core/model";
import { query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { jsonOf, textOfJson } from "./json-fields.ts";
import { nameRange, type PageRequest, pageOf } from "./pages.ts";
import { assertName, assertText, fenced, invalid, isoOf, notFound } from "./refusals.ts";

interface ClaimRow {
  readonly name: string;
  readonly generation: number;
  readonly owner: string;
  readonly status: string;
  readonly data: string | null;
  readonly updated_at: number;
}

const COLUMNS = ["name", "generation", "owner", "status", "data", "updated_at"] as const;
const FIND = `select ${COLUMNS.join(", ")} from claims where workspace_id = ? and name = ?`;

export function* writeClaim(tx: Transaction, write: ClaimWrite, now: number): Work<void> {
  assertName("name of a claim", write.name);
  assertName("owner of a claim", write.owner);
  if (!Number.isSafeInteger(write.generation) || write.generation < 1) {
    throw invalid("the generation of a claim must be at least 1");
  }
  const status = write.status ?? "claimed";
  assertName("status of a claim", status);
  const data = write.data === undefined ? null : textOfJson("data of a claim", write.data);
  // The row is inserted first, so that two callers that claim a new name at the same time wait for the same row.
  yield* sql(
    tx,
    `insert into claims (workspace_id, name, generation, owner, status, data, updated_at)
     values (?, ?, 0, '', '', null, ?) ${tx.dialect.onConflict("workspace_id, name")}`,
    tx.workspaceId,
    write.name,
    now,
  );
  const text = `select generation, owner from claims where workspace_id = ? and name = ?${tx.dialect.forUpdate}`;
  const [row] = yield* sql<ClaimRow>(tx, text, tx.workspaceId, write.name);
  const stored = row?.generation ?? 0;
  const isNext = write.generation === stored + 1;
  const isHeld = write.onlyNext !== true && write.generation === stored && row?.owner === write.owner;
  if (!isNext && !isHeld) throw otherGeneration(write.name, row);
  yield* sql(
    tx,
    `update claims set generation = ?, owner = ?, status = ?, data = ?, updated_at = ?
     where workspace_id = ? and name = ?`,
    write.generation,
    write.owner,
    status,
    data,
    now,
    tx.workspaceId,
    write.name,
  );
}

/** Puts a claim without a log. */
export function* putClaim(tx: Transaction, write: Omit<ClaimWrite, "type">): Work<Claim> {
  const [clock] = yield* sql<{ readonly now: number }>(tx, `select ${tx.dialect.nowMs} as now`);
  yield* writeClaim(tx, { type: "claim", ...write }, clock?.now ?? 0);
  const claim = yield* getClaim(tx, write.name);
  if (claim === null) throw notFound("claim", write.name);
  return claim;
}

export interface HeldClaim {
  readonly name: string;
  readonly generation: number;
  readonly owner: string;
}

/** Errors: `fenced`. */
export function* deleteClaim(tx: Transaction, { name, generation, owner }: HeldClaim): Work<void> {
  assertName("name of a claim", name);
  const text = `select generation, owner from claims where workspace_id = ? and name = ?${tx.dialect.forUpdate}`;
  const [row] = yield* sql<ClaimRow>(tx, text, tx.workspaceId, name);
  if (row === undefined) return;
  if (row.generation !== generation || row.owner !== owner) throw otherGeneration(name, row);
  yield* sql(tx, "delete from claims where workspace_id = ? and name = ?", tx.workspaceId, name);
}

function otherGeneration(name: string, row: Pick<ClaimRow, "generation" | "owner"> | undefined): Error {
  const generation = row?.generation ?? 0;
  const details = { name, generation, owner: row?.owner ?? "" };
  return fenced(`the claim ${name} is in generation ${generation}`, details);
}

export function* getClaim(scope: Scope, name: string): Work<Claim | null> {
  assertName("name of a claim", name);
  const [row] = yield* sql<ClaimRow>(scope, FIND, scope.workspaceId, name);
  return row === undefined ? null : toClaim(row);
}

export interface ListClaims extends PageRequest {
  readonly prefix?: string;
  readonly status?: string;
  readonly owner?: string;
}

export function* listClaims(scope: Scope, options: ListClaims): Work<Page<Claim>> {
  let rows = scope.db.selectFrom("claims").select(COLUMNS).where("workspace_id", "=", scope.workspaceId);
  for (const filter of ["prefix", "status", "owner"] as const) {
    if (options[filter] !== undefined) assertText(filter, options[filter]);
  }
  if (options.status !== undefined) rows = rows.where("status", "=", options.status);
  if (options.owner !== undefined) rows = rows.where("owner", "=", options.owner);
  return yield* pageOf(options, {
    fetch: (after, limit) => {
      const { from, before } = nameRange(options.prefix, after);
      const named = rows.where("name", ...from);
      const inRange = before === null ? named : named.where("name", "<", before);
      return query<ClaimRow>(inRange.orderBy("name").limit(limit));
    },
    keyOf: (row) => [row.name],
    toItem: toClaim,
  });
}

function toClaim(row: ClaimRow): Claim {
  return {
    name: row.name,
    generation: row.generation,
    owner: row.owner,
    status: row.status,
    data: jsonOf(row.data),
    updatedAt: isoOf(row.updated_at),
  };
}
