/** Webhook keys: numbered, so that servers that start at the same time agree on one. */

import type { NewWebhookKey, Page, WebhookKey } from "@continuo/core/model";
import { query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import type { WebhookKeyTable } from "../schema/index.ts";
import { WEBHOOK_KEY_COLUMNS } from "./columns.ts";
import { type PageRequest, pageOf } from "./pages.ts";
import { assertName, assertText, conflict, invalid, isoOf, notFound } from "./refusals.ts";

/** Errors: `invalid`, `conflict`. */
export function* putWebhookKey(tx: Transaction, key: Omit<NewWebhookKey, "signal">): Work<WebhookKey> {
  assertVersion(key.version);
  assertName("keyId of a webhook key", key.keyId);
  assertName("algorithm of a webhook key", key.algorithm);
  assertText("public key", key.publicKey);
  assertText("private key", key.privateKey);
  const [newest] = yield* sql<{ readonly version: number | null }>(
    tx,
    "select max(version) as version from webhook_keys where workspace_id = ?",
    tx.workspaceId,
  );
  const known = newest?.version ?? 0;
  if (key.version > known + 1) {
    const message = `the newest webhook key has version ${known}, so the next one must have version ${known + 1}`;
    throw conflict(message, { version: key.version, newest: known });
  }
  yield* sql(
    tx,
    `insert into webhook_keys (workspace_id, version, key_id, algorithm, public_key, private_key, created_at)
     values (?, ?, ?, ?, ?, ?, ${tx.dialect.nowMs}) ${tx.dialect.onConflict("workspace_id, version")}`,
    tx.workspaceId,
    key.version,
    key.keyId,
    key.algorithm,
    key.publicKey,
    key.privateKey,
  );
  return yield* webhookKey(tx, key.version);
}

/** Errors: `not_found`. */
export function* retireWebhookKey(tx: Transaction, version: number): Work<WebhookKey> {
  assertVersion(version);
  yield* webhookKey(tx, version);
  yield* sql(
    tx,
    `update webhook_keys set retired_at = ${tx.dialect.nowMs}
     where workspace_id = ? and version = ? and retired_at is null`,
    tx.workspaceId,
    version,
  );
  return yield* webhookKey(tx, version);
}

export function* listWebhookKeys(scope: Scope, options: PageRequest): Work<Page<WebhookKey>> {
  const rows = scope.db
    .selectFrom("webhook_keys")
    .select(WEBHOOK_KEY_COLUMNS)
    .where("workspace_id", "=", scope.workspaceId);
  return yield* pageOf(options, {
    fetch: (after, limit) =>
      query<WebhookKeyTable>(
        (after === undefined ? rows : rows.where("version", "<", Number(after[0])))
          .orderBy("version", "desc")
          .limit(limit),
      ),
    keyOf: (row) => [row.version],
    toItem: toWebhookKey,
  });
}

function* webhookKey(scope: Scope, version: number): Work<WebhookKey> {
  const text = `select ${WEBHOOK_KEY_COLUMNS.join(", ")} from webhook_keys where workspace_id = ? and version = ?`;
  const [row] = yield* sql<WebhookKeyTable>(scope, text, scope.workspaceId, version);
  if (row === undefined) throw notFound("webhook key", String(version));
  return toWebhookKey(row);
}

function assertVersion(version: number): void {
  if (!Number.isSafeInteger(version) || version < 1)
    throw invalid("the version of a webhook key must be at least 1");
}

function toWebhookKey(row: WebhookKeyTable): WebhookKey {
  return {
    version: row.version,
    keyId: row.key_id,
    algorithm: row.algorithm,
    publicKey: row.public_key,
    privateKey: row.private_key,
    createdAt: isoOf(row.created_at),
    retiredAt: row.retired_at === null ? null : isoOf(row.retired_at),
  };
}
