/**
 * The signing keys that all servers of one database share: for webhooks, which anybody can verify, and for callback
 * tokens, which only servers verify.
 */

import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
  timingSafeEqual,
} from "node:crypto";
import { ContinuoError, type Store, type WebhookKey } from "@continuo/core/model";
import { Refusal } from "./refusal.ts";

const CALLBACK_SECONDS = 3_600;

export interface SigningKeys {
  readonly keyId: string;
  /** The public keys of `/jwks.json`, newest first. */
  readonly jwks: { readonly keys: readonly object[] };
  signWebhook(body: string, now: number): string;
  signCallback(subject: CallbackSubject, now: number): string;
  /** The generation for which the token is valid. Errors: a `Refusal`. */
  verifyCallback(token: string, subject: Omit<CallbackSubject, "generation">, now: number): number;
}

/** The subject of a callback token. */
export interface CallbackSubject {
  readonly workspaceId: string;
  readonly subscriptionId: string;
  /** Distinguishes the subscription from a later one with the same id. */
  readonly createdAt: string;
  readonly generation: number;
}

/** The part of a key that is needed to sign with it, and to publish it. */
type Key = Pick<WebhookKey, "keyId" | "publicKey" | "privateKey">;

/**
 * Reads the keys, and creates the first one; servers that start together agree on it. With a key of the operator, no
 * key is stored, and the keys that the store already has are still published.
 *
 * @param own a key in PEM. Errors: `usage` if it cannot sign webhooks.
 */
export async function openSigningKeys(store: Store, own?: string): Promise<SigningKeys> {
  const stored = (await store.listWebhookKeys()).items;
  if (own !== undefined) {
    const key = keyOf(own);
    return signingKeys(key, [key, ...stored.filter(({ keyId }) => keyId !== key.keyId)]);
  }
  let keys = stored;
  if (keys.length === 0) {
    await store.putWebhookKey(newKey());
    keys = (await store.listWebhookKeys()).items;
  }
  const newest = keys.find(({ retiredAt }) => retiredAt === null) ?? keys[0];
  if (newest === undefined) throw new Error("the store keeps no webhook key");
  return signingKeys(newest, keys);
}

function signingKeys(newest: Key, keys: readonly Key[]): SigningKeys {
  const privateKey = createPrivateKey(newest.privateKey);
  const secret = Buffer.from(
    hkdfSync("sha256", newest.privateKey, "", "continuo subscription callbacks", 32),
  );
  return {
    keyId: newest.keyId,
    jwks: { keys: keys.map(jwkOf) },
    signWebhook: (body, now) => signatureOf(body, { privateKey, keyId: newest.keyId, now }),
    signCallback: (subject, now) => signCallback(secret, subject, now),
    verifyCallback: (token, subject, now) => verifyCallback(secret, token, { subject, now }),
  };
}

function newKey(): Parameters<Store["putWebhookKey"]>[0] {
  return { version: 1, algorithm: "ed25519", ...partsOf(generateKeyPairSync("ed25519").privateKey) };
}

/** Errors: `usage` for a text that is not a private Ed25519 key in PEM. */
export function assertWebhookKey(pem: string): void {
  keyOf(pem);
}

function keyOf(pem: string): Key {
  let privateKey: KeyObject | null = null;
  try {
    privateKey = createPrivateKey(pem);
  } catch {
    // A text that is not a key is refused below, without showing any of it.
  }
  if (privateKey?.asymmetricKeyType === "ed25519") return partsOf(privateKey);
  throw new ContinuoError("usage", "the key of webhooks is not a private Ed25519 key in PEM", {
    hint: "Create one with `openssl genpkey -algorithm ed25519`.",
  });
}

function partsOf(privateKey: KeyObject): Key {
  const { x } = createPublicKey(privateKey).export({ format: "jwk" });
  const thumbprint = createHash("sha256").update(JSON.stringify({ crv: "Ed25519", kty: "OKP", x }));
  return {
    keyId: `ds_${thumbprint.digest("base64url")}`,
    publicKey: x ?? "",
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function jwkOf({ keyId, publicKey }: Key): object {
  return { kty: "OKP", crv: "Ed25519", x: publicKey, kid: keyId, use: "sig", alg: "EdDSA" };
}

function signatureOf(
  body: string,
  {
    privateKey,
    keyId,
    now,
  }: { readonly privateKey: KeyObject; readonly keyId: string; readonly now: number },
): string {
  const seconds = Math.floor(now / 1000);
  const signature = sign(null, Buffer.from(`${seconds}.${body}`), privateKey).toString("base64url");
  return `t=${seconds},kid=${keyId},ed25519=${signature}`;
}

function signCallback(secret: Buffer, subject: CallbackSubject, now: number): string {
  const payload = Buffer.from(
    JSON.stringify({ generation: subject.generation, expires: Math.floor(now / 1000) + CALLBACK_SECONDS }),
  ).toString("base64url");
  return `${payload}.${macOf(secret, subject, payload).toString("base64url")}`;
}

function verifyCallback(
  secret: Buffer,
  token: string,
  { subject, now }: { readonly subject: Omit<CallbackSubject, "generation">; readonly now: number },
): number {
  const [payload = "", mac = ""] = token.length > 1_024 ? [] : token.split(".");
  const expected = macOf(secret, subject, payload);
  const given = Buffer.from(mac, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new Refusal("TOKEN_INVALID", "the callback token is not valid here");
  }
  const { generation, expires } = JSON.parse(Buffer.from(payload, "base64url").toString()) as {
    readonly generation: number;
    readonly expires: number;
  };
  if (expires * 1000 < now) throw new Refusal("TOKEN_EXPIRED", "the callback token expired");
  return generation;
}

function macOf(secret: Buffer, subject: Omit<CallbackSubject, "generation">, payload: string): Buffer {
  const { workspaceId, subscriptionId, createdAt } = subject;
  const text = JSON.stringify([workspaceId, subscriptionId, createdAt, payload]);
  return createHmac("sha256", secret).update(text).digest();
}
