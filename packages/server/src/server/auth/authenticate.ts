/** Finds the scopes of a secret. */

import { createHash } from "node:crypto";
import { ContinuoError, type Store, type Token } from "@continuo/core/model";
import {
  extensionOriginOf,
  LOOPBACK_LABEL,
  OWN_LABELS,
  type PageLabel,
  parsePageLabel,
  parseScope,
  type Scope,
} from "@continuo/core/wire";
import { type Authenticate, type Credentials, type Grant, LIMITS, type Peer } from "../context/index.ts";
import { networkOf } from "../sockets/index.ts";
import { Buckets } from "./buckets.ts";

interface TokenRow {
  readonly token: Token;
  readonly page: PageLabel | null;
  readonly scopes: readonly Scope[];
  readonly until: number;
}

/**
 * Asks the store, and remembers the answer for a second: a revoked token works for that long, and so do its pages. An
 * address that guesses must wait; a valid token is never refused because of other clients behind the same proxy.
 */
export function createAuthenticate(store: Store): Authenticate {
  const known = new Map<string, TokenRow>();
  const guessed = createGuesses();
  return async (credentials, peer) => {
    const now = Date.now();
    const { secret } = credentials;
    if (secret === undefined) throw unauthorized("there is no token");
    if (secret.length > LIMITS.secretLength) throw unauthorized("the token is too long to be one");
    const key = createHash("sha256").update(secret).digest("base64");
    let found = known.get(key);
    if (found === undefined || found.until <= now) {
      known.delete(key);
      const token = await store.authenticate(secret);
      if (token === null) {
        guessed(peer);
        throw unauthorized("the token is unknown, expired or revoked");
      }
      const page = parsePageLabel(token.label);
      if (page !== null) await assertActive(store.forWorkspace(token.workspaceId), page);
      found = { token, page, scopes: scopesOf(token), until: untilOf(token, now) };
      if (known.size >= LIMITS.rememberedTokens) known.clear();
      known.set(key, found);
    }
    assertUse(found, credentials);
    return grantOf(found, peer);
  };
}

/** Counts wrong secrets by the network of their sender. Errors: `rate_limited`. */
export function createGuesses(): (peer: Peer) => void {
  const guesses = new Buckets({
    perSecond: LIMITS.guessesPerSecond,
    burst: LIMITS.guesses,
    message: "too many wrong tokens or codes came from this address",
  });
  return ({ address }) => guesses.take(networkOf(address), performance.now());
}

/** Allows everything to every caller: for a server on loopback that requires no token. */
export function allowEverybody(workspaceId: string): Authenticate {
  const scopes = ["admin", "machine:read,write"].map(parseScope);
  return async (_credentials, peer) => ({
    tokenId: null,
    workspaceId,
    handle: null,
    page: null,
    scopes,
    peer,
  });
}

function grantOf({ token: { tokenId, workspaceId, handle }, page, scopes }: TokenRow, peer: Peer): Grant {
  return { tokenId, workspaceId, handle, page, scopes, peer };
}

/** A page ends with its token. */
async function assertActive(store: Store, { parentId }: PageLabel): Promise<void> {
  const parent = await store.getToken(parentId);
  if (parent?.state === "active") return;
  throw unauthorized("the token that opened the page has expired or was revoked");
}

function untilOf({ expiresAt }: Token, now: number): number {
  const until = now + LIMITS.rememberMs;
  return expiresAt === null ? until : Math.min(until, Date.parse(expiresAt));
}

/**
 * A code can only open a page. The secret of a tab is sent like a token, and the secret of a cookie only as a cookie.
 */
function assertUse({ token, page }: TokenRow, { sentAs }: Credentials): void {
  if (page?.kind === "code") throw unauthorized("a code is not a token");
  // Unknown labels of this server come from another version.
  const isKnown = token.label === LOOPBACK_LABEL || extensionOriginOf(token.label) !== null;
  const isOwn = page !== null || isKnown || !token.label?.startsWith(OWN_LABELS);
  if (!isOwn || (page?.kind === "cookie") !== (sentAs === "cookie")) {
    throw unauthorized("the token was sent in a way that it does not allow");
  }
}

/** A scope that this version does not know allows nothing. The machine is only for tokens that were issued on it. */
function scopesOf({ scopes, issuedFrom }: Token): readonly Scope[] {
  return scopes.flatMap((text) => {
    let scope: Scope;
    try {
      scope = parseScope(text);
    } catch {
      return [];
    }
    return scope.kind === "machine" && issuedFrom !== "loopback" ? [] : [scope];
  });
}

function unauthorized(message: string): ContinuoError {
  return new ContinuoError("unauthorized", message);
}
