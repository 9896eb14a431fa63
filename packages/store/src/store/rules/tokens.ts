/** Tokens: rows that record the rights of their holders. Only hashes of their secrets are known here. */

import { ContinuoError, type NamedKind, type NewToken, type Page, type Token } from "@continuo/core/model";
import { LIMITS, query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import type { TokenTable } from "../schema/index.ts";
import { TOKEN_COLUMNS } from "./columns.ts";
import { textOfJson } from "./json-fields.ts";
import { type PageRequest, pageOf } from "./pages.ts";
import { assertName, assertText, assertTime, invalid, isoOf, notFound, tooLarge } from "./refusals.ts";

export interface TokenRow extends TokenTable {
  readonly now: number;
}

/** Errors: `invalid`, `too_large`. */
export function* insertToken(
  tx: Transaction,
  { tokenId, secretHash, request }: TokenSecret & { readonly request: Omit<NewToken, "signal"> },
): Work<Token> {
  const scopes = scopesOf(request.scopes);
  const handle = handleOf(request);
  const { label, issuedFrom = "network", expiresAt } = request;
  if (label !== undefined) {
    assertText("label of a token", label);
    if (label.length > LIMITS.idLength) throw tooLarge("the label of a token", LIMITS.idLength, label.length);
  }
  if (issuedFrom !== "loopback" && issuedFrom !== "network") {
    throw invalid("issuedFrom of a token must be loopback or network");
  }
  if (expiresAt !== undefined) assertTime("expiresAt of a token", expiresAt);
  yield* sql(
    tx,
    `insert into tokens (token_id, workspace_id, secret_hash, scopes, handle, label, issued_from, created_at, expires_at)
     values (?, ?, ?, ?, ?, ?, ?, ${tx.dialect.nowMs}, ?)`,
    tokenId,
    tx.workspaceId,
    secretHash,
    scopes,
    handle,
    label ?? null,
    issuedFrom,
    expiresAt === undefined ? null : Date.parse(expiresAt),
  );
  const token = yield* tokenOfWorkspace(tx, tokenId);
  if (token.state === "expired")
    throw invalid("cannot create a token that has already expired", { expiresAt });
  return token;
}

interface TokenSecret {
  readonly tokenId: string;
  readonly secretHash: string;
}

/** This handle stands for every handle. */
const ANY_HANDLE = "*";

const KINDS: Readonly<Record<NamedKind, true>> = {
  channel: true,
  session: true,
  chat: true,
  live: true,
  stream: true,
  approval: true,
};

/**
 * Returns the scopes as texts, in the form in which they are stored. In a text, a `*` at the end of a name stands for
 * every name with that beginning, so the name in a scope that is an object cannot have a `*`.
 */
function scopesOf(scopes: unknown): string {
  if (!Array.isArray(scopes) || scopes.length === 0) throw invalid("a token must have at least one scope");
  if (scopes.length > LIMITS.scopesPerToken)
    throw tooLarge("scopes of a token", LIMITS.scopesPerToken, scopes.length);
  const texts = scopes.map((scope: unknown) => (isObject(scope) ? textOfRight(scope) : scope));
  for (const text of texts) assertName("scope of a token", text);
  return textOfJson("scopes of a token", [...new Set(texts)]);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function textOfRight(right: object): string {
  const { kind, access, name, beginsWith, ...others } = right as Partial<Record<string, unknown>>;
  const isOne = (name === undefined) !== (beginsWith === undefined) && Object.keys(others).length === 0;
  if (!isOne || typeof kind !== "string" || !Object.hasOwn(KINDS, kind))
    throw badRight("a scope must have a kind, an access, and either a name or beginsWith", right);
  if (access !== "read" && access !== "write")
    throw badRight("the access of a scope must be read or write", right);
  const words = access === "write" ? "read,write" : "read";
  if (name !== undefined) return `${kind}:${plainName("name", name, right)}:${words}`;
  return `${kind}:${plainName("beginsWith", beginsWith, right)}*:${words}`;
}

/** Returns the name if it has no `*`, because a name that a user chose must not match other names. */
function plainName(what: "name" | "beginsWith", value: unknown, right: object): string {
  assertName(`${what} of a scope`, value);
  if (/[*\p{Cc}]/u.test(value))
    throw badRight(`the ${what} of a scope cannot have a * or a control character`, right);
  return value;
}

function badRight(message: string, right: object): ContinuoError {
  return new ContinuoError("invalid", message, {
    hint: 'Write { kind: "session", name: "customer-ann", access: "read" } for one name, or `beginsWith` for every name with a beginning; for all names, write the text "session:*:read".',
    details: { scope: right },
  });
}

function handleOf({ handle, anyHandle = false }: Pick<NewToken, "handle" | "anyHandle">): string | null {
  if (typeof anyHandle !== "boolean") throw invalid("anyHandle of a token must be true or false");
  if (handle !== undefined) assertName("handle of a token", handle);
  if (!anyHandle && handle === ANY_HANDLE) {
    throw new ContinuoError("invalid", "the handle of a token cannot be *", {
      hint: "Give the handle of one participant, or `anyHandle: true` for a program that writes for many.",
    });
  }
  if (anyHandle && handle !== undefined && handle !== ANY_HANDLE) {
    throw invalid("a token has either a handle or anyHandle");
  }
  return anyHandle ? ANY_HANDLE : (handle ?? null);
}

/** Finds a token of any workspace, for a client that has its secret. */
export function* findToken(scope: Scope, tokenId: string): Work<TokenRow | undefined> {
  const text = `select ${TOKEN_COLUMNS.join(", ")}, ${scope.dialect.nowMs} as now from tokens where token_id = ?`;
  const [row] = yield* sql<TokenRow>(scope, text, tokenId);
  return row;
}

export function* getToken(scope: Scope, tokenId: string): Work<Token | null> {
  assertName("tokenId", tokenId);
  const row = yield* findToken(scope, tokenId);
  return row === undefined || row.workspace_id !== scope.workspaceId ? null : toToken(row);
}

function* tokenOfWorkspace(scope: Scope, tokenId: string): Work<Token> {
  const token = yield* getToken(scope, tokenId);
  if (token === null) throw notFound("token", tokenId);
  return token;
}

/** `isNew` is false for a token that was revoked before. Errors: `not_found`. */
export function* revokeToken(
  tx: Transaction,
  tokenId: string,
): Work<{ readonly token: Token; readonly isNew: boolean }> {
  yield* tokenOfWorkspace(tx, tokenId);
  const revoked = yield* sql(
    tx,
    `update tokens set revoked_at = ${tx.dialect.nowMs}
     where workspace_id = ? and token_id = ? and revoked_at is null ${tx.dialect.returning("token_id")}`,
    tx.workspaceId,
    tokenId,
  );
  return { token: yield* tokenOfWorkspace(tx, tokenId), isNew: revoked.length > 0 };
}

export function* removeTokens(tx: Transaction, endedBefore: string): Work<number> {
  assertTime("endedBefore", endedBefore);
  const before = Date.parse(endedBefore);
  const rows = yield* sql(
    tx,
    "delete from tokens where workspace_id = ? and (revoked_at < ? or expires_at < ?) returning token_id",
    tx.workspaceId,
    before,
    before,
  );
  return rows.length;
}

export function* listWorkspaces(scope: Scope): Work<readonly string[]> {
  const text = `select workspace_id from logs union select workspace_id from tokens order by 1`;
  const rows = yield* sql<{ readonly workspace_id: string }>(scope, text);
  return rows.map((row) => row.workspace_id);
}

export interface ListTokens extends PageRequest {
  readonly handle?: string;
  readonly state?: Token["state"];
  readonly tokenIds?: readonly string[];
}

const STATES: readonly Token["state"][] = ["active", "expired", "revoked"];

export function* listTokens(scope: Scope, options: ListTokens): Work<Page<Token>> {
  const [clock] = yield* sql<{ readonly now: number }>(scope, `select ${scope.dialect.nowMs} as now`);
  const now = clock?.now ?? 0;
  let rows = scope.db
    .selectFrom("tokens")
    .select(TOKEN_COLUMNS)
    .where("workspace_id", "=", scope.workspaceId);
  if (options.handle !== undefined) assertText("handle", options.handle);
  if (options.state !== undefined && !STATES.includes(options.state)) {
    throw invalid("the state of a token must be active, expired or revoked");
  }
  if (options.handle !== undefined) rows = rows.where("handle", "=", options.handle);
  if (options.tokenIds !== undefined) rows = rows.where("token_id", "in", idsOf(options.tokenIds));
  if (options.state === "revoked") rows = rows.where("revoked_at", "is not", null);
  else if (options.state !== undefined) {
    rows = rows.where("revoked_at", "is", null);
    rows =
      options.state === "expired"
        ? rows.where("expires_at", "<=", now)
        : rows.where((e) => e.or([e("expires_at", "is", null), e("expires_at", ">", now)]));
  }
  return yield* pageOf(options, {
    fetch: (after, limit) =>
      query<TokenTable>(
        (after === undefined ? rows : rows.where("token_id", ">", String(after[0])))
          .orderBy("token_id")
          .limit(limit),
      ),
    keyOf: (row) => [row.token_id],
    toItem: (row) => toToken({ ...row, now }),
  });
}

function idsOf(ids: readonly string[]): readonly string[] {
  if (ids.length > LIMITS.tokenIds) throw tooLarge("tokenIds", LIMITS.tokenIds, ids.length);
  for (const id of ids) assertName("tokenId", id);
  // SQL has no empty list; no token has the empty id.
  return ids.length === 0 ? [""] : ids;
}

export function toToken(row: TokenRow): Token {
  return {
    tokenId: row.token_id,
    workspaceId: row.workspace_id,
    scopes: JSON.parse(row.scopes) as readonly string[],
    handle: row.handle,
    label: row.label,
    issuedFrom: row.issued_from as Token["issuedFrom"],
    state: stateOf(row),
    createdAt: isoOf(row.created_at),
    expiresAt: row.expires_at === null ? null : isoOf(row.expires_at),
    revokedAt: row.revoked_at === null ? null : isoOf(row.revoked_at),
  };
}

function stateOf(row: TokenRow): Token["state"] {
  if (row.revoked_at !== null) return "revoked";
  return row.expires_at !== null && row.expires_at <= row.now ? "expired" : "active";
}
