/** Claims: a thing that one worker does at a time, and a generation that tells an old worker from the new. */

import type { Claim, ClaimWrite, Page } from "../../model/index.ts";
import { query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { jsonOf, textOfJson } from "./json-fields.ts";
import { type PageRequest, pageOf, prefixEnd } from "./pages.ts";
import { assertName, fenced, invalid, isoOf } from "./refusals.ts";

interface ClaimRow {
  readonly name: string;
  readonly generation: number;
  readonly owner: string;
  readonly status: string;
  readonly data: string | null;
  readonly updated_at: number;
}

const COLUMNS = ["name", "generation", "owner", "status", "data", "updated_at"] as const;

export function* writeClaim(tx: Transaction, write: ClaimWrite, now: number): Work<void> {
  assertName("name of a claim", write.name);
  assertName("owner of a claim", write.owner);
  if (!Number.isSafeInteger(write.generation) || write.generation < 1) {
    throw invalid("The generation of a claim is 1 or more.");
  }
  const status = write.status ?? "claimed";
  assertName("status of a claim", status);
  const data = write.data === undefined ? null : textOfJson("data of a claim", write.data);
  // Inserted first, so that two who claim a new name at once meet in its row.
  yield* sql(
    tx,
    `insert into claims (workspace_id, name, generation, owner, status, data, updated_at)
     values (?, ?, 0, '', '', null, ?) on conflict (workspace_id, name) do nothing`,
    tx.workspaceId,
    write.name,
    now,
  );
  const text = `select generation, owner from claims where workspace_id = ? and name = ?${tx.dialect.forUpdate}`;
  const [row] = yield* sql<ClaimRow>(tx, text, tx.workspaceId, write.name);
  const stored = row?.generation ?? 0;
  const isNext = write.generation === stored + 1;
  const isHeld = write.generation === stored && row?.owner === write.owner;
  if (!isNext && !isHeld) {
    throw fenced(`The claim ${write.name} is in generation ${stored}.`, {
      name: write.name,
      generation: stored,
      owner: row?.owner ?? "",
    });
  }
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

export function* getClaim(scope: Scope, name: string): Work<Claim | null> {
  assertName("name of a claim", name);
  const text = `select ${COLUMNS.join(", ")} from claims where workspace_id = ? and name = ?`;
  const [row] = yield* sql<ClaimRow>(scope, text, scope.workspaceId, name);
  return row === undefined ? null : toClaim(row);
}

export interface ListClaims extends PageRequest {
  readonly prefix?: string;
  readonly status?: string;
  readonly owner?: string;
}

export function* listClaims(scope: Scope, options: ListClaims): Work<Page<Claim>> {
  let rows = scope.db.selectFrom("claims").select(COLUMNS).where("workspace_id", "=", scope.workspaceId);
  if (options.prefix !== undefined) {
    rows = rows.where("name", ">=", options.prefix).where("name", "<", prefixEnd(options.prefix));
  }
  if (options.status !== undefined) rows = rows.where("status", "=", options.status);
  if (options.owner !== undefined) rows = rows.where("owner", "=", options.owner);
  return yield* pageOf(options, {
    fetch: (after, limit) =>
      query<ClaimRow>(
        (after === undefined ? rows : rows.where("name", ">", String(after[0]))).orderBy("name").limit(limit),
      ),
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
