/** The token that other commands of this machine use: created at the first start, and renewed while the server runs. */

import { ContinuoError, messageOf, shellWord } from "@continuo/core/model";
import { LOOPBACK_LABEL } from "@continuo/core/wire";
import type { OpenedStore } from "@continuo/store";
import type { Shell } from "../terminal/index.ts";
import { TOKEN_LIFE_DAYS } from "../token/index.ts";
import type { ServeFlags } from "./flags.ts";
import { readTokenFile, tokenFileOf, writeTokenFile } from "./token-file.ts";

const DAY_MS = 86_400_000;
/** A token with fewer days left is replaced; the old one stays valid until it expires. */
const RENEWED_DAYS = 30;
const LOOK_MS = DAY_MS / 2;

export interface OwnToken extends Disposable {
  /** The file of the token. */
  readonly path: string;
}

/**
 * Errors: `conflict` if the file that a flag names has a token that this store does not know, or that has expired;
 * those of reading and writing the file.
 */
export async function keepOwnToken(
  store: OpenedStore,
  flags: Pick<ServeFlags, "tokenFile">,
  shell: Shell,
): Promise<OwnToken> {
  const path = tokenFileOf(shell, flags.tokenFile);
  const secret = readTokenFile(path);
  const token = secret === null ? null : await store.authenticate(secret);
  if (secret !== null && token === null && flags.tokenFile !== undefined) {
    throw new ContinuoError("conflict", `the token in ${path} is not known to this store, or has expired`, {
      hint: "Delete the file to create a new token, or name another file.",
    });
  }
  const isOwn = token === null || token.label === LOOPBACK_LABEL;
  const isForEver = token !== null && token.expiresAt === null;
  let expiresAt = token?.expiresAt ?? null;
  if (token === null || (isOwn && (isForEver || isSoon(expiresAt)))) expiresAt = await renew(store, path);
  if (isOwn && isForEver) {
    shell.stderr.write(
      `warning: the earlier token in ${path} never expires; run \`continuo token revoke ${shellWord(token.tokenId)}\` if nothing uses it\n`,
    );
  }
  const timer = setInterval(async () => {
    // A token that somebody else put into the file stays there.
    if (!isOwn || !isSoon(expiresAt)) return;
    try {
      expiresAt = await renew(store, path);
    } catch (error) {
      shell.stderr.write(`warning: cannot renew the token in ${path}: ${messageOf(error)}\n`);
    }
  }, LOOK_MS).unref();
  return { path, [Symbol.dispose]: () => clearInterval(timer) };
}

function isSoon(expiresAt: string | null): boolean {
  return expiresAt !== null && Date.parse(expiresAt) - Date.now() < RENEWED_DAYS * DAY_MS;
}

async function renew(store: OpenedStore, path: string): Promise<string | null> {
  const token = await store.createToken({
    scopes: ["admin", "machine:read,write"],
    label: LOOPBACK_LABEL,
    issuedFrom: "loopback",
    expiresAt: new Date(Date.now() + TOKEN_LIFE_DAYS * DAY_MS).toISOString(),
  });
  writeTokenFile(path, token.secret);
  return token.expiresAt;
}
