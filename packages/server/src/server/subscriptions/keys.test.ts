import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { assertWebhookKey, openSigningKeys, type SigningKeys } from "./keys.ts";

const newPem = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const SUBJECT = { workspaceId: "w", subscriptionId: "s", createdAt: "now", generation: 1 };

test("webhooks are signed with the key of the operator, and the store gets no key", async () => {
  await using store = await openStore("memory:");
  const pem = newPem();
  const keys = await openSigningKeys(store, pem);
  expect((await store.listWebhookKeys()).items).toEqual([]);
  const [, seconds = "", kid, signature = ""] =
    /^t=(\d+),kid=(\S+),ed25519=(\S+)$/u.exec(keys.signWebhook("body", 5_000)) ?? [];
  const [jwk] = keys.jwks.keys as [{ readonly kid: string }];
  expect([kid, keys.jwks.keys.length]).toEqual([jwk.kid, 1]);
  const publicKey = createPublicKey({ key: jwk as never, format: "jwk" });
  expect(verify(null, Buffer.from(`${seconds}.body`), publicKey, Buffer.from(signature, "base64url"))).toBe(
    true,
  );
  expect(JSON.stringify(keys.jwks)).not.toContain(pem.split("\n")[1]);
  // Another server with the same file accepts its callback tokens; a server with another key does not.
  const token = keys.signCallback(SUBJECT, 0);
  const same = await openSigningKeys(store, pem.replaceAll("\n", "\r\n"));
  expect(same.verifyCallback(token, SUBJECT, 0)).toBe(1);
  const other = await openSigningKeys(store, newPem());
  expect(() => other.verifyCallback(token, SUBJECT, 0)).toThrow("not valid here");
});

test("keys in the store are still published when the operator provides one", async () => {
  await using store = await openStore("memory:");
  const before = await openSigningKeys(store);
  const keys = await openSigningKeys(store, newPem());
  const ids = (keys.jwks.keys as readonly { readonly kid: string }[]).map(({ kid }) => kid);
  expect(ids).toEqual([keys.keyId, before.keyId]);
});

test("a file that is not a private Ed25519 key is refused, and nothing of it is shown", () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
  const { publicKey } = generateKeyPairSync("ed25519");
  const texts = ["", "my-secret-text", rsa.export({ type: "pkcs8", format: "pem" }).toString()];
  for (const text of [...texts, publicKey.export({ type: "spki", format: "pem" }).toString()]) {
    let thrown: unknown;
    try {
      assertWebhookKey(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      code: "usage",
      message: "the key of webhooks is not a private Ed25519 key in PEM",
    });
    expect(JSON.stringify(thrown)).not.toContain("my-secret-text");
  }
});

interface Jwk {
  readonly kid: string;
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
}

/** Returns whether a receiver that has read the list of keys accepts what they sign. */
function isAccepted(keys: SigningKeys, list: SigningKeys["jwks"]): boolean {
  const now = Date.now();
  const [, time, kid, signature = ""] =
    /^t=(\d+),kid=([^,]+),ed25519=(.+)$/u.exec(keys.signWebhook("{}", now)) ?? [];
  const jwk = (list.keys as readonly Jwk[]).find((key) => key.kid === kid);
  if (jwk === undefined) return false;
  const key = createPublicKey({ key: { ...jwk }, format: "jwk" });
  return verify(null, Buffer.from(`${time}.{}`), key, Buffer.from(signature, "base64url"));
}

test("a key of the next version replaces the key that signs webhooks, and receivers find both until the old one is removed", async () => {
  await using store = await openStore("memory:");
  const first = await openSigningKeys(store);
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  await store.putWebhookKey({
    version: 2,
    keyId: "second",
    algorithm: "ed25519",
    publicKey: x,
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  });
  const second = await openSigningKeys(store);
  expect([second.keyId, second.jwks.keys.length]).toEqual(["second", 2]);
  // A server that was not restarted still signs with the first key.
  for (const keys of [first, second]) expect(isAccepted(keys, second.jwks)).toBe(true);
  expect(isAccepted(second, first.jwks)).toBe(false);
  await store.retireWebhookKey(1);
  expect((await openSigningKeys(store)).keyId).toBe("second");
});

test("a key that was retired signs no webhook, although it is the newest", async () => {
  await using store = await openStore("memory:");
  const first = await openSigningKeys(store);
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  await store.putWebhookKey({
    version: 2,
    keyId: "second",
    algorithm: "ed25519",
    publicKey: publicKey.export({ format: "jwk" }).x ?? "",
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  });
  await store.retireWebhookKey(2);
  expect((await openSigningKeys(store)).keyId).toBe(first.keyId);
});

test("the token of a callback is valid for an hour", async () => {
  await using store = await openStore("memory:");
  const keys = await openSigningKeys(store);
  const token = keys.signCallback(SUBJECT, 0);
  expect(keys.verifyCallback(token, SUBJECT, 3_600_000)).toBe(1);
  expect(() => keys.verifyCallback(token, SUBJECT, 3_600_001)).toThrow("expired");
});
