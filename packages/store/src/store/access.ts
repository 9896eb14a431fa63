/** Tokens and webhook keys of a store. Secrets are made and compared here; the database has hashes of them. */

import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { AccessStore, NewAuditEntry, Token } from "@continuo/core/model";
import { writeAudited } from "./audit.ts";
import type { Engine, Transaction } from "./engine/index.ts";
import * as rules from "./rules/index.ts";

/** The token's id without dashes, so that it can be found, and 256 random bits, so that it cannot be guessed. */
const SECRET = /^continuo_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_[\w-]{43}$/;

export function accessStore(engine: Engine): AccessStore {
  return {
    createToken: async ({ signal, ...request }) => {
      const tokenId = engine.scope.newId();
      const secret = `continuo_${tokenId.replaceAll("-", "")}_${randomBytes(32).toString("base64url")}`;
      const secretHash = hashOf(secret);
      const insert = { tokenId, secretHash, request };
      const token = await writeAudited(engine, (tx) => rules.insertToken(tx, insert), madeEntry, signal);
      return { ...token, secret };
    },
    authenticate: (secret, { signal } = {}) => authenticate(engine, secret, signal),
    getToken: (tokenId, { signal } = {}) => engine.read((scope) => rules.getToken(scope, tokenId), signal),
    listTokens: (options = {}) => engine.read((scope) => rules.listTokens(scope, options), options.signal),
    revokeToken: async (tokenId, { signal } = {}) => {
      const act = (tx: Transaction) => rules.revokeToken(tx, tokenId);
      const { token } = await writeAudited(
        engine,
        act,
        (done) => (done.isNew ? revokedEntry(done.token) : null),
        signal,
      );
      return token;
    },
    removeTokens: ({ signal, endedBefore }) =>
      engine.write((tx) => rules.removeTokens(tx, endedBefore), signal),
    listWorkspaces: ({ signal } = {}) => engine.read(rules.listWorkspaces, signal),
    putWebhookKey: ({ signal, ...key }) =>
      writeAudited(
        engine,
        (tx) => rules.putWebhookKey(tx, key),
        // Another server may have stored a key of this version first.
        ({ keyId }) => (keyId === key.keyId ? { what: "webhook_key_created", target: keyId } : null),
        signal,
      ),
    listWebhookKeys: (options = {}) =>
      engine.read((scope) => rules.listWebhookKeys(scope, options), options.signal),
    retireWebhookKey: (version, { signal } = {}) =>
      writeAudited(
        engine,
        (tx) => rules.retireWebhookKey(tx, version),
        ({ keyId }) => ({ what: "webhook_key_retired", target: keyId }),
        signal,
      ),
  };
}

function madeEntry({ tokenId, scopes, handle, label, expiresAt }: Token): NewAuditEntry {
  return { what: "token_created", target: tokenId, details: { scopes, handle, label, expiresAt } };
}

function revokedEntry({ tokenId, label }: Token): NewAuditEntry {
  return { what: "token_revoked", target: tokenId, details: { label } };
}

async function authenticate(engine: Engine, secret: string, signal?: AbortSignal): Promise<Token | null> {
  const tokenId = typeof secret === "string" ? SECRET.exec(secret)?.slice(1).join("-") : undefined;
  if (tokenId === undefined) return null;
  const row = await engine.read((scope) => rules.findToken(scope, tokenId), signal);
  if (row === undefined) return null;
  const isRight = timingSafeEqual(Buffer.from(hashOf(secret)), Buffer.from(row.secret_hash));
  const token = rules.toToken(row);
  return isRight && token.state === "active" ? token : null;
}

function hashOf(secret: string): string {
  return hash("sha256", secret, "hex");
}
