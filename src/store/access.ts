/** Tokens and webhook keys of a store. Secrets are made and compared here; the database has hashes of them. */

import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { AccessStore, Token } from "../model/index.ts";
import type { Engine } from "./engine/index.ts";
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
      return { ...(await engine.write((tx) => rules.insertToken(tx, insert), signal)), secret };
    },
    authenticate: (secret, { signal } = {}) => authenticate(engine, secret, signal),
    getToken: (tokenId, { signal } = {}) => engine.read((scope) => rules.getToken(scope, tokenId), signal),
    listTokens: (options = {}) => engine.read((scope) => rules.listTokens(scope, options), options.signal),
    revokeToken: (tokenId, { signal } = {}) => engine.write((tx) => rules.revokeToken(tx, tokenId), signal),
    removeTokens: ({ signal, endedBefore }) =>
      engine.write((tx) => rules.removeTokens(tx, endedBefore), signal),
    listWorkspaces: ({ signal } = {}) => engine.read(rules.listWorkspaces, signal),
    putWebhookKey: ({ signal, ...key }) => engine.write((tx) => rules.putWebhookKey(tx, key), signal),
    listWebhookKeys: (options = {}) =>
      engine.read((scope) => rules.listWebhookKeys(scope, options), options.signal),
    retireWebhookKey: (version, { signal } = {}) =>
      engine.write((tx) => rules.retireWebhookKey(tx, version), signal),
  };
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
